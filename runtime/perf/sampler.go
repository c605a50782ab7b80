//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/internal/sample"
	"github.com/markgen/markgen/runtime/layout"
)

// A sampler opens windows at random times and adds up their counts.
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
	settleGates()
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

// Windows are added up (package sample) in batches, with as many windows in one as it takes for
// adding up to use at most 1 % of the time; mostly that is one window.
type windowBatch struct {
	count   uint64 // number of windows
	pending uint64 // their total length, ticks
	cost    uint64 // duration of the latest add, ns
	added   uint64 // when that ended, monotonic ns
}

// take adds the window to the batch, or as much of it as the run was profiling in. A window that
// has not begun when the run ends is none. The caller holds the lock.
//
//go:norace
func (s *sampler) take() {
	t := profiledTicks()
	if lasted := min(subtract(t, s.since), s.width); lasted > 0 {
		s.count++
		s.pending += lasted
	}
	s.since = max(s.since, t) // another goroutine may be changing the state and not have added to t yet
	if uint64(nanotime())-s.added > 100*s.cost {
		s.add()
	}
}

// add ends the batch and adds it to the file. The caller holds the lock.
//
//go:norace
func (s *sampler) add() {
	if s.count == 0 {
		return
	}
	begun := uint64(nanotime())
	longer := s.windows.Longer(s.rate, s.pending, float64(hot.cost[kindOpened])/(1<<costBits), recordedSince())
	for i := range rated {
		rated[i].add(float64(s.rate), longer)
	}
	addHeader(layout.OffWindows, s.count)
	addHeader(layout.OffWindowTicks, s.pending)
	addHeader(layout.OffWindowTaken, uint64(float64(s.pending)*(1-1/longer)))
	addHeader(layout.OffWindowStands, s.pending*s.rate)
	addHeader(layout.OffBatches, 1)
	s.count, s.pending = 0, 0
	s.added = uint64(nanotime())
	s.cost = s.added - begun
}

//go:norace
func addHeader(offset uintptr, n uint64) { atomic.AddUint64(headerWord(offset), n) }

// recordedSince returns what was recorded since its previous call. The caller holds the lock.
//
//go:norace
func recordedSince() (r sample.Recording) {
	for k := range usedShards {
		s := &shards[k]
		if n := int32(s.recorded - s.seen); n > 0 {
			r.Scopes += uint64(n)
			r.Processors++
		}
		r.Read += s.read - s.readSeen
		s.seen, s.readSeen = s.recorded, s.read
	}
	return r
}

// add adds the growth of a marker's cells in windows at 1:rate, whose length is longer times their
// net time.
//
//go:norace
func (r *sampledMarker) add(rate, longer float64) {
	mark := uint64(0)
	for shard := range usedShards {
		if c := cellIn(shard, r.index); c != nil {
			mark += c.Last + c.Passes
		}
	}
	if mark == r.mark {
		return
	}
	t := timesOf(r.index)
	n, ns := float64(t.N+t.Passes-r.n), float64(t.NS-r.ns)
	r.n, r.ns, r.mark = t.N+t.Passes, t.NS, mark
	r.Add(n, ns, rate, longer)
}

// addWindowCost records that rare work for a sampled scope, such as reading collectors or making a
// cell, took so many ticks from tick from on, as far as that was in a window.
//
//go:norace
func addWindowCost(from, ticks uint64) {
	w := ownWindow()
	width, after := atomic.LoadUint64(&w.width), from-atomic.LoadUint64(&w.from)
	if width == 0 || after > width {
		return
	}
	if pid := procPin(); pid < layout.MaxShards {
		shards[pid].read += min(ticks, width-after)
	}
	procUnpin()
}
