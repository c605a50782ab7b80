//go:build !markgen_off

package perf

import (
	"math/bits"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/layout"
)

// A sampler opens windows at random times, and adds up what they show (batch.go).
type sampler struct {
	open   bool
	next   uint64        // when to open a window, or to look after the one that is open, monotonic ns
	rate   uint64        // 1:rate, as of the latest window; 0: none has been opened
	drawn  uint64        // and as of when the next one was planned
	width  uint64        // of the latest window, ticks, less what of it is in the batch already
	since  uint64        // as of when it is not, ticks of profiling
	random random.Source // 0: it has not begun
	looked uint64        // when the processor time was looked at last, monotonic ns
	used   uint64        // and how much the process had used by then, ns
	waits  uint64        // and how often its threads had waited
	busy   uint64        // how many processors it has kept busy since the time before, times 256; 0: not known
	idles  bool          // whether nothing of it runs at times

	windowBatch
	counters counterLook
}

const (
	// Windows last so long, ns, that one every windowCycle makes 1/N of the time, or one every
	// idlingCycle if the program idles, but not less than shortestWindow: the first passages in
	// a window, of what is in no cache, take some µs.
	windowCycle    = 10_000_000
	idlingCycle    = 50_000_000
	shortestWindow = 200_000

	// If every passage is asked for one window stays open, and counts as one so often, ns.
	wholeWindow = 80_000_000

	// The sampler goes to sleep, and gives a processor back to the program, between opening
	// the gates and the window's beginning, ns.
	windowLead = 20_000

	// A program idles if it uses less than idlesBelow 256ths of a processor, or its threads
	// wait more than once in idlesEach, ns. Then wakeUp goes by between opening the gates and the
	// window's beginning, and up to idlingLead, at random, ns.
	idlesBelow = 230
	idlesEach  = 1_000_000
	wakeUp     = 1_000_000
	idlingLead = 4_000_000

	// The window is looked after so long after its end at most, ns: before that the first
	// passage ends it.
	longestLate = 1_000_000
)

// theSampler is that of the run.
var theSampler sampler

// due opens a window or looks after the one that is open, and looks through the counters, if it
// is time to, and says when it should be asked again, on the monotonic clock.
//
//go:norace
func (s *sampler) due() uint64 {
	wasOpen := s.open
	next := s.windowDue(uint64(nanotime()))
	if s.open && !wasOpen { // what can wait would take the processor from the program
		return next
	}
	lock()
	settleGates(true)
	look := s.counters.due()
	unlock()
	return min(next, look)
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
	case !s.open && s.drawn != rate(): // somebody has changed it
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
		if n := rate(); n != s.rate { // somebody outside has changed it
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

// rate is the N of which one passage in N is to be recorded. Somebody outside may change it.
func rate() uint64 { return max(atomic.LoadUint64(headerWord(layout.OffSampleN)), 1) }

// windowNS is how long windows are, ns, if one passage in n is to be recorded.
func (s *sampler) windowNS(n uint64) uint64 {
	switch {
	case n <= 1:
		return wholeWindow
	case s.idles:
		return max(idlingCycle/n, shortestWindow)
	}
	return max(windowCycle/n, shortestWindow)
}

// plan has the next window open a random time after t.
//
//go:norace
func (s *sampler) plan(t uint64) {
	used, waits := platform.Used()
	if took := t - s.looked; took != 0 {
		if s.looked != 0 && used != 0 {
			s.busy = (used-s.used)<<8/took | 1
		}
		s.idles = s.busy < idlesBelow || waits-s.waits > took/idlesEach
	}
	s.looked, s.used, s.waits = t, used, waits
	s.drawn = rate()
	hi, lo := bits.Mul64(s.windowNS(s.drawn)*(s.drawn-1), random.Exponential(s.random.Next()))
	s.next = t + max(hi<<32|lo>>32, 1)
}

// lead is how long after t, when the sampler is called, a window begins, ns. What the program does
// when the sampler is called may have to do with that. If it idles it was woken up with the
// sampler, and did at once what it would have done in the next millisecond: Go looks for timers so
// much late, and whenever one wakes it (netpoll in runtime/netpoll_epoll.go). If it is busy
// the sampler was called late, when a goroutine waited or had had its turn, and others are about to
// have theirs. So a part of the time is random; the marked code that runs meanwhile is not recorded.
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

// conclude takes in what windows have shown until the end of a run, the one that is open
// included. The caller holds the lock.
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
