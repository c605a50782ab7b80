// Package cct records calling context trees (Ammons, Ball and Larus, Exploiting Hardware Performance
// Counters with Flow and Context Sensitive Profiling, PLDI 1997): a node stands for a chain of
// markers whose scopes are open at the same time, and a Cell has the figures of a node on one
// processor. Nodes and cells are blocks of the data file.
//
//	k := tree.Child(parent, marker, 0)
//	if k == None {
//		lock()
//		k = tree.Add(&space, parent, marker, 0)
//		unlock()
//	}
//
// Child and Label may be called at any time by any goroutine, and neither block nor allocate.
package cct

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

// Nodes that every tree has. They are not in the data file.
const (
	None    = 0 // no node: the chain is unknown
	Root    = layout.PathRoot
	Scratch = 2 // child of Root, for a marker that is not recorded

	first = 3
)

// Starts is set in the label of a node whose scopes are the first of a goroutine, and whose parent
// is where the goroutine was started.
const Starts = 1 << 31

// other is the marker of a node for all scopes beyond the limit.
const other = 1<<32 - 1

// A Tree is a calling context tree. The zero Tree is not usable; see Open.
type Tree struct {
	nodes     *[4 * MaxLimit]node // room of them
	table     *[4 * MaxLimit]line // hash table with open addressing, mask + 1 lines: at most three quarters are used
	mask      uint32
	n         uint32 // nodes; written under the lock
	room      uint32
	limit     uint32 // number of nodes from which on only nodes of the marker other are added
	shortcuts uint32 // lines that lead to an ancestor; under the lock
	unfolded  bool
	labels    labels
}

type node struct{ parent, marker, label, depth uint32 }

// maxUnfolded is the depth from which on a marker inside itself is folded in any case, since
// reports write each path as a whole.
const maxUnfolded = 256

// A line leads from a parent, marker and label to a node: a child of the parent or, where a marker
// is inside itself, an ancestor.
type line struct{ parent, marker, label, node uint32 }

// MaxLimit is the maximum number of nodes of a tree.
const MaxLimit = config.MaxPaths

// Open makes t empty, with room for limit nodes, at most MaxLimit, and as many for scopes beyond
// it. unfolded says that a marker inside itself gets a node of its own. scratch is the marker of
// the node Scratch. memory returns zeroed memory, or nil. Open returns false if there is none.
//
//go:norace
//go:nocheckptr
func (t *Tree) Open(limit uint32, unfolded bool, scratch uint32, memory func(uintptr) unsafe.Pointer) bool {
	lines := uint32(64)
	for lines < 4*limit {
		lines *= 2
	}
	room := first + 2*limit
	t.nodes = (*[4 * MaxLimit]node)(memory(uintptr(room) * unsafe.Sizeof(node{})))
	t.table = (*[4 * MaxLimit]line)(memory(uintptr(lines) * unsafe.Sizeof(line{})))
	if t.nodes == nil || t.table == nil || !t.labels.open(memory) {
		return false
	}
	t.mask, t.room, t.limit, t.unfolded = lines-1, room, first+limit, unfolded
	t.nodes[Scratch] = node{parent: Root, marker: scratch}
	t.link(Root, scratch, 0, Scratch)
	t.n = first
	return true
}

// Child returns the node of a scope of that marker and label directly inside one of node parent, or
// None if Add has to be called.
//
//go:norace
func (t *Tree) Child(parent, marker, label uint32) uint32 {
	for i := hash(parent, marker, label); ; i++ {
		l := &t.table[i&t.mask]
		k := atomic.LoadUint32(&l.node)
		if k == None || l.parent == parent && l.marker == marker && l.label == label {
			if k == None && t.isFull() && marker != other {
				return t.beyond(parent, marker, label)
			}
			return k
		}
	}
}

// IsChild reports whether node k is a child of parent, not the node of a marker inside itself.
//
//go:norace
func (t *Tree) IsChild(k, parent uint32) bool { return t.nodes[k].parent == parent }

// hash is the start of a search in the table; the multipliers are 2^64 divided by the golden ratio
// (Knuth, The Art of Computer Programming 3, 6.4), and an arbitrary odd number.
func hash(parent, marker, label uint32) uint32 {
	h := (uint64(parent)<<32 | uint64(marker)) * 0x9e3779b97f4a7c15
	return uint32((h ^ uint64(label)*0xc2b2ae3d27d4eb4f) >> 32)
}

// isFull reports whether the limit is reached.
//
//go:norace
func (t *Tree) isFull() bool { return atomic.LoadUint32(&t.n) >= t.limit }

// beyond is Child for a scope that gets no node of its own. It returns None if there is no node for
// such scopes directly inside parent yet. Scopes inside such scopes have the same node.
//
//go:norace
func (t *Tree) beyond(parent, marker, label uint32) uint32 {
	if t.nodes[parent].marker == other {
		return parent
	}
	if k := t.around(parent, marker, label); k != None {
		return k
	}
	return t.Child(parent, other, 0)
}

// Add is Child, but adds the node. It returns None if there is no memory. The caller holds the
// lock.
//
//go:norace
//go:nocheckptr
func (t *Tree) Add(space *blocks.Space, parent, marker, label uint32) uint32 {
	if k := t.Child(parent, marker, label); k != None {
		return k
	}
	if k := t.around(parent, marker, label); k != None {
		if t.shortcuts < t.mask/4 {
			t.shortcuts++
			t.link(parent, marker, label, k)
		}
		return k
	}
	if t.isFull() {
		marker, label = other, 0
	}
	k := t.n
	if k >= t.room {
		return None
	}
	p := (*block)(space.New(layout.BlockPath, 0, unsafe.Sizeof(block{})))
	if p == nil {
		return None
	}
	p.node, p.parent, p.marker = uint64(k), uint64(parent), layout.NoMarker
	if marker != other {
		p.marker = uint64(marker - layout.StackFirst)
	}
	p.label = uint64(label &^ Starts)
	if label&Starts != 0 {
		p.flags = layout.PathStarts
	}
	space.Publish(unsafe.Pointer(p))
	t.nodes[k] = node{parent, marker, label, t.nodes[parent].depth + 1}
	t.link(parent, marker, label, k)
	atomic.StoreUint32(&t.n, k+1)
	return k
}

// around returns the node, parent or one above it, of a scope of the marker on the same goroutine;
// with Starts in label, that of the first scope of a goroutine that led to this one. It returns None
// if there is none.
//
//go:norace
//go:noinline
func (t *Tree) around(parent, marker, label uint32) uint32 {
	if t.unfolded && t.nodes[parent].depth < maxUnfolded {
		return None
	}
	for k := parent; k != Root; k = t.nodes[k].parent {
		n := &t.nodes[k]
		starts := n.label&Starts != 0
		if n.marker == marker && (starts || label&Starts == 0) {
			return k
		}
		if starts && label&Starts == 0 {
			break
		}
	}
	return None
}

// link adds a line to the table.
//
//go:norace
//go:noinline
func (t *Tree) link(parent, marker, label, k uint32) {
	i := hash(parent, marker, label)
	for t.table[i&t.mask].node != None {
		i++
	}
	l := &t.table[i&t.mask]
	l.parent, l.marker, l.label = parent, marker, label
	atomic.StoreUint32(&l.node, k)
}

// A block is a BlockPath.
type block struct {
	kind   uint32
	shard  uint32
	bytes  uint64
	node   uint64
	parent uint64
	marker uint64
	label  uint64
	flags  uint64
	_      uint64
}

// These fail to compile if the structs and the layout differ.
var (
	_ = [1]struct{}{}[unsafe.Offsetof(block{}.node)-layout.OffPathNode]
	_ = [1]struct{}{}[unsafe.Offsetof(block{}.parent)-layout.OffPathParent]
	_ = [1]struct{}{}[unsafe.Offsetof(block{}.marker)-layout.OffPathMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(block{}.label)-layout.OffPathLabel]
	_ = [1]struct{}{}[unsafe.Offsetof(block{}.flags)-layout.OffPathFlags]
)
