//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/relate"
	"github.com/markgen/markgen/runtime/layout"
)

// With the key callers every edge (package relate) has cells, beside those of the marker. With adapt those
// have that take another time than the marker does under its other callers, beyond chance.

var (
	edges      *relate.Edges // nil: no run has had any, or there is no memory
	edgeMarker Marker        // stands for the marker of an edge's index
)

// caller is the index of the marker whose scope is open around the one at position pos on the
// stack; 0: there is none.
//
//go:norace
//go:nocheckptr
func (p *slot) caller(pos uint32) uint32 {
	if pos <= 1 {
		return 0
	}
	return p.stack.at(pos-2).index &^ scopeBits
}

// edge records a passage through the marker of that index, whose scope is at
// position pos on the stack, under its caller.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) edge(index, pos uint32, passage passage) {
	caller := p.caller(pos)
	e := edges.Find(caller, index)
	if e == nil {
		return
	}
	i := atomic.LoadUint32(&e.Index)
	if i == 0 {
		if !conf.Callers && !edges.Observe(e, passage.ns) {
			return
		}
		if index == scratchIndex {
			i = scratchEdgeIndex
		} else if i = openEdge(e, caller, index); i == 0 {
			return
		}
	}
	recordSlow(i, passage)
}

// edgeIndex is the index under which the innermost scope, of the marker of that
// index, is recorded as one of its caller's; 0: under none.
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

// openEdge gives the edge cells of its own, and says under which index; 0: there is no
// room, or no run.
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
	b := newBlock(layout.BlockEdge, 0, layout.BlockAlign)
	if b == nil {
		return 0
	}
	i := nextIndex
	nextIndex++
	numbers = append(numbers, 0)
	live = append(live, &edgeMarker)
	firsts = append(firsts, now())
	firstPassages = append(firstPassages, firstPassage{took: notFirst})
	*(*uint64)(unsafe.Add(b, layout.OffEdgeIndex)) = uint64(i - firstIndex)
	*(*uint64)(unsafe.Add(b, layout.OffEdgeCaller)) = layout.NoMarker
	if caller >= firstIndex {
		*(*uint64)(unsafe.Add(b, layout.OffEdgeCaller)) = uint64(caller - firstIndex)
	}
	*(*uint64)(unsafe.Add(b, layout.OffEdgeMarker)) = uint64(index - firstIndex)
	publish(b)
	atomic.StoreUint32(&e.Index, i)
	return i
}
