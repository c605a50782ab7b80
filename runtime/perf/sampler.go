//go:build !markgen_off

package perf

import (
	"math/bits"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/layout"
)

// A sampler opens windows at random times and adds up their counts (batch.go).
type sampler struct {
	open   bool
	next   uint64        // when to open a window, or to check the open one, monotonic ns
	rate   uint64        // 1:rate, as of the latest window; 0 if there was none
	drawn  uint64        // rate as of when the next window was planned
	width  uint64        // of the latest window, ticks, less the part already in the batch
	since  uint64        // ticks of profiling at which the part not yet in the batch begins
	random random.Source // 0 if not seeded yet
	looked uint64        // when CPU use was last read, monotonic ns
	used   uint64        // CPU time of the process by then, ns
	waits  uint64        // voluntary context switches of its threads by then
	busy   uint64        // processors kept busy between the last two reads, times 256; 0 if unknown
	idles  bool          // the program idles at times; false until known

	windowBatch
}

const (
	// A window of windowCycle/N ns opens every windowCycle on average, or one of idlingCycle/N
	// every idlingCycle if the program idles. A window is never shorter than shortestWindow: its
	// first scopes find nothing in the caches and take some µs longer.
	windowCycle    = 10_000_000
	idlingCycle    = 50_000_000
	shortestWindow = 200_000

	// With sample=1:1 one window stays open, and is counted as one every wholeWindow ns.
	wholeWindow = 80_000_000

	// The sampler sleeps for windowLead ns between opening the gates and the beginning of the
	// window, which gives its processor back to the program.
	windowLead = 20_000

	// A program idles if it uses less than idlesBelow/256 of a processor, or its threads wait more
	// often than once in idlesEach ns. Then the time between opening the gates and the beginning of
	// the window is wakeUp ns and a random part of idlingLead ns.
	idlesBelow = 230
	idlesEach  = 1_000_000
	wakeUp     = 1_000_000
	idlingLead = 4_000_000

	// The sampler checks the window at most longestLate ns after its end: usually the first scope
	// after the end closes the window before that.
	longestLate = 1_000_000
)

// theSampler is the sampler of the run.
var theSampler sampler

// due opens a window or checks the open one, if it is time to. It returns the monotonic time at
// which to call it again.
//
//go:norace
func (s *sampler) due() uint64 {
	wasOpen := s.open
	next := s.windowDue(uint64(nanotime()))
	if s.open && !wasOpen { // the rest can wait, and would take the processor from the program
		return next
	}
	lock()
	settleGates(true)
	unlock()
	return next
}

//go:norace
func (s *sampler) windowDue(t uint64) uint64 {
	switch {
	case s.random == 0:
		s.random = random.Source(random.Mix(conf.Seed))
		if s.random == 0 {
			s.random = random.Source((ticks() ^ t) | 1)
		}
		s.plan(t)
	case !s.open && s.drawn != rate(): // another process has changed it
		s.plan(t)
	case int64(t-s.next) < 0:
	case s.open && s.width == unending:
		lock()
		if s.open { // the run may have ended meanwhile
			s.take()
		}
		unlock()
		s.next = t + wholeWindow
		if rate() != s.rate {
			s.width = fromNS(windowLead)
			ownWindow().shorten(s.width)
			s.next = t + 2*windowLead
		}
	case s.open:
		w := ownWindow()
		if width := atomic.LoadUint64(&w.width); width != 0 {
			w.end(width)
		}
		lock()
		if s.open {
			s.open = false
			s.take()
		}
		unlock()
		measureAgain(now(), 0)
		s.plan(t)
	case State() != layout.StateProfiling:
		s.plan(t)
	default:
		if n := rate(); n != s.rate { // another process has changed it
			lock()
			s.add()
			s.rate = n
			unlock()
		}
		ns := s.windowNS(s.rate)
		lead := s.lead(t)
		s.width = fromNS(ns)
		if s.rate == 1 {
			s.width = unending
		}
		lock()
		if State() != layout.StateStopped {
			s.open = true
			ownWindow().begin(fromNS(lead), s.width)
			s.since = profiledTicks() + fromNS(lead)
		}
		unlock()
		s.next = uint64(nanotime()) + lead + ns + min(ns, longestLate)
	}
	return s.next
}

// rate returns N of sample=1:N. Another process may change it.
func rate() uint64 { return max(atomic.LoadUint64(headerWord(layout.OffSampleN)), 1) }

// windowNS returns the length of windows at 1:n, in ns.
func (s *sampler) windowNS(n uint64) uint64 {
	switch {
	case n <= 1:
		return wholeWindow
	case s.idles:
		return max(idlingCycle/n, shortestWindow)
	}
	return max(windowCycle/n, shortestWindow)
}

// plan schedules the next window at a random time after t.
//
//go:norace
func (s *sampler) plan(t uint64) {
	used, waits := platform.CPUTime()
	if took := t - s.looked; took != 0 && s.looked != 0 {
		if used != 0 {
			s.busy = (used-s.used)<<8/took | 1
		}
		s.idles = s.busy < idlesBelow || waits-s.waits > took/idlesEach
	}
	s.looked, s.used, s.waits = t, used, waits
	s.drawn = rate()
	hi, lo := bits.Mul64(s.windowNS(s.drawn)*(s.drawn-1), random.Exponential(s.random.Next()))
	s.next = t + max(hi<<32|lo>>32, 1)
}

// lead returns the time from t, when the sampler is called, to the beginning of the window, in ns.
// What the program does at t is correlated with the call. An idle program was woken together with
// the sampler, and does at once what it would have done in the next millisecond: Go runs timers up
// to a millisecond late, and whenever an event wakes it (netpoll in runtime/netpoll_epoll.go). In a
// busy program the sampler was called late, when a goroutine blocked or was preempted, and others
// are about to run. So part of the lead is random; marked code that runs during the lead is not
// recorded.
//
//go:norace
func (s *sampler) lead(t uint64) uint64 {
	least, most := uint64(windowLead), min(3*(t-s.next), s.windowNS(s.rate)*(s.rate-1)/64)
	if s.idles {
		least, most = wakeUp, idlingLead
	}
	hi, _ := bits.Mul64(most, s.random.Next())
	return least + hi
}

// conclude adds the windows until the end of a run, an open one included. The caller holds the
// lock.
//
//go:norace
func (s *sampler) conclude() {
	if s.open {
		s.open = false
		atomic.StoreUint64(&ownWindow().width, 0)
		s.take()
	}
	s.add()
}
