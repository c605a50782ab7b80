//go:build !markgen_off

package perf

import (
	"math/bits"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A cell is a BlockCell in memory, field for field what package layout says. It
// belongs to one processor: only who is pinned there writes it.
type cell struct {
	kind   uint32
	shard  uint32
	bytes  uint64
	marker uint64
	passes uint64
	self   uint64
	ticks  uint64
	min    uint64
	max    uint64
	last   uint64
	nested uint64
	noself uint64
	seen   uint64
	left   uint64
	rate   uint64
	least  uint64 // where the latest bucket begins: 2^k of number k; 0: there is none yet
	latest bucketRef
	groups [layout.NumBuckets / layout.GroupBuckets]groupRef
}

// Addresses take 8 bytes on every platform.
type (
	groupRef struct {
		_ [8 - unsafe.Sizeof(uintptr(0))]byte
		p *group
	}
	bucketRef struct {
		_ [8 - unsafe.Sizeof(uintptr(0))]byte
		p *bucket
	}
)

// A group is a BlockBuckets.
type group struct {
	kind    uint32
	shard   uint32
	bytes   uint64
	marker  uint64
	first   uint64
	_       [4]uint64
	buckets [layout.GroupBuckets]bucket
}

type bucket struct{ count, sum, sqLo, sqHi uint64 }

// The structs and the layout agree, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(cell{})-layout.CellSize]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.marker)-layout.CellMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.passes)-layout.CellPasses]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.self)-layout.CellSelf]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.last)-layout.CellLast]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.nested)-layout.CellNested]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.noself)-layout.CellNoSelf]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.seen)-layout.CellSeen]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.rate)-layout.CellRate]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.least)-layout.CellLatest]
	_ = [1]struct{}{}[unsafe.Offsetof(cell{}.groups)-layout.CellGroups]
	_ = [1]struct{}{}[unsafe.Sizeof(bucket{})-layout.BucketSize]
	_ = [1]struct{}{}[unsafe.Sizeof(group{})-layout.BucketsSize]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.marker)-layout.OffBucketsMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.first)-layout.OffBucketsFirst]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.buckets)-layout.OffBucketsData]
)

// A passage is what goes into a cell.
type passage struct {
	timed bool   // else it has no duration, and what is told of that is zero
	how   uint8  // passage…
	ns    uint64 // corrected
	self  uint64
	ticks uint64 // raw
	at    uint64 // tick of its end; of one that is not timed any of it
	slot  *slot  // of the goroutine, nil: its scopes are not followed
}

// How a passage was followed.
const (
	passageFirst  = 1 << iota // what it takes is kept apart: firstBit
	passageNested             // a scope of the same marker is open around it: nestedBit
	passageShut               // its marker was shut meanwhile: shutBit
	passageNoSelf             // its children are not known
	passageLate               // it came when its run was over, and is in no cell
)

// bucketOf is the number of the bucket that ns belongs into.
func bucketOf(ns uint64) uint64 { return uint64(bits.Len64(ns|1)-1) % layout.NumBuckets }

// at says whether the bucket of ns is the latest one, as it mostly is. The branch on that is
// predicted. An address computed from the duration would have to wait for the clock, and the next
// RDTSC for the store to that address: 8 to 10 ns of a scope's 26 to 28. A wrong prediction costs
// as much (docs/performance.md). Numbers in bucket k differ from 2^k only in lower bits.
//
//go:norace
func (c *cell) at(ns uint64) bool { return (ns|1)^c.least < c.least }

// change is other, or nil if the cost of scopes is to be measured again.
//
//go:norace
//go:noinline
func (c *cell) change(ns, t uint64) *bucket {
	if int64(t-measureAt) >= 0 {
		return nil
	}
	return c.other(ns)
}

// other makes the bucket of ns the latest; nil: its group is yet to be made.
//
//go:norace
//go:nocheckptr
//go:noinline
func (c *cell) other(ns uint64) *bucket {
	k := bucketOf(ns)
	g := c.groups[k/layout.GroupBuckets].p
	if g == nil {
		return nil
	}
	b := &g.buckets[k%layout.GroupBuckets]
	c.least, c.latest.p = 1<<k, b
	return b
}

// add counts a scope. It comes before note: a process killed in between has lost
// at most the rest of this one scope's figures.
//
//go:norace
func (b *bucket) add(ns uint64) {
	b.count++
	b.sum += ns
	hi, lo := bits.Mul64(ns, ns)
	var carry uint64
	b.sqLo, carry = bits.Add64(b.sqLo, lo, 0)
	b.sqHi += hi + carry
}

// note adds the other figures of a scope that is in its bucket.
//
//go:norace
func (c *cell) note(ns, self, d, t uint64) {
	c.self += self
	c.ticks += d
	c.last = t
	if ns < c.min {
		c.min = ns
	}
	if ns > c.max {
		c.max = ns
	}
}

// noteHow adds what follows from how the scope was followed.
//
//go:norace
func (c *cell) noteHow(ns uint64, how uint8) {
	if how&passageNested != 0 {
		c.nested += ns
	}
	if how&passageNoSelf != 0 {
		c.noself++
	}
}

// record adds a passage to the cell; false: its group is yet to be made.
//
//go:norace
func (c *cell) record(p *passage) bool {
	if !p.timed {
		c.passes++
		return true
	}
	b := c.latest.p
	if !c.at(p.ns) {
		b = c.other(p.ns)
	}
	if b == nil {
		return false
	}
	b.add(p.ns)
	c.note(p.ns, p.self, p.ticks, p.at)
	c.noteHow(p.ns, p.how)
	return true
}
