// Package heap paces the garbage collector for work on source text, whose syntax
// trees are many times its size and are garbage when the next package begins.
//
// Left alone, the collector starts when the heap is 4 MB, which a package of average
// size fills several times. Here it
// starts when the heap has a size that follows from the largest amount of source that
// has been worked on at a time.
package heap

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// What a Pace has for marking, see PerByte.
const (
	Overlay = 17 // text edits: 9 to 13 bytes are live
	InPlace = 40 // texts before and after, and trees of both: 23 bytes of a large package
)

// room is what the heap may have in any case, bytes.
const room = 21 << 20

// A Pace sets the collector's for work that begins and ends. Its methods may be called
// at once. The zero value is ready for use. Where the variable GOGC or GOMEMLIMIT is
// set, it does nothing.
type Pace struct {
	// PerByte is what the heap may have for a byte of source: what is live, and a third of
	// that or more, which is filled between two rounds of the collector.
	PerByte int

	mu      sync.Mutex
	source  int   // bytes that are worked on
	started int64 // bytes that the process had when the first work began; 0: none has
	set     int64 // bytes that the heap may have; 0: as before
	percent int   // that held before, see debug.SetGCPercent
	limit   int64 // that held before, see debug.SetMemoryLimit
}

// Begin says that n more bytes of source are worked on.
func (p *Pace) Begin(n int) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.source += n
	if p.set == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		p.started = int64(m.Sys - m.HeapReleased)
		p.limit, p.percent = debug.SetMemoryLimit(math.MaxInt64), debug.SetGCPercent(-1)
	}
	if want := max(room, int64(p.PerByte)*int64(p.source)); want > p.set {
		p.set = want
		debug.SetMemoryLimit(min(p.started+want, p.limit))
	}
}

// End takes back what Begin said.
func (p *Pace) End(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.source -= n
}

// Restore gives the collector the pace it had before.
func (p *Pace) Restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.set != 0 {
		p.set = 0
		debug.SetGCPercent(p.percent)
		debug.SetMemoryLimit(p.limit)
	}
}
