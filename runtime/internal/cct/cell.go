package cct

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

// A Cell is a BlockPathCell: the figures of a node on one processor. Only code pinned to that
// processor writes it.
type Cell struct {
	kind   uint32
	shard  uint32
	bytes  uint64
	node   uint64
	count  uint64
	sum    uint64
	nested uint64
	self   uint64
	times  blocks.Ref[Buckets] // a list, the latest used first
}

// Buckets is a BlockPathBuckets: two buckets of the times of a node on one processor.
type Buckets struct {
	_     [0]func() // not comparable: == would add code
	kind  uint32
	shard uint32
	bytes uint64
	node  uint32
	first uint32
	next  blocks.Ref[Buckets]
	of    [2]Bucket
}

// A Bucket counts the scopes with similar times.
type Bucket struct{ count, sum uint64 }

// These fail to compile if the structs and the layout differ.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Cell{})-layout.PathCellSize]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.node)-layout.PathCellNode]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.count)-layout.PathCellCount]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.sum)-layout.PathCellSum]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.nested)-layout.PathCellNested]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.self)-layout.PathCellSelf]
	_ = [1]struct{}{}[unsafe.Sizeof(Buckets{})-layout.PathBucketsSize]
	_ = [1]struct{}{}[unsafe.Offsetof(Buckets{}.node)-layout.PathBucketsNode]
	_ = [1]struct{}{}[unsafe.Offsetof(Buckets{}.first)-layout.PathBucketsFirst]
	_ = [1]struct{}{}[unsafe.Offsetof(Buckets{}.next)-layout.PathBucketsNext]
	_ = [1]struct{}{}[unsafe.Offsetof(Buckets{}.of)-layout.PathBucketsCounts]
)

// NewCell makes the cell of a node on a processor, or returns nil if there is no memory. The caller
// holds the lock.
//
//go:norace
//go:nocheckptr
func NewCell(space *blocks.Space, shard, node uint32) *Cell {
	c := (*Cell)(space.New(layout.BlockPathCell, shard, unsafe.Sizeof(Cell{})))
	if c != nil {
		c.node = uint64(node)
		space.Publish(unsafe.Pointer(c))
	}
	return c
}

// MakeTimes makes the buckets for scopes that take ns, unless they exist. It returns false if there is
// no memory. The caller holds the lock. The cell's processor may be in search meanwhile; then buckets
// may drop out of the list, and are made once more when they are needed: readers of the file add up
// both.
//
//go:norace
//go:nocheckptr
func (c *Cell) MakeTimes(space *blocks.Space, ns uint64) bool {
	first := place(ns) &^ 1
	for t := c.times.P; t != nil; t = t.next.P {
		if t.first == first {
			return true
		}
	}
	t := (*Buckets)(space.New(layout.BlockPathBuckets, c.shard, unsafe.Sizeof(Buckets{})))
	if t == nil {
		return false
	}
	t.node, t.first, t.next = uint32(c.node), first, c.times
	space.Publish(unsafe.Pointer(t))
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&c.times.P)), unsafe.Pointer(t))
	return true
}

// place returns 1 + the number of the bucket of ns: without its lowest bit it is Buckets.first.
func place(ns uint64) uint32 { return uint32(bits.Len64(ns | 1)) }

// Bucket returns the bucket for scopes that take ns, or nil if there is none yet. Only the cell's
// processor may call it.
//
//go:norace
func (c *Cell) Bucket(ns uint64) *Bucket {
	k := place(ns)
	if t := c.times.P; t != nil && t.first == k&^1 {
		return &t.of[k&1]
	}
	return c.search(k)
}

// search looks for the bucket of place k behind the first pair, and makes its pair the first.
//
//go:norace
//go:noinline
func (c *Cell) search(k uint32) *Bucket {
	for t := c.times.P; t != nil; t = t.next.P {
		if next := t.next.P; next != nil && next.first == k&^1 {
			t.next, next.next, c.times = next.next, c.times, t.next
			return &next.of[k&1]
		}
	}
	return nil
}

// Add adds a scope that took ns.
//
//go:norace
func (b *Bucket) Add(ns uint64) {
	b.count++
	b.sum += ns
}

// Add adds a scope that took ns, and self without those inside; 0 if it was not timed.
//
//go:norace
func (c *Cell) Add(ns, self uint64) {
	c.count++
	c.sum += ns
	c.self += self
}

// AddNested is Add for a scope inside another of its marker on the goroutine.
//
//go:norace
func (c *Cell) AddNested(ns, self uint64) {
	c.Add(ns, self)
	c.nested += ns
}
