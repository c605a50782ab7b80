// Package cell has the cells that scopes are added up in, as they are in the data file: one for each
// marker and processor, with a histogram of the durations.
//
//	c := cell.New(&space, shard, marker)
//	if b := c.Bucket(ns); b != nil || c.MakeGroup(&space, cell.BucketOf(ns)) { … }
//
// Only code pinned to a cell's processor writes it. A process may be killed between any two stores.
package cell

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

// A Cell is a BlockCell in memory, with the fields that package layout describes.
type Cell struct {
	_      [0]func() // not comparable: == would add code
	kind   uint32
	Shard  uint32
	bytes  uint64
	Marker uint64
	Passes uint64
	Self   uint64
	Ticks  uint64
	Min    uint64
	Max    uint64
	Last   uint64
	Nested uint64
	NoSelf uint64
	Seen   uint64
	Left   uint64
	Rate   uint64
	Least  uint64             // lower bound of the latest bucket: 2^k for bucket k; 0 if there is none yet
	Latest blocks.Ref[Bucket] // it is nil if Least is 0
	Groups [layout.NumBuckets / layout.GroupBuckets]blocks.Ref[Group]
}

// A Group is a BlockBuckets: GroupBuckets buckets, made when the first of them is needed.
type Group struct {
	_       [0]func() // not comparable: == would add code
	kind    uint32
	Shard   uint32
	bytes   uint64
	Marker  uint64
	First   uint64 // number of its first bucket
	_       [4]uint64
	Buckets [layout.GroupBuckets]Bucket
}

// A Bucket has the number of durations in it, their sum in ns, and the sum of their squares.
type Bucket struct{ Count, Sum, SqLo, SqHi uint64 }

// These fail to compile if the structs and the layout differ.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Cell{})-layout.CellSize]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.Marker)-layout.CellMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.Passes)-layout.CellPasses]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.Self)-layout.CellSelf]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.Last)-layout.CellLast]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.Nested)-layout.CellNested]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.NoSelf)-layout.CellNoSelf]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.Seen)-layout.CellSeen]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.Rate)-layout.CellRate]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.Least)-layout.CellLatest]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.Groups)-layout.CellGroups]
	_ = [1]struct{}{}[unsafe.Sizeof(Bucket{})-layout.BucketSize]
	_ = [1]struct{}{}[unsafe.Sizeof(Group{})-layout.BucketsSize]
	_ = [1]struct{}{}[unsafe.Offsetof(Group{}.Marker)-layout.OffBucketsMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(Group{}.First)-layout.OffBucketsFirst]
	_ = [1]struct{}{}[unsafe.Offsetof(Group{}.Buckets)-layout.OffBucketsData]
)

// New makes the cell of a marker on a processor. It returns nil if there is no memory.
//
//go:norace
func New(space *blocks.Space, shard uint32, marker uint64) *Cell {
	c := (*Cell)(space.New(layout.BlockCell, shard, layout.CellSize))
	if c == nil {
		return nil
	}
	c.Marker = marker
	c.Min = 1<<64 - 1
	space.Publish(unsafe.Pointer(c))
	return c
}

// MakeGroup makes the cell's group for bucket k, unless it exists. It returns false if there is no
// memory.
//
//go:norace
//go:nocheckptr
func (c *Cell) MakeGroup(space *blocks.Space, k uint64) bool {
	ref := &c.Groups[k/layout.GroupBuckets].P
	if *ref != nil {
		return true
	}
	g := (*Group)(space.New(layout.BlockBuckets, c.Shard, layout.BucketsSize))
	if g == nil {
		return false
	}
	g.Marker = c.Marker
	g.First = uint64(k / layout.GroupBuckets * layout.GroupBuckets)
	space.Publish(unsafe.Pointer(g))
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(ref)), unsafe.Pointer(g))
	return true
}

// BucketOf returns the number of the bucket of ns.
func BucketOf(ns uint64) uint64 { return uint64(bits.Len64(ns|1)-1) % layout.NumBuckets }

// InLatest reports whether ns is in the latest bucket, as it mostly is. The branch on the result is
// predicted. An address computed from the duration would have to wait for the clock, and the next
// RDTSC for the store to that address: 8 to 10 ns of a scope's 26 to 28. A misprediction costs as
// much (docs/explanation/performance.md). Numbers in bucket k differ from 2^k only in lower bits.
//
//go:norace
func (c *Cell) InLatest(ns uint64) bool { return (ns|1)^c.Least < c.Least }

// Switch makes the bucket of ns the latest and returns it, or nil if its group does not exist yet.
//
//go:norace
//go:noinline
func (c *Cell) Switch(ns uint64) *Bucket {
	k := BucketOf(ns)
	g := c.Groups[k/layout.GroupBuckets].P
	if g == nil {
		return nil
	}
	b := &g.Buckets[k%layout.GroupBuckets]
	c.Least, c.Latest.P = 1<<k, b
	return b
}

// Bucket returns the bucket of ns, or nil if its group does not exist yet.
//
//go:norace
func (c *Cell) Bucket(ns uint64) *Bucket {
	if c.InLatest(ns) {
		return c.Latest.P
	}
	return c.Switch(ns)
}

// Add counts a scope. It is called before Note: a process killed in between loses only what Note
// would have added.
//
//go:norace
func (b *Bucket) Add(ns uint64) {
	b.Count++
	b.Sum += ns
	hi, lo := bits.Mul64(ns, ns)
	var carry uint64
	b.SqLo, carry = bits.Add64(b.SqLo, lo, 0)
	b.SqHi += hi + carry
}

// Note adds the other values of a scope that Add has counted: its duration and self time in ns, its
// uncorrected duration in ticks, and the tick of its end.
//
//go:norace
func (c *Cell) Note(ns, self, ticks, end uint64) {
	c.Self += self
	c.Ticks += ticks
	c.Last = end
	if ns < c.Min {
		c.Min = ns
	}
	if ns > c.Max {
		c.Max = ns
	}
}

// Timed returns the number of timed scopes and the sum of their durations in ns.
//
//go:norace
//go:noinline
func (c *Cell) Timed() (n, sum uint64) {
	for k := range c.Groups {
		if g := c.Groups[k].P; g != nil {
			for i := range g.Buckets {
				n += g.Buckets[i].Count
				sum += g.Buckets[i].Sum
			}
		}
	}
	return n, sum
}
