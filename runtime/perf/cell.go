//go:build !markgen_off

package perf

import (
	"math/bits"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A cell is a BlockCell in memory, with the fields that package layout describes. It belongs to one
// processor: only code pinned to that processor writes it.
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
	least  uint64 // lower bound of the latest bucket: 2^k for bucket k; 0 if there is none yet
	latest bucketRef
	groups [layout.NumBuckets / layout.GroupBuckets]groupRef
}

// References take 8 bytes on every platform.
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

// These fail to compile if the structs and the layout differ.
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

// An endedScope is a scope that is to be added to a cell.
type endedScope struct {
	timed bool   // if false, it has no duration, and the fields about it are 0
	how   uint8  // ended… bits
	ns    uint64 // ns, less the cost of markers
	self  uint64 // ns
	ticks uint64 // uncorrected duration
	at    uint64 // tick of its end; for an untimed one, any tick within it
	slot  *slot  // of the goroutine; nil if its scopes are not followed
	node  uint32 // of its path; 0 if unknown
}

// Bits of endedScope.how.
const (
	endedFirst  = 1 << iota // it belongs to the marker's first call, which is kept apart: firstBit
	endedNested             // it is inside another scope of the same marker: nestedBit
	endedShut               // its marker was shut meanwhile: shutBit
	endedNoSelf             // its children are unknown
	endedLate               // its run had ended, and it is in no cell
	endedApart              // it is on no path: it is recorded by caller, or is that of a stopwatch
)

// bucketOf returns the number of the bucket of ns.
func bucketOf(ns uint64) uint64 { return uint64(bits.Len64(ns|1)-1) % layout.NumBuckets }

// at reports whether ns is in the latest bucket, as it mostly is. The branch on the result is
// predicted. An address computed from the duration would have to wait for the clock, and the next
// RDTSC for the store to that address: 8 to 10 ns of a scope's 26 to 28. A misprediction costs as
// much (docs/explanation/performance.md). Numbers in bucket k differ from 2^k only in lower bits.
//
//go:norace
func (c *cell) at(ns uint64) bool { return (ns|1)^c.least < c.least }

// switchBucketAt is switchBucket at tick t, but returns nil if the cost of scopes has to be
// measured again by then.
//
//go:norace
//go:noinline
func (c *cell) switchBucketAt(ns, t uint64) *bucket {
	if int64(t-measureAt) >= 0 {
		return nil
	}
	return c.switchBucket(ns)
}

// switchBucket makes the bucket of ns the latest and returns it, or nil if its group does not exist
// yet.
//
//go:norace
//go:nocheckptr
//go:noinline
func (c *cell) switchBucket(ns uint64) *bucket {
	k := bucketOf(ns)
	g := c.groups[k/layout.GroupBuckets].p
	if g == nil {
		return nil
	}
	b := &g.buckets[k%layout.GroupBuckets]
	c.least, c.latest.p = 1<<k, b
	return b
}

// add counts a scope. It is called before note: a process killed in between loses only what note
// would have added.
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

// note adds the other values of a scope that add has counted.
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

// noteHow adds the values that follow from the bits of how.
//
//go:norace
func (c *cell) noteHow(ns uint64, how uint8) {
	if how&endedNested != 0 {
		c.nested += ns
	}
	if how&endedNoSelf != 0 {
		c.noself++
	}
}

// record adds an ended scope to the cell. It returns false if the group of its bucket does not
// exist yet.
//
//go:norace
func (c *cell) record(p *endedScope) bool {
	if !p.timed {
		c.passes++
		return true
	}
	b := c.latest.p
	if !c.at(p.ns) {
		b = c.switchBucket(p.ns)
	}
	if b == nil {
		return false
	}
	b.add(p.ns)
	c.note(p.ns, p.self, p.ticks, p.at)
	c.noteHow(p.ns, p.how)
	return true
}
