//go:build !markgen_off

package runtime

import (
	"math/bits"
	"unsafe"
)

// A cell is a BlockCell in memory, field for field what layout.go says. It
// belongs to one processor: only who is pinned there writes it.
type cell struct {
	kind    uint32
	shard   uint32
	bytes   uint64
	marker  uint64
	passes  uint64
	_       [4]uint64
	self    uint64
	ticks   uint64
	min     uint64
	max     uint64
	last    uint64
	noself  uint64
	_       [2]uint64
	buckets [NumBuckets]bucket
}

type bucket struct{ count, sum, sqLo, sqHi uint64 }

// The struct and the layout agree, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(cell{})-CellSize]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.marker)-CellMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.passes)-CellPasses]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.self)-CellSelf]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.noself)-CellNoSelf]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.buckets)-CellBuckets]
	_ = [1]struct{}{}[unsafe.Sizeof(bucket{})-BucketSize]
)

// add records one scope. The bucket comes first: a process killed in between
// has lost at most the rest of this one scope's figures.
//
//go:norace
//go:nocheckptr
func (c *cell) add(ns, self, d, t uint64, p *slot) {
	b := &c.buckets[uint(bits.Len64(ns|1)-1)%NumBuckets]
	b.count++
	b.sum += ns
	hi, lo := bits.Mul64(ns, ns)
	var carry uint64
	b.sqLo, carry = bits.Add64(b.sqLo, lo, 0)
	b.sqHi += hi + carry
	c.self += self
	c.ticks += d
	c.last = t
	if ns < c.min {
		c.min = ns
	}
	if ns > c.max {
		c.max = ns
	}
	if p == nil {
		c.noself++
	}
}

// A passage is what goes into a cell; the fast paths pass its parts in
// registers.
type passage struct {
	timed           bool // else it has no duration and the rest is zero
	ns, self, d, at uint64
	slot            *slot
}

//go:norace
func (c *cell) record(p *passage) {
	if p.timed {
		c.add(p.ns, p.self, p.d, p.at, p.slot)
	} else {
		c.passes++
	}
}
