//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// With sample=1:N a function is recorded always until one of its markers has been passed a
// thousand times (sampled.go), and from then on in short windows only, which make 1/N of the time.
// Between windows its gates, which the program's own code tests, are closed, and it runs
// unmarked, at no cost. After US 8,850,402 and Hirzel and Chilimbi, Bursty Tracing (FDDO-4,
// 2001). The time between two windows is random, with the exponential distribution: at any
// moment it is as likely that a window begins as at any other, and nothing that the program
// does at intervals can line up with the windows.
//
// All scopes that begin in a window are recorded, however long they last, and besides them only
// those in calls that began in one (wholecall.go). The clock is read for a scope anyway, so the first
// that begins after a window's end closes the gates. The sampler opens them, and closes them
// where nothing is passed.
type window struct { // words of the header, from OffWindowFrom
	from   uint64 // tick at which scopes begin to be recorded
	width  uint64 // ticks; noWindow: always; 0: no window is open
	closed uint64 // tick at which the state closed markers last
}

var _ = [1]struct{}{}[unsafe.Offsetof(window{}.closed)-(layout.OffClosed-layout.OffWindowFrom)]

const (
	noWindow = 1<<64 - 1
	unending = 1 << 60 // a window of that width ends only if it is made shorter

	// fewOwners is the number of goroutines up to which who ends a window looks for open
	// scopes, in some µs. With more the sampler does that a little later, and until then ends of
	// scopes are looked for where there is none.
	fewOwners = 64
)

// windows says whether the configuration asks for windows.
func (c *settings) windows() bool { return c.Sample > 1 && !c.Countdown }

// ownWindow is the run's window.
//
//go:nocheckptr
func ownWindow() *window { return (*window)(unsafe.Pointer(headerWord(layout.OffWindowFrom))) }

// openWindow has scopes go by the run's own window, if it collects by now.
//
//go:norace
func openWindow() bool {
	lock()
	defer unlock()
	if atomic.LoadUint32(&hot.mode) != modeOn || State() != layout.StateProfiling {
		return false
	}
	setWindow(&beforeRun, ownWindow())
	return true
}

// Windows of no run. A scope that has found its marker on may begin at any later time, so these
// decide about it.
var (
	always    = window{width: noWindow} // before there is a header
	beforeRun = window{from: 1<<64 - 1} // of a run that does not collect yet
	afterEnd  = window{from: 1<<64 - 1} // after the end of the program
)

// gates are the markers that windows open and close. Under the lock.
var gates []windowGate

type windowGate struct {
	*Marker
	ofCall bool // it is recorded with whole calls of its function, and stays open while one is open
}

// windowClosed is the tick at which the latest window ended.
var windowClosed uint64

// includes says whether a scope of the marker of index i that begins at t, outside the window as it
// seems, is recorded. The first one after the window's end ends the window.
//
//go:norace
//go:nocheckptr
//go:noinline
func (w *window) includes(i uint32, t uint64) bool {
	from, width := atomic.LoadUint64(&w.from), atomic.LoadUint64(&w.width)
	if width == noWindow || t-from <= width {
		return true // another was opened just now
	}
	if onSystemStack(getg()) {
		return false
	}
	switch w {
	case &afterEnd:
		return false
	case &beforeRun:
		ready()
		return openWindow()
	}
	if after := t - from; width != 0 && int64(after) > 0 {
		w.end(width)
	}
	if !hasRate(i) {
		sampleAt(i)
		return true
	}
	if inRecordedCall(i) {
		return true
	}
	if hot.hooks&hookTrigger != 0 {
		endsAt(i, false)
	}
	return false
}

// end ends the window of that width and closes its gates, unless somebody else does.
//
//go:norace
//go:noinline
func (w *window) end(width uint64) {
	if !atomic.CompareAndSwapUint64(&w.width, width, 0) {
		return
	}
	lock()
	defer unlock()
	if w != ownWindow() { // of an earlier run
		return
	}
	atomic.StoreUint64(&windowClosed, w.from+width)
	storeWord(&opensEarly, 0)
	setTicks(false)
	calls := callsOpen()
	for i := range gates {
		if m := gates[i].Marker; !(gates[i].ofCall && calls) && loadWord(&m.index)&layout.IndexKept == 0 {
			setBits(&m.Off, layout.OffByWindow)
		}
	}
	if len(owners) <= fewOwners {
		settleGates(false)
	}
}

// begin opens the gates for a window that begins lead ticks after all of them are open. The
// caller holds the lock.
//
//go:norace
func (w *window) begin(lead, width uint64) {
	storeWord(&opensEarly, 1)
	atomic.StoreUint64(&w.from, now()+1<<62)
	atomic.StoreUint64(&w.width, width)
	for i := range gates {
		gates[i].open()
	}
	setTicks(true)
	atomic.StoreUint64(&w.from, now()+lead)
}

// shorten has an unending window end so many ticks from now.
//
//go:norace
func (w *window) shorten(left uint64) {
	atomic.CompareAndSwapUint64(&w.width, unending, now()-atomic.LoadUint64(&w.from)+left)
}

// open opens it, if it is closed between windows.
//
//go:norace
func (g *windowGate) open() {
	switch off := loadWord(&g.Off); {
	case off&layout.OffByWindow == 0:
	case off&^(layout.OffByWindow|layout.OffSettled) == 0:
		swapWord(&g.Off, off, 0)
	default:
		clearBits(&g.Off, layout.OffByWindow)
	}
}

// opensEarly is 1 while gates are open for a window that has not begun.
var opensEarly uint32

// dueNow is Due while opensEarly is 1: whether the marker is not sampled or the window has begun.
//
//go:norace
//go:noinline
func dueNow(m *Marker) bool {
	i := loadWord(&m.index) & layout.IndexMask
	if i == 0 || !hasRate(i) {
		return true // it is recorded always
	}
	if int64(now()-atomic.LoadUint64(&ownWindow().from)) < 0 {
		return false
	}
	storeWord(&opensEarly, 0)
	return true
}

// settleGates sets OffSettled for markers that a window has closed and that have no open scopes.
// Unless it may allocate, it does nothing if more scopes are open than it has room for. The caller
// holds the lock.
//
//go:norace
//go:nocheckptr
func settleGates(mayAllocate bool) {
	if openBits == nil || !findOpen(mayAllocate) {
		return // or none has been closed yet
	}
	markOpen(true)
	for i := range gates {
		m := gates[i].Marker
		w := loadWord(&m.Off)
		if i := loadWord(&m.index) & layout.IndexMask; w&layout.OffByWindow != 0 && w&layout.OffSettled == 0 && *openBit(i)>>(i%8)&1 == 0 {
			swapWord(&m.Off, w, w|layout.OffSettled)
		}
	}
	markOpen(false)
}

// findOpen fills opens with the indexes of the markers of open scopes; false: there are too many.
// The caller holds the lock.
//
//go:norace
//go:nocheckptr
func findOpen(mayAllocate bool) bool {
	opens = opens[:0]
	for _, p := range owners {
		s := p.stack.scopes()
		for i := range min(s.n, s.room) {
			if len(opens) == cap(opens) && !mayAllocate {
				return false
			}
			index := s.at(i).index & layout.IndexMask
			if k := index - firstIndex; k < uint32(len(live)) { // it may be that of before it was sampled
				index = loadWord(&live[k].index) & layout.IndexMask
			}
			opens = append(opens, index)
		}
	}
	return true
}

// markOpen sets or clears the bits of what is in opens.
//
//go:norace
//go:nocheckptr
func markOpen(set bool) {
	for _, i := range opens {
		if set {
			*openBit(i) |= 1 << (i % 8)
		} else {
			*openBit(i) &^= 1 << (i % 8)
		}
	}
}

// openBits has a bit for each index; settleGates sets those of opens for a moment. Under the lock.
var (
	opens    = make([]uint32, 0, 256)
	openBits unsafe.Pointer
)

//go:norace
//go:nocheckptr
func openBit(i uint32) *byte { return (*byte)(unsafe.Add(openBits, uintptr(i)/8)) }
