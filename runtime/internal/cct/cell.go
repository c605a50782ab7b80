package cct

import (
	"unsafe"

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
	_      uint64
}

// These fail to compile if the structs and the layout differ.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Cell{})-layout.PathCellSize]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.node)-layout.PathCellNode]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.count)-layout.PathCellCount]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.sum)-layout.PathCellSum]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.nested)-layout.PathCellNested]
	_ = [1]struct{}{}[unsafe.Offsetof(Cell{}.self)-layout.PathCellSelf]
)

// NewCell makes the cell of a node on a processor, or returns nil if there is no memory. The caller
// holds the lock.
//
//go:norace
//go:nocheckptr
func NewCell(b *Blocks, shard, node uint32) *Cell {
	c := (*Cell)(b.New(layout.BlockPathCell, shard, unsafe.Sizeof(Cell{})))
	if c != nil {
		c.node = uint64(node)
		b.Publish(unsafe.Pointer(c))
	}
	return c
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
