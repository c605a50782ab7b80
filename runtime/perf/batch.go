//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/sample"
	"github.com/markgen/markgen/runtime/layout"
)

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
//go:nocheckptr
func (r *sampledMarker) add(rate, longer float64) {
	now := totals{}
	for shard := range usedShards {
		if c := cellIn(shard, r.index); c != nil {
			now.mark += c.Last + c.Passes
		}
	}
	if now.mark == r.before.mark {
		return
	}
	for shard := range usedShards {
		if c := cellIn(shard, r.index); c != nil {
			n, sum := c.Timed()
			now.n += c.Passes + n
			now.ns += sum
		}
	}
	n, ns := float64(now.n-r.before.n), float64(now.ns-r.before.ns)
	r.before = now
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
