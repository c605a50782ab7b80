//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/directory"
	"github.com/markgen/markgen/runtime/internal/relate"
	"github.com/markgen/markgen/runtime/layout"
)

// With the key callers every edge (package relate) has cells of its own, in addition to the
// marker's. With adapt only those edges do whose durations differ significantly from the marker's
// under its other callers.

var (
	edges      *relate.Edges // nil if no run has used any, or there is no memory
	edgeMarker Marker        // used where an edge's index needs a marker
)

// caller returns the index of the marker whose scope encloses the one at position pos on the stack;
// 0 if there is none.
//
//go:norace
func (p *slot) caller(pos uint32) uint32 {
	if pos <= 1 {
		return 0
	}
	return p.stack.at(pos-2).index &^ scopeBits
}

// edge records a scope of the marker of that index, at position pos on the stack, under its caller.
//
//go:norace
//go:noinline
func (p *slot) edge(index, pos uint32, done *endedScope) {
	caller := p.caller(pos)
	e := edges.Find(caller, index)
	if e == nil {
		return
	}
	i := atomic.LoadUint32(&e.Index)
	if i == 0 {
		if !conf.Callers && !edges.Observe(e, done.ns) {
			return
		}
		if index == scratchIndex {
			i = scratchEdgeIndex
		} else if i = openEdge(e, caller, index); i == 0 {
			return
		}
	}
	apart := *done
	apart.node, apart.how = 0, done.how|endedApart
	recordSlow(i, &apart)
}

// edgeIndex returns the index under which the innermost scope, of the marker of that index, is
// recorded for its caller; 0 if there is none.
//
//go:norace
func (p *slot) edgeIndex(index uint32) uint32 {
	if index < firstIndex || edges == nil {
		return 0
	}
	e := edges.Find(p.caller(p.stack.n), index)
	if e == nil {
		return 0
	}
	return atomic.LoadUint32(&e.Index)
}

// openEdge makes cells for the edge and returns their index; 0 if there is no room, or no run.
//
//go:norace
//go:nocheckptr
func openEdge(e *relate.Edge, caller, index uint32) uint32 {
	lock()
	defer unlock()
	if e.Index != 0 {
		return e.Index
	}
	if noRun() || nextIndex() >= maxIndex {
		return 0
	}
	b := space.New(layout.BlockEdge, 0, layout.BlockAlign)
	if b == nil {
		return 0
	}
	i := newIndex(use{marker: &edgeMarker, first: now(), call: firstCall{nsPlus1: notFirst}})
	*(*uint64)(unsafe.Add(b, layout.OffEdgeIndex)) = uint64(i - firstIndex)
	*(*uint64)(unsafe.Add(b, layout.OffEdgeCaller)) = layout.NoMarker
	if caller >= firstIndex {
		*(*uint64)(unsafe.Add(b, layout.OffEdgeCaller)) = uint64(caller - firstIndex)
	}
	*(*uint64)(unsafe.Add(b, layout.OffEdgeMarker)) = uint64(index - firstIndex)
	space.Publish(b)
	atomic.StoreUint32(&e.Index, i)
	return i
}

// With the key pairs the run records which two markers had open scopes on one goroutine's stack at
// once: they can't be timed in one run without the cost of one's marker being part of the other's
// time (US 9,027,000).
//
// A pair is a bit in the row of the marker with the larger index; a marker that was open inside
// itself makes a pair with itself. Most scopes find their bits set.

// pairRows has the rows of all markers.
var pairRows *directory.Of[relate.Row]

// pairs records the pairs of the innermost scope with the scopes around it. A scope inside another
// of its marker only adds the pair with itself: the scopes between the two were paired with the
// marker when they began.
//
//go:norace
//go:noinline
func (p *slot) pairs(index uint32) {
	if index < firstIndex {
		return // calibration
	}
	s := p.stack
	if s.at(s.n-1).index&nestedBit != 0 {
		pair(index, index)
		return
	}
	for pos := s.skip(s.n - 1); pos > 0; pos = s.skip(pos - 1) {
		pair(index, s.at(pos-1).index&^scopeBits)
	}
}

// pair records that scopes of two markers are open on one stack.
//
//go:norace
func pair(a, b uint32) {
	if a < b {
		a, b = b, a
	}
	if b < firstIndex {
		return
	}
	r := directory.Load(&pairRows, a)
	if r == nil {
		if r = makeRow(a); r == nil {
			losePairs()
			return
		}
	}
	r.Add(uint64(b - firstIndex))
}

// makeRow returns the row of the marker of that index, which it makes if there is none. It returns nil
// if there is no memory, or no run.
//
//go:norace
func makeRow(i uint32) *relate.Row {
	lock()
	defer unlock()
	if noRun() {
		return nil
	}
	return directory.Make(&pairRows, &arena, i, nextIndex(), func() *relate.Row {
		marker := uint64(i - firstIndex)
		r := (*relate.Row)(space.New(layout.BlockPairs, 0, relate.RowSize(marker)))
		if r != nil {
			r.Begin(marker)
			space.Publish(unsafe.Pointer(r))
		}
		return r
	})
}

// losePairs counts a scope whose pairs are unknown.
func losePairs() {
	if header != nil {
		atomic.AddUint64(headerWord(layout.OffPairsLost), 1)
	}
}
