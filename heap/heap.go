// Package heap tunes the garbage collector for processing source text. Syntax trees are many times
// the size of the source, and are garbage when the next package begins.
//
// By default the collector starts at a heap of 4 MB, which a package of average size fills several
// times. With this package it starts at a heap size proportional to the maximum amount of source
// processed at a time.
package heap

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// Values of Pace.PerByte for marking.
const (
	Overlay = 17 // text edits: 9 to 13 bytes are live per byte of source
	InPlace = 40 // texts before and after, and syntax trees of both: 23 bytes are live per byte of a large package
)

// room is the minimum heap size at which the collector starts, in bytes.
const room = 21 << 20

// A Pace tunes the collector while source is being processed. Its methods may be called
// concurrently. The zero value is ready to use. If the variable GOGC or GOMEMLIMIT is set, it does
// nothing.
type Pace struct {
	// PerByte is the allowed heap size in bytes per byte of source: the live bytes, plus at least a
	// third of that, which is allocated between two collections.
	PerByte int

	mu      sync.Mutex
	source  int   // bytes being processed
	started int64 // memory of the process at the first Begin, in bytes; 0 if there was none
	set     int64 // allowed heap size in bytes; 0 if the collector is not tuned
	percent int   // previous value, see debug.SetGCPercent
	limit   int64 // previous value, see debug.SetMemoryLimit
}

// Begin adds n bytes of source being processed.
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

// End subtracts n bytes that Begin added.
func (p *Pace) End(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.source -= n
}

// Restore restores the previous settings of the collector.
func (p *Pace) Restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.set != 0 {
		p.set = 0
		debug.SetGCPercent(p.percent)
		debug.SetMemoryLimit(p.limit)
	}
}
