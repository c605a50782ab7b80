//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/internal/sample"
	"github.com/markgen/markgen/runtime/layout"
)

// A sampler opens windows at random times and adds up their counts (batch.go).
type sampler struct {
	open    bool
	next    uint64 // when to open a window, or to check the open one, monotonic ns
	rate    uint64 // 1:rate, as of the latest window; 0 if there was none
	drawn   uint64 // rate as of when the next window was planned
	width   uint64 // of the latest window, ticks, less the part already in the batch
	since   uint64 // ticks of profiling at which the part not yet in the batch begins
	windows sample.Windows
	windowBatch
}

// The sampler checks the window at most longestLate ns after its end: usually the first scope after
// the end closes the window before that.
const longestLate = 1_000_000

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
	case !s.windows.Seeded():
		s.windows.Seed(random.Mix(conf.Seed), ticks()^t)
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
		s.next = t + sample.WholeWindow
		if rate() != s.rate {
			s.width = fromNS(sample.LeastLead)
			ownWindow().shorten(s.width)
			s.next = t + 2*sample.LeastLead
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
		ns, lead := s.windows.Length(s.rate), s.windows.Lead(t, s.next, s.rate)
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

// plan schedules the next window at a random time after t.
//
//go:norace
func (s *sampler) plan(t uint64) {
	used, waits := platform.CPUTime()
	s.drawn = rate()
	s.next = s.windows.Plan(t, s.drawn, used, waits)
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
