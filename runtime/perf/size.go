//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/internal/directory"
	"github.com/markgen/markgen/runtime/internal/overhead"
	"github.com/markgen/markgen/runtime/internal/sizes"
	"github.com/markgen/markgen/runtime/layout"
)

// A marker with size= records the input size of each scope, in a BlockSizes for each processor.

// sizeCost is the cost of recordSize, ticks<<costBits; 0 if not measured yet.
var (
	sizeCost     uint64
	scratchSizes sizes.Block
)

// Size sets the scope's input size, the value of a size= expression. A negative size is ignored.
func (s *Scope) Size(n int) {
	if s != nil && s.open.index != 0 {
		s.size = n + 1
	}
}

// sized records the input size n of a scope that took ns, and subtracts the time for that from the
// enclosing scopes, if the goroutine has a slot.
//
//go:norace
//go:noinline
func (p *slot) sized(i uint32, n int, ns uint64) {
	if from := recordSize(i, uint64(n), ns); from != 0 {
		p.discount(from)
	}
	if p != nil {
		p.over += sizeCost
	}
}

// recordSize records that a scope of the marker of that index had an input of size n, and took ns.
// If it has to make room, it returns the tick at which it began to.
//
//go:norace
func recordSize(i uint32, n, ns uint64) (from uint64) {
	for {
		pid := procPin()
		if uint(pid) < layout.MaxShards {
			if b := shards[pid].sizes.Get(i); b != nil {
				b.Add(n, ns)
				procUnpin()
				return from
			}
		}
		procUnpin()
		if from == 0 {
			from = now()
		}
		if prepareSize(pid, i, n, ns) {
			return from
		}
	}
}

// prepareSize makes a block for the marker on a processor. It returns true if nothing is left to
// do: the size was recorded, on a processor that shares its blocks, or there is no memory or no
// run.
//
//go:norace
func prepareSize(pid int, i uint32, n, ns uint64) (done bool) {
	lock()
	defer unlock()
	if noRun() || i < firstIndex || i >= nextIndex() || pid < 0 {
		return true
	}
	if sizeCost == 0 {
		measureSize()
	}
	shard := min(pid, layout.MaxShards)
	usedShards = max(usedShards, shard+1)
	b := directory.Make(&shards[shard].sizes, &arena, i, nextIndex(), func() *sizes.Block {
		return sizes.New(&space, uint32(shard), uint64(i-firstIndex))
	})
	if b == nil {
		return true
	}
	if pid >= layout.MaxShards {
		b.Add(n, ns)
		return true
	}
	return false
}

// measureSize measures the cost of recording a size.
//
//go:norace
func measureSize() {
	from := now()
	for range overhead.Batch {
		procPin()
		scratchSizes.Add(uint64(sizeCost), from)
		procUnpin()
	}
	sizeCost = max((now()-from)<<costBits/overhead.Batch, 1)
}
