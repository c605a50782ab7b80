//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// With sample=1:N every call of a function is recorded until one of its markers has been executed a
// thousand times (sampled.go), and from then on only calls in short windows, which make up 1/N of
// the time. Between windows the function's gates, which its own code tests, are closed, and it runs
// unmarked, at no cost. After US 8,850,402 and Hirzel and Chilimbi, Bursty Tracing (FDDO-4, 2001).
// The time between two windows is random, with the exponential distribution: a window is equally
// likely to begin at any moment, so nothing that the program does periodically can line up with the
// windows.
//
// All scopes that begin in a window are recorded, however long they last, and besides them only the
// scopes in calls that began in one (wholecall.go). A scope reads the clock anyway, so the first
// one to begin after a window's end closes the gates. The sampler opens them, and closes them if no
// scope begins.
type window struct { // words of the header, from OffWindowFrom
	from   uint64 // tick from which scopes are recorded
	width  uint64 // ticks; noWindow if scopes are always recorded; 0 if no window is open
	closed uint64 // tick at which a change of state last closed markers
}

var _ = [1]struct{}{}[unsafe.Offsetof(window{}.closed)-(layout.OffClosed-layout.OffWindowFrom)]

const (
	noWindow = 1<<64 - 1
	unending = 1 << 60 // width of a window that ends only when shortened

	// fewOwners is the number of goroutines up to which ending a window includes a search for open
	// scopes, which takes some µs. With more, the sampler searches a little later, and until then
	// gated code looks for scope ends where there are none.
	fewOwners = 64
)

// windows reports whether the configuration asks for windows.
func (c *settings) windows() bool { return c.Sample > 1 && !c.Countdown }

// ownWindow is the run's window.
//
//go:nocheckptr
func ownWindow() *window { return (*window)(unsafe.Pointer(headerWord(layout.OffWindowFrom))) }

// openWindow makes the run's own window decide about scopes, if the run is profiling. It reports
// whether it is.
//
//go:norace
func openWindow() bool {
	lock()
	defer unlock()
	if atomic.LoadUint32(&hot.mode) != modeOn || State() != layout.StateProfiling {
		return false
	}
	atomic.CompareAndSwapPointer((*unsafe.Pointer)(unsafe.Pointer(&hot.window)), unsafe.Pointer(&beforeRun), unsafe.Pointer(ownWindow()))
	return true
}

// Windows that are in force outside a run. A scope that has found its marker on may begin at any
// later time, and then one of these decides about it.
var (
	always    = window{width: noWindow} // before there is a header
	beforeRun = window{from: 1<<64 - 1} // before the run collects
	afterEnd  = window{from: 1<<64 - 1} // after the end of the program
)

// gates are the markers that windows open and close; under the lock.
var gates []windowGate

type windowGate struct {
	*Marker
	ofCall bool // it is recorded with whole calls of its function, and stays open while such a call is open
}

// windowClosed is the tick at which the latest window ended.
var windowClosed uint64

// includes reports whether a scope of marker i that begins at tick t is recorded; the caller found
// t outside the window. The first such scope after the window's end ends the window.
//
//go:norace
//go:noinline
func (w *window) includes(i uint32, t uint64) bool {
	from, width := atomic.LoadUint64(&w.from), atomic.LoadUint64(&w.width)
	if width == noWindow || t-from <= width {
		return true // another window has just been opened
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

// end ends the window of that width and closes its gates, unless another goroutine has.
//
//go:norace
//go:noinline
func (w *window) end(width uint64) {
	if !atomic.CompareAndSwapUint64(&w.width, width, 0) {
		return
	}
	lock()
	defer unlock()
	if w != ownWindow() { // it belongs to an earlier run
		return
	}
	atomic.StoreUint64(&windowClosed, w.from+width)
	shared.Store(&opensEarly, 0)
	calls := callsOpen()
	for i := range gates {
		if m := gates[i].Marker; !(gates[i].ofCall && calls) && shared.Load(&m.index)&layout.IndexKept == 0 {
			shared.SetBits(&m.Off, layout.OffByWindow)
		}
	}
	if len(owners) <= fewOwners {
		settleGates()
	}
}

// begin opens the gates, for a window that begins lead ticks after the last gate is open. The
// caller holds the lock.
//
//go:norace
func (w *window) begin(lead, width uint64) {
	shared.Store(&opensEarly, 1)
	atomic.StoreUint64(&w.from, now()+1<<62)
	atomic.StoreUint64(&w.width, width)
	for i := range gates {
		gates[i].open()
	}
	atomic.StoreUint64(&w.from, now()+lead)
}

// shorten makes an unending window end left ticks from now.
//
//go:norace
func (w *window) shorten(left uint64) {
	atomic.CompareAndSwapUint64(&w.width, unending, now()-atomic.LoadUint64(&w.from)+left)
}

// open opens the gate, if it is closed between windows.
//
//go:norace
func (g *windowGate) open() {
	switch off := shared.Load(&g.Off); {
	case off&layout.OffByWindow == 0:
	case off&^(layout.OffByWindow|layout.OffSettled) == 0:
		shared.Swap(&g.Off, off, 0)
	default:
		shared.ClearBits(&g.Off, layout.OffByWindow)
	}
}

// opensEarly is 1 while gates are open for a window that has not begun.
var opensEarly uint32
