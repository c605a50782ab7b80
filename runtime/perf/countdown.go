//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/cell"
	"github.com/markgen/markgen/runtime/internal/directory"
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/layout"
)

// A marker with its own sample=1:N, or every marker with countdown, counts all scopes and times one
// in N: exactly one in N per processor in the long run, at irregular distances, so that no pattern
// in the program can line up with them. This costs a call and a count per scope, and needs no
// timer.

// countsDown reports whether due alone decides about scopes of a marker whose second word is w.
// decide would give the same result in twice the time.
//
//go:norace
func countsDown(w uint32) bool {
	return w&^layout.IndexMask == layout.IndexOff|layout.IndexCounted && w&layout.IndexMask != 0 &&
		atomic.LoadUint32(&hot.mode) == modeOn && atomic.LoadUint64(headerWord(layout.OffState)) == uint64(layout.StateProfiling)
}

// due counts a scope of the marker of that index, and reports whether it is to be timed.
//
//go:norace
func due(index uint32) bool {
	for {
		pid := procPin()
		if c := cellOf(pid, index); c != nil && c.Rate != 0 {
			c.Seen++
			timed := false
			if conf.Seed != 0 {
				timed = seeded(index, c.Rate)
			} else if c.Left--; c.Left == 0 {
				timed, c.Left = true, gap(c.Rate)
			}
			procUnpin()
			return timed
		}
		procUnpin()
		if !makeRate(pid, index) {
			return true
		}
	}
}

// makeRate sets the rate in the marker's cell on a processor, and makes the cell if necessary. It
// returns false if there is no memory or no run, if the processor has no cells of its own, or if
// the caller may not wait for the lock.
//
//go:norace
func makeRate(pid int, index uint32) bool {
	if onSystemStack(getg()) {
		return false
	}
	lock()
	defer unlock()
	if noRun() {
		return false
	}
	c := makeCell(pid, index)
	if c == nil || pid >= layout.MaxShards {
		return false
	}
	if c.Rate == 0 {
		n := conf.Sample
		if t, i := findTable(live[index-firstIndex].marker); t != nil && t.rates != nil && !conf.Countdown {
			n = uint64(t.rates[i])
		}
		n = max(n, 1)
		if conf.Seed == 0 {
			c.Left = 1 + random.Mix(now()^uint64(index)<<32)%n
		} else if first := makeCell(0, index); first == nil {
			return false
		} else if first.Left == 0 {
			first.Left = uint64(live[index-firstIndex].number+1) << 40 // a range that no other marker uses
		}
		c.Rate = n // last: other goroutines may see it at once
	}
	return true
}

// gap returns the distance to the next timed scope: uniformly distributed from 1 to 2n-1, n on
// average.
//
//go:norace
func gap(n uint64) uint64 {
	return 1 + random.Mix(now())%(2*n-1)
}

// seeded reports whether a scope is timed in a run with a seed: one of every n in a row, chosen by
// the seed. Scopes on all processors are counted in the first processor's cell, so that each run
// times the same ones.
//
//go:norace
//go:nocheckptr
func seeded(index uint32, n uint64) bool {
	first := cellOf(0, index)
	if first == nil { // the cost of scopes is being measured there, or the run has ended
		if first = (*directory.Of[cell.Cell])(atomic.LoadPointer(&aside)).Get(index); first == nil {
			return false
		}
	}
	k := atomic.AddUint64(&first.Left, 1)
	return k%n == random.Mix(conf.Seed^k/n)%n
}
