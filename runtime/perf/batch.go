//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/layout"
)

// Recording takes a part of a window, in which the program does not get on. What is left, the net
// time, is the window's length less what was recorded in it times what that costs where it is
// measured. At 1:N, n passages in a window of length t and net time u stand for N·n·t/u of the
// program's, and the window for N·t of its time. Sums of that, of its squares and of the times go into
// the file for each marker: how much windows differ says how far off an estimate may be. Windows are
// independent; the passages in one are not, for what is called once is called again.
//
// Windows are added up in batches, as many in one as it takes to make the adding up a hundredth of
// the time; mostly that is one.
type windowBatch struct {
	count   uint64 // windows
	pending uint64 // ticks that they lasted
	ticking uint64 // ticks that counters were on in them
	cost    uint64 // ns that the latest adding up took
	added   uint64 // when that was, monotonic ns
}

// leastNet is the least part of a window that is taken to be net, 1 in so many: a scope costs about as
// much as the shortest functions take so many times.
const leastNet = 64

// take takes the window into the batch, as long as the run has been profiling in it. The caller
// holds the lock.
//
//go:norace
func (s *sampler) take() {
	t := profiledTicks()
	s.count++
	s.pending += min(less(t, s.since), s.width)
	s.since = max(s.since, t) // one that is changing the state may not have added to t yet
	if tickersOn != 0 {
		tick := now()
		s.ticking += less(tick, tickersOn)
		tickersOn = tick
	}
	if uint64(nanotime())-s.added > 100*s.cost {
		s.add()
	}
}

// add ends the batch. The caller holds the lock.
//
//go:norace
func (s *sampler) add() {
	if s.count == 0 {
		return
	}
	begun := uint64(nanotime())
	longer := s.longer(recordedSince(), countedSince())
	for i := range rated {
		rated[i].add(float64(s.rate), longer)
	}
	for i := range tickers {
		tickers[i].add(float64(s.rate), longer)
	}
	addHeader(layout.OffWindows, s.count)
	addHeader(layout.OffWindowTicks, s.pending)
	addHeader(layout.OffWindowTaken, uint64(float64(s.pending)*(1-1/longer)))
	addHeader(layout.OffWindowStands, s.pending*s.rate)
	addHeader(layout.OffTickStands, s.ticking*s.rate)
	addHeader(layout.OffBatches, 1)
	s.count, s.pending, s.ticking = 0, 0, 0
	s.added = uint64(nanotime())
	s.cost = s.added - begun
}

//go:norace
func addHeader(offset uintptr, n uint64) { atomic.AddUint64(headerWord(offset), n) }

// longer is how many times as long as their net time the windows of the batch were, in which so much was recorded and
// counted. Where several processors record at once each loses a part of the time. Where every passage is asked for,
// what recording takes is the program's own.
//
//go:norace
func (s *sampler) longer(r recording, counted uint64) float64 {
	if s.rate <= 1 {
		return 1
	}
	lasted, ticking, at := float64(s.pending), float64(max(s.ticking, 1)), s.atOnce(r.processors)
	scopes := (float64(r.scopes)*float64(hot.cost[kindOpened])/(1<<costBits) + float64(r.read)) / at / lasted
	counts := float64(counted) * tickCost() / at / ticking
	return 1 / max(1-scopes-counts, 1.0/leastNet)
}

// atOnce is how many of so many processors recorded at the same time: no more than the program keeps busy. A
// goroutine that hands its work over to one on another processor and waits for it is one at a time.
func (s *sampler) atOnce(processors int) float64 {
	n := max(float64(processors), 1)
	if s.busy == 0 {
		return n
	}
	return max(min(n, float64(s.busy)/256), 1)
}

// recording is what has been recorded of sampled markers in the windows of a batch: scopes, ticks that reading collectors
// and making cells took, and on how many processors that was.
type recording struct {
	scopes, read uint64
	processors   int
}

// recordedSince is what has been recorded since it was asked last. The caller holds the lock.
//
//go:norace
func recordedSince() (r recording) {
	for k := range usedShards {
		s := &shards[k]
		if n := int32(s.recorded - s.seen); n > 0 {
			r.scopes += uint64(n)
			r.processors++
		}
		r.read += s.read - s.readSeen
		s.seen, s.readSeen = s.recorded, s.read
	}
	return r
}

// add adds up what a marker's cells have gained in windows at 1:rate, so many times as long as their net time.
//
//go:norace
//go:nocheckptr
func (r *sampledMarker) add(rate, longer float64) {
	now := totals{}
	for shard := range usedShards {
		if c := cellOf(shard, r.index); c != nil {
			now.mark += c.last + c.passes
		}
	}
	if now.mark == r.before.mark {
		return
	}
	for shard := range usedShards {
		if c := cellOf(shard, r.index); c != nil {
			n, sum := c.totals()
			now.n += n
			now.ns += sum
		}
	}
	n, ns := float64(now.n-r.before.n), float64(now.ns-r.before.ns)
	r.before = now
	r.sums.add(n, ns, rate, longer)
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

// takenInWindow takes note that what recording a sampled scope seldom takes, such as reading collectors or making a cell, has taken so
// many ticks from then on, if that was in a window.
//
//go:norace
func takenInWindow(from, ticks uint64) {
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
