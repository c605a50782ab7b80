//go:build !markgen_off

package perf

import (
	"math/bits"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/layout"
)

// add ends the batch: what the cells have gained since the one before goes into
// the sums of their markers. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func (s *sampler) add() {
	if s.count == 0 {
		return
	}
	begun := uint64(nanotime())
	if s.learned.sort == thinBatch {
		n, processors := thinPassages()
		parallel := float64(s.atOnce(processors)) / 256
		s.milestones.take(s.progress.pace, parallel, 0)
		if ticks, ok := s.warm(coldThin * s.coldTicks() * float64(s.count)); ok && !s.cut {
			s.learned.learn(passedIn{some: float32(n), ticks: float32(ticks * parallel), need: float32(s.need() * parallel)}, false)
		}
	} else {
		s.addRated()
		s.windows += s.count
		if s.windows >= max(s.choice, firstChoice) {
			s.choice = nextChoice * s.windows
			if s.learned.chooseThin(s.cold.passed) {
				s.learned.forget()
			}
		}
	}
	tickOpen, s.learned.decided = 0, s.open
	s.count, s.pending, s.planned, s.taken, s.from, s.got = 0, 0, 0, 0, 0, gotOn{}
	s.added = uint64(nanotime())
	s.cost = s.added - begun
}

// addRated adds up a batch in whose windows scopes were timed.
//
//go:norace
//go:nocheckptr
func (s *sampler) addRated() {
	var all, some, marks uint64
	markers := 0
	var active [layout.MaxShards/64 + 1]uint64
	for i := range rated {
		r := &rated[i]
		now := totals{}
		for shard := range usedShards {
			c := cellOf(shard, r.index)
			if c == nil {
				continue
			}
			now.mark += c.last + c.passes
			if int64(c.last-s.from) >= 0 {
				active[shard/64] |= 1 << (shard % 64)
			}
		}
		if now.mark == r.before.mark {
			continue
		}
		for shard := range usedShards {
			if c := cellOf(shard, r.index); c != nil {
				n, sum := c.totals()
				now.n += n
				now.s += sum
			}
		}
		n, sum := now.n-r.before.n, now.s-r.before.s
		r.before = now
		x, y := float64(n), float64(sum)
		r.gained = x
		r.n += x
		r.nn += x * x
		r.s += y
		r.ss += y * y
		r.ns += x * y
		all += n
		if n != 0 {
			markers++
		}
		if !r.closed {
			some += n
		}
		if r.milestone {
			marks += n
		}
	}
	later, laterIn := passedLater()
	after := later - s.later
	all, some = less(all, after), less(some, laterIn-s.laterIn)
	s.later, s.laterIn = later, laterIn
	if all != 0 {
		s.milestones.batches++
	}
	processors := uint64(0)
	for _, word := range active {
		processors += uint64(bits.OnesCount64(word))
	}
	s.passing += processors<<8/16 - s.passing/16
	parallel := float64(s.atOnce(processors)) / 256
	s.milestones.take(s.progress.pace, parallel, float64(after)/parallel*s.learned.cost.v)
	read := uint64(0)
	for shard := range usedShards {
		read += shards[shard].read
	}
	read, s.read = read-s.read, read
	counted := ticksGained()
	// Of several windows it is not known how many of the markers were passed in each.
	begun := min(float64(markers)*float64(s.count), float64(all))
	s.cold.saw(float64(all)/float64(s.count), begun/float64(s.count))
	costs := prices{cold: s.cold.each(scopeAlone())}
	if ticks, ok := s.warm(begun * costs.cold.v); ok && !s.cut {
		s.learned.learn(passedIn{
			some: float32(some), all: float32(all), marks: float32(marks), counts: float32(float64(counted) * float64(s.pending) / float64(max(tickOpen, 1))),
			ticks: float32(ticks*parallel - float64(read)), left: float32((ticks-float64(int64(s.taken)))*parallel - float64(read)), need: float32(s.need() * parallel),
		}, s.milestones.some)
	}
	s.learned.scopes += float64(all)
	costs.scope = s.learned.scopeCost(scopeAlone(), float64(thinCost)/(1<<costBits), s.cold.passed, s.milestones.often(), s.turned)
	if len(tickers) > 0 {
		s.learned.counter = s.learned.countingCost()
		costs.counting = s.learned.counter
	}
	costs.marked = s.learned.marked
	spent := spending{scopes: float64(all), counts: float64(counted), cold: begun, rest: float64(read)}.over(parallel)
	got := s.got.over(parallel)
	got.besides = spending{cold: begun - got.long.spent.cold - got.short.spent.cold, rest: float64(int64(s.taken))}
	if tickOpen != 0 {
		in := spent.counts * float64(min(s.pending, tickOpen)) / float64(tickOpen)
		got.besides.counts = in - got.long.spent.counts - got.short.spent.counts
		got.after = lasting{float64(less(tickOpen, s.pending)), spending{scopes: float64(after) / parallel, counts: spent.counts - in}}
		addTicks(&shown{got, float64(marks), spent.counts, lastedOf(tickOpen, s.taken), spent}, &costs)
		spent.counts, got.after = in, lasting{}
	}
	s.price(&costs, parallel)
	lasted := lastedOf(s.pending, s.taken)
	net, slower := s.tellPaces(&s.paces, &scopePaces, &shown{got, float64(marks), float64(marks), lasted, spent}, &costs)
	for i := range rated {
		if r := &rated[i]; r.gained != 0 {
			r.passed[s.progress.pace] += r.gained
			*r.slower += r.gained * slower
			r.gained = 0
		}
	}
	atomic.AddUint64(headerWord(layout.OffWindows), s.count)
	atomic.AddUint64(headerWord(layout.OffWindowTicks), lasted)
	atomic.AddUint64(headerWord(layout.OffWindowAfter), uint64(float64(after)/parallel*costs.scope.v))
	atomic.AddUint64(headerWord(layout.OffWindowNet), min(net, lasted))
	atomic.AddUint64(headerWord(layout.OffWindowRead), min(uint64(spent.rest), lasted))
	atomic.AddUint64(headerWord(layout.OffBatches), 1)
}

// need is how far the program was to get on in the windows of the batch, ticks.
func (s *sampler) need() float64 { return float64(s.count * s.progress.need) }

// atOnce is how many of so many processors that have passed something have done so at the same time, times 256: as much
// processor time as the program has taken lately, in the part of the time in which something was passed. A goroutine that
// hands its work over to one on another processor and waits for it is one at a time.
func (s *sampler) atOnce(most uint64) uint64 {
	most = max(most, 1) << 8
	if s.rests.used == 0 || s.busy == 0 {
		return most
	}
	return max(min(s.rests.used<<16/s.busy, most), 1<<8)
}

// takenInWindow takes note that what recording a sampled scope seldom takes, such as reading collectors or making a cell, has taken so
// many ticks from then on, if that was in a window.
//
//go:norace
func takenInWindow(from, ticks uint64) {
	w := ownWindow()
	width := atomic.LoadUint64(&w.width)
	if width != 0 && width != noWindow {
		width = theSampler.progress.most // it may go on, in steps of which who reads does not end each
	}
	after := from - atomic.LoadUint64(&w.from)
	if width == 0 || after > width {
		return
	}
	ticks = min(ticks, width-after)
	if pid := procPin(); pid < layout.MaxShards {
		shards[pid].read += ticks
	} else {
		atomic.AddUint64(&shards[layout.MaxShards].read, ticks)
	}
	procUnpin()
}

// totals are the passages and their ns that a cell has.
//
//go:norace
//go:nocheckptr
func (c *cell) totals() (n, sum uint64) {
	n = c.passes
	for k := range c.groups {
		if g := c.groups[k].p; g != nil {
			for b := range g.buckets {
				n += g.buckets[b].count
				sum += g.buckets[b].sum
			}
		}
	}
	return n, sum
}
