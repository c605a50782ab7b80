//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/internal/cct"
	"github.com/markgen/markgen/runtime/internal/cell"
	"github.com/markgen/markgen/runtime/internal/directory"
	"github.com/markgen/markgen/runtime/layout"
)

// With the key paths each scope is also recorded at the node of its path, the chain of scopes that
// are open on the goroutine, in a calling context tree (package cct). Nodes are kept beside the
// stack. That of a scope is found when the scope or one inside it ends, so that the beginning of a
// scope costs nothing; if the previous scope at its position had the same marker and parent, without
// a search.

// paths is the tree of the run; nil if it records no paths.
var paths *cct.Tree

// pathTimes says that times are recorded in buckets, too.
var pathTimes bool

// pathNodes has the node of the scope at each position of a stack, from 1, and at 0 the node inside
// which the goroutine was started. Above stack.found are nodes of earlier scopes.
type pathNodes [1 << 26]pathNode

// A pathNode is the node of a scope, and what it was found by; marker is 0 if the scope is labelled.
type pathNode struct{ node, parent, marker, _ uint32 }

// openPaths begins to record paths. It returns false if there is no memory.
//
//go:norace
func openPaths() bool {
	lock()
	defer unlock()
	t := (*cct.Tree)(arena.New(unsafe.Sizeof(cct.Tree{})))
	if t == nil || !t.Open(uint32(conf.Paths), conf.Unfolded, scratchIndex, arena.New) {
		return false
	}
	pathTimes = conf.Buckets
	setHeader(layout.OffFlags, atomic.LoadUint64(headerWord(layout.OffFlags))|layout.FlagPaths)
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&paths)), unsafe.Pointer(t))
	hot.hooks |= hookPaths
	followStarts()
	return true
}

// followPaths gives the stack s, which replaces old, room for the nodes of its scopes.
//
//go:norace
//go:nocheckptr
func followPaths(s, old *stack) {
	if paths == nil {
		return
	}
	s.nodes.P = (*pathNodes)(arena.New(unsafe.Sizeof(pathNode{}) * uintptr(s.room+1)))
	switch {
	case s.nodes.P == nil:
	case old.nodes.P == nil:
		s.nodes.P[0].node = startedAt()
	default:
		copy(s.nodes.P[:old.room+1], old.nodes.P[:old.room+1])
		s.found = old.found
	}
}

// update makes e the node of a scope at position pos of a stack, unless it is that already.
//
//go:norace
func (e *pathNode) update(parent, index, pos uint32) {
	if e.parent == parent && e.marker == index && e.node != cct.None {
		return
	}
	e.node, e.parent, e.marker = cct.None, parent, index
	if t := paths; t != nil && parent != cct.None {
		label := startLabel(parent, pos)
		if e.node = t.Child(parent, index, label); e.node == cct.None {
			e.node = addPath(t, parent, index, label)
		}
	}
}

// startLabel returns the label of a node for scopes at a position of a stack.
func startLabel(parent, pos uint32) uint32 {
	if pos == 1 && parent != cct.Root {
		return cct.Starts
	}
	return 0
}

// addPath adds the node of a scope of the marker of that index inside one of node parent. It returns
// None if there is no memory.
//
//go:norace
//go:noinline
func addPath(t *cct.Tree, parent, index, label uint32) (k uint32) {
	if index < firstIndex {
		return cct.None
	}
	from := now()
	lock()
	if !noRun() && t == paths {
		k = t.Add(&space, parent, index, label)
	}
	unlock()
	discount(from)
	return k
}

// node returns the node of the scope at position pos on the stack, and finds those of the scopes
// around it.
//
//go:norace
func (s *stack) node(pos uint32) uint32 {
	if s.nodes.P == nil {
		return cct.None
	}
	if e := &s.nodes.P[0]; e.node == cct.None {
		e.node = startedAt()
	}
	for i := s.found + 1; i <= pos; i++ {
		s.nodes.P[i].update(s.nodes.P[i-1].node, s.at(i-1).index&^scopeBits, i)
	}
	s.found = max(s.found, pos)
	return s.nodes.P[pos].node
}

// popNode is node for a scope that is about to be popped.
//
//go:norace
func (s *stack) popNode(pos uint32) uint32 {
	k := s.node(pos)
	s.found = min(s.found, pos-1)
	return k
}

// pointPath returns the node of an execution of the marker of that index, which has no scope.
//
//go:norace
func pointPath(index uint32) uint32 {
	p := ownSlot()
	if p == nil {
		return cct.None
	}
	s := p.stack.scopes()
	parent := s.node(s.n)
	if s == &none {
		parent = startedAt()
	}
	var e pathNode
	e.update(parent, index, s.n+1)
	return e.node
}

// pathCell returns the cell of a node on processor pid, or nil if there is none yet. The caller is
// pinned.
//
//go:norace
func pathCell(pid int, node uint32) *cct.Cell {
	if uint(pid) >= layout.MaxShards {
		return nil
	}
	return shards[pid].paths.Get(node)
}

// makePath makes what is missing for the scope at its path on processor pid. It returns false if there
// is no memory. The caller holds the lock.
//
//go:norace
func makePath(pid int, p *endedScope) bool {
	pid = min(pid, layout.MaxShards)
	c := directory.Make(&shards[pid].paths, &arena, p.node, p.node+1, func() *cct.Cell {
		return cct.NewCell(&space, uint32(pid), p.node)
	})
	return c != nil && (!pathTimes || !p.timed || c.MakeTimes(&space, p.ns))
}

// exitOnPath is exit for a run with the hook hookPaths alone.
//
//go:norace
//go:noinline
func (e Entered) exitOnPath(t uint64, size int) {
	if t == 0 {
		t = now()
	}
	i, p, pos := e.index, e.slot, uint32(e.at)
	s := p.stack
	pid := procPin()
	if s.n == pos && s.at(pos-1).index == i && p.runEnded == 0 && s.found >= pos-1 && s.nodes.P != nil {
		r := s.at(pos - 1)
		d := elapsed(r.start, t)
		ns := p.duration(r, d)
		c, path := cellOf(pid, i), (*cct.Cell)(nil)
		at, parent := &s.nodes.P[pos], s.nodes.P[pos-1].node
		if at.marker == i && at.parent == parent || s.found >= pos {
			path = pathCell(pid, at.node)
		} else if t := paths; t != nil && parent != cct.None {
			at.node, at.parent, at.marker = t.Child(parent, i, startLabel(parent, pos)), parent, i
			path = pathCell(pid, at.node)
		}
		var times *cct.Bucket
		if pathTimes && path != nil {
			if times = path.Bucket(ns); times == nil {
				path = nil
			}
		}
		if c != nil && path != nil {
			b := c.Latest.P
			if !c.InLatest(ns) {
				b = c.Switch(ns)
			}
			if b != nil {
				self := p.leave(r, ns)
				s.n, s.found = pos-1, pos-1
				b.Add(ns)
				c.Note(ns, self, d, t)
				path.Add(ns, self)
				if times != nil {
					times.Add(ns)
				}
				look := b.Count&hot.look == 0
				procUnpin()
				if size > 0 {
					p.sized(i, size-1, ns)
				}
				if look {
					lookAt(i)
				}
				return
			}
		}
	}
	procUnpin()
	e.exitAt(t, size)
}

// recordIn adds an ended scope to the cell of its marker on processor pid, and to that of its path.
// It returns false if one of them, or the group of its bucket, does not exist yet. The caller is
// pinned.
//
//go:norace
func (p *endedScope) recordIn(pid int, c *cell.Cell) bool {
	if hot.hooks&hookPaths == 0 {
		return p.record(c)
	}
	path := pathCell(pid, p.node)
	if p.node != cct.None && (path == nil || pathTimes && p.timed && path.Bucket(p.ns) == nil) || !p.record(c) {
		return false
	}
	p.addTo(path)
	return true
}

// recordShared is recordIn for a processor that shares its cells with others. The caller holds the
// lock.
//
//go:norace
func (p *endedScope) recordShared(c *cell.Cell) {
	p.record(c)
	if d := shards[layout.MaxShards].paths; p.node != cct.None && d != nil {
		p.addTo(d.Get(p.node))
	}
}

// addTo adds the scope to the cell of its path; without one, it counts it as lost.
//
//go:norace
func (p *endedScope) addTo(path *cct.Cell) {
	if path != nil && pathTimes && p.timed {
		if b := path.Bucket(p.ns); b != nil {
			b.Add(p.ns)
		}
	}
	switch {
	case path == nil:
		if p.how&endedApart == 0 {
			atomic.AddUint64(headerWord(layout.OffPathsLost), 1)
		}
	case p.how&endedNested != 0:
		path.AddNested(p.ns, p.self)
	default:
		path.Add(p.ns, p.self)
	}
}

// scratchPath is the cell of calibration's scopes where there are no buckets.
var scratchPath cct.Cell

// calibratePaths makes the cell of the path of calibration's scopes on processor pid. The caller
// holds the lock.
//
//go:norace
func calibratePaths(pid int) {
	if hot.hooks&hookPaths == 0 {
		return
	}
	directory.Make(&shards[pid].paths, &arena, cct.Scratch, cct.Scratch+1, func() *cct.Cell {
		if !conf.Buckets {
			return &scratchPath
		}
		// It is pinned: nothing may be missing when its scopes end, however long they take.
		c, memory := (*cct.Cell)(arena.New(unsafe.Sizeof(cct.Cell{}))), blocks.InMemory(&arena)
		for ns := uint64(1 << 63); c != nil && ns > 0; ns /= 2 {
			if !c.MakeTimes(&memory, ns) {
				c = nil
			}
		}
		if c == nil {
			pathTimes = false
			return &scratchPath
		}
		return c
	})
}

// Labels reports whether Label would label the scope: it is open, and paths are recorded.
func (s *Scope) Labels() bool { return s != nil && s.open.index != 0 && hot.hooks&hookPaths != 0 }

// Label splits the path of the goroutine's innermost open scope by a value, such as the route of a
// request, with the key paths in MARKGEN. It should be called before scopes are opened inside. The
// first value counts, and that of the outermost scope of a marker inside itself. A marker has up to
// 1000 values; further ones are one, "other". Label reports whether the scope has the label.
//
//go:norace
//go:noinline
func Label(value string) bool {
	if hot.hooks&hookPaths == 0 || value == "" {
		return false
	}
	p, t := ownSlot(), paths
	if p == nil || t == nil || p.reads() || p.frozen() {
		return false
	}
	s := p.stack
	n := s.n
	if n == 0 || s.node(n) == cct.None {
		return false
	}
	e, parent := &s.nodes.P[n], s.nodes.P[n-1].node
	if e.marker == 0 || !t.IsChild(e.node, parent) {
		return false
	}
	label := t.Label(e.marker, value)
	if label == 0 {
		from := now()
		lock()
		if !noRun() && t == paths {
			label = t.AddLabel(&space, e.marker, value)
		}
		unlock()
		p.discount(from)
		if label == 0 {
			return false
		}
	}
	if label == cct.Other {
		atomic.AddUint64(headerWord(layout.OffOtherLabels), 1)
	}
	label |= startLabel(parent, n)
	k := t.Child(parent, e.marker, label)
	if k == cct.None {
		k = addPath(t, parent, e.marker, label)
	}
	e.node, e.marker = k, 0 // not for the next scope at this position
	return k != cct.None
}
