//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/directory"
	"github.com/markgen/markgen/runtime/internal/relate"
	"github.com/markgen/markgen/runtime/layout"
)

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
//go:nocheckptr
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
	if a := p.active; a != nil {
		for i := range a.Lines() {
			if j := a.Line(i); j != 0 && j != index {
				pair(index, j)
			}
		}
		return
	}
	for i := range s.n - 1 {
		if j := s.at(i).index; j&nestedBit == 0 {
			pair(index, j&^scopeBits)
		}
	}
}

// pair records that scopes of two markers are open on one stack.
//
//go:norace
//go:nocheckptr
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
	return directory.Make(&pairRows, &arena, i, nextIndex, func() *relate.Row {
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
