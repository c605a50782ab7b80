//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

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
//go:nocheckptr
func (p *slot) caller(pos uint32) uint32 {
	if pos <= 1 {
		return 0
	}
	return p.stack.at(pos-2).index &^ scopeBits
}

// edge records a scope of the marker of that index, at position pos on the stack, under its caller.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) edge(index, pos uint32, done endedScope) {
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
	done.node, done.how = 0, done.how|endedApart
	recordSlow(i, done)
}

// edgeIndex returns the index under which the innermost scope, of the marker of that index, is
// recorded for its caller; 0 if there is none.
//
//go:norace
//go:nocheckptr
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
	if noRun() || nextIndex >= maxIndex {
		return 0
	}
	b := space.New(layout.BlockEdge, 0, layout.BlockAlign)
	if b == nil {
		return 0
	}
	i := nextIndex
	nextIndex++
	numbers = append(numbers, 0)
	live = append(live, &edgeMarker)
	firsts = append(firsts, now())
	firstCalls = append(firstCalls, firstCall{nsPlus1: notFirst})
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
