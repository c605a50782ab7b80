//go:build !markgen_off

package perf

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// With sample=1:N, the markers of a function are on until it has been passed a
// thousand times, and from then on in short windows only, and off for N-1 times as
// long in between, on average: the gates that the program's own code tests are
// closed then, and its functions run unmarked, at no cost. After US 8,850,402 and Hirzel
// and Chilimbi, Bursty Tracing (FDDO-4, 2001). The time between two windows is
// random, with the exponential distribution, so that at any moment it is as likely
// that a window begins as at any other, and nothing that the program does again
// and again can line up with the windows.
//
// So what is seldom passed is known exactly, and of the rest all scopes that begin
// within a window are recorded, however long they last, and no others: a mean over
// them is one over a random choice of passages. The clock is read for a scope anyway,
// so the first that begins after a window's end ends the window, and closes the gates. Who opens them need not be in time for that.
type window struct { // words of the header, from OffWindowFrom
	from   uint64 // tick at which scopes begin to be recorded
	width  uint64 // ticks; noWindow: always; unpassed: of the sampler; 0: no window is open
	closed uint64 // tick at which the state closed markers last
}

var _ = [1]struct{}{}[unsafe.Offsetof(window{}.closed)-(layout.OffClosed-layout.OffWindowFrom)]

const (
	noWindow = 1<<64 - 1

	// unpassed stands for the width of a window until something is passed in it: the
	// first passage is noted, see opening.
	unpassed = 1

	// Windows last so long, ns, that one every second or hundredth of a second
	// does: what it costs to open them, some 20 µs, should not show.
	shortestWindow = 50_000
	windowCycle    = 5_000_000

	// Where the program rests they are fewer and longer, ns, and the sampler is woken up to longestLead before.
	restingCycle = 50_000_000
	longestLead  = 5_000_000

	// Where the sampler is called later than lateSampler, ns, on average, and the program leaves less than spareProcessor of its
	// processors, times 256, windows are fewer and longer, too. One that it is called late for begins up to longestPutOff after that.
	lateSampler    = 300_000
	spareProcessor = 192
	lateCycle      = 100_000_000
	lateShortest   = 500_000
	longestPutOff  = 3_000_000

	// Where other programs take turns on the processors, the sampler has one in the program's place, and some 50 µs go by before the program passes
	// anything: windows are fewer and longer there, and begin up to turnsPutOff after the sampler was called, ns, mostly when it sleeps again.
	turnsCycle    = 20_000_000
	turnsShortest = 200_000
	turnsPutOff   = 200_000

	// Somebody outside may want every passage of a run that has windows. One follows upon
	// the other then, as long as it may be without being late when that changes, ns.
	wholeWindow = 80_000_000

	// fewOwners is the number of goroutines up to which who ends a window looks for
	// open scopes, in some µs. With more, who opened it does that a little later, and
	// until then ends of scopes are looked for where there is none.
	fewOwners = 64

	// warmUp is how long before a window begins its gates are opened, ns: marked
	// code that has not run for a while is slow at first.
	warmUp = 5_000
)

// windows says whether the configuration asks for windows.
func (c *config) windows() bool { return c.sample > 1 && !c.countdown }

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
	setWindow(&first, ownWindow())
	return true
}

// always is the window before there is a header, over the one after the end of the
// program, and first the one of a run until it collects: markers that were passed in an earlier one
// have what they need, and who found one on there may come late.
var (
	always = window{width: noWindow}
	over   = window{from: 1<<64 - 1}
	first  = window{from: 1<<64 - 1}
)

// gates are the markers that windows open and close: those of functions that are
// passed often. Under the lock.
var gates []windowGate

type windowGate struct {
	*Marker
	closed bool // in thin windows, see chooseThin
	whole  bool // it is open after windows, too, if calls of its function are that began in them

	milestone bool // it is open between windows, where its marker is passed thinly
}

// opening and closing are how long after the beginning and after the end of a window
// something was passed first, ticks. At any two moments that have nothing to do with the
// program one has to wait equally long for the next passage, on average. What opening
// takes longer is that who opens the window takes a processor from the program, if
// others have the rest of them: that time is none of the window's.
var opening, closing uint64

// windowClosed is the tick at which the latest window ended, and windowLasted how many it lasted, 0 until it has ended.
var windowClosed, windowLasted uint64

// includes says whether a scope of the marker of index i that begins at t is
// recorded, after a test has shown that it does not begin within the window. It may
// be early, while the program warms up, or be the first to be late: then it ends
// the window.
//
//go:norace
//go:nocheckptr
//go:noinline
func (w *window) includes(i uint32, t uint64) bool {
	from, width := atomic.LoadUint64(&w.from), w.widthAt(t)
	if width == noWindow || t-from <= width {
		return true // another was opened just now, or this is the first passage in it
	}
	if onThread(getg()) {
		return false
	}
	switch w {
	case &over:
		return false
	case &first:
		ready()
		return openWindow()
	}
	if w.late(t) {
		return true
	}
	if !hasRate(i) {
		oftenAt(i)
		return true
	}
	if isOfCall(i, t) {
		return true
	}
	if hot.extras&extraTrigger != 0 {
		endsAt(i, false)
	}
	return false
}

// widthAt is the width of the window for a passage at t, which may be the first in it.
//
//go:norace
func (w *window) widthAt(t uint64) uint64 {
	width := atomic.LoadUint64(&w.width)
	if from := atomic.LoadUint64(&w.from); width == unpassed && int64(t-from) >= 0 {
		width = w.passed(t - from)
	}
	return width
}

// late ends the window if it should have ended before t; or it goes on, and t is in it.
//
//go:norace
func (w *window) late(t uint64) (in bool) {
	after, width := t-atomic.LoadUint64(&w.from), atomic.LoadUint64(&w.width)
	if width == 0 || int64(after) <= 0 || after <= width || onThread(getg()) {
		return false
	}
	if w.goesOn(after, width) {
		return true
	}
	if width = atomic.LoadUint64(&w.width); width != 0 && after > width && w.end(width) {
		atomic.StoreUint64(&closing, after-width)
	}
	return false
}

// passed notes the first passage in the window, so long after its beginning, and gives
// the window's width.
//
//go:norace
func (w *window) passed(after uint64) (width uint64) {
	width = theSampler.progress.width()
	if !atomic.CompareAndSwapUint64(&w.width, unpassed, width) {
		return atomic.LoadUint64(&w.width)
	}
	atomic.StoreUint64(&opening, after)
	return width
}

// end ends the window of that width; false: that has been done. Whoever ends it
// closes the gates.
//
//go:norace
//go:noinline
func (w *window) end(width uint64) bool {
	if !atomic.CompareAndSwapUint64(&w.width, width, 0) {
		return false
	}
	if width == unpassed {
		width = theSampler.progress.need
	}
	atomic.StoreUint64(&windowClosed, w.from+width)
	atomic.StoreUint64(&windowLasted, width)
	storeWord(&opensEarly, 0)
	lock()
	if w != ownWindow() { // of an earlier run
		unlock()
		return false
	}
	theSampler.turns.end(w.from + width)
	more := w.endWhole(width)
	setThin(false)
	if atomic.LoadUint64(&w.width) == 0 {
		for i := range gates {
			switch m := gates[i].Marker; {
			case gates[i].milestone:
				gates[i].setThin(true)
			case !(gates[i].whole && more) && loadWord(&m.index)&layout.IndexKept == 0:
				setBits(&m.Off, layout.OffByWindow)
			}
		}
		if len(owners) <= fewOwners {
			settleGates(false)
		}
	}
	unlock()
	return true
}

// begin opens the gates for a window that begins at a time, monotonic ns, or as soon as may be after it, and
// gives that time.
//
//go:norace
func (w *window) begin(at uint64) uint64 {
	lock()
	defer unlock()
	if State() == layout.StateStopped {
		return at
	}
	theSampler.milestones.end()
	atomic.StoreUint64(&w.from, now()+fromNS(less(at, uint64(nanotime())))) // about: what is called until all is open goes by it
	storeWord(&opensEarly, 1)
	atomic.StoreUint64(&wholeEnds, never)
	sort := theSampler.sortNext()
	setThin(sort == thinBatch)
	for i := range gates {
		if !(gates[i].closed && thinned) {
			gates[i].open()
		}
		if gates[i].milestone && !thinned {
			gates[i].setThin(false)
		}
	}
	setTicks(sort == countedBatch)
	atomic.StoreUint64(&opening, never)
	atomic.StoreUint64(&closing, never)
	theSampler.progress.begin(sort == thinBatch, theSampler.tellsHalves(sort))
	t := uint64(nanotime())
	at = max(at, t+warmUp)
	theSampler.turns.used = 0
	atomic.StoreUint64(&w.from, now()+fromNS(at-t))
	atomic.StoreUint64(&w.width, unpassed)
	return at
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

// opensEarly is 1 from when the gates have been opened until warmUp before the window begins.
var opensEarly uint32

// dueNow is Due while gates are open for a window that is to begin.
//
//go:norace
//go:noinline
func dueNow(m *Marker) bool {
	i := loadWord(&m.index) & layout.IndexMask
	if i == 0 || !hasRate(i) {
		return true // no window is its
	}
	if int64(now()-atomic.LoadUint64(&ownWindow().from)+fromNS(warmUp)) < 0 {
		return false
	}
	storeWord(&opensEarly, 0)
	return true
}

// settleGates is settleMarkers for those that windows close. It is done later where
// so many scopes are open that it would allocate, unless it may. The caller holds
// the lock.
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

// findOpen makes opens the indexes of the markers that scopes are open of, as far as
// stacks show now.
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

// openBits has a bit for each index; those of opens are set for a moment. Under the
// lock.
var (
	opens    = make([]uint32, 0, 256)
	openBits unsafe.Pointer
)

//go:norace
//go:nocheckptr
func openBit(i uint32) *byte { return (*byte)(unsafe.Add(openBits, uintptr(i)/8)) }

// fromNS turns ns into ticks.
func fromNS(ns uint64) uint64 {
	if hot.mult == 0 {
		return ns
	}
	hi, lo := bits.Mul64(ns, 1<<32)
	if hi >= hot.mult {
		return 1<<64 - 1
	}
	ticks, _ := bits.Div64(hi, lo, hot.mult)
	return ticks
}
