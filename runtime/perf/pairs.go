//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/relate"
	"github.com/markgen/markgen/runtime/layout"
)

// With the key pairs it is recorded which two markers had open scopes on one
// goroutine's stack at once: those that can't be timed in one run without the
// time of one having the cost of the other's marker in it (US 9,027,000).
//
// A pair is a bit in the row of the marker of the larger index; a marker that was
// open inside itself makes a pair with itself. Most passages find their bits set.

// pairRows is where the rows are.
var pairRows *directory[relate.Row]

// pairs takes note of what is open around the innermost scope. A scope inside
// another of its marker adds nothing but that: what is between the two has met the
// marker when it began.
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
		for i := range a.lines {
			if l := a.at(i); l.count > 0 && l.index != index {
				pair(index, l.index)
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

// pair records that scopes of the two markers are open on one stack.
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
	r := rowOf(a)
	if r == nil {
		if r = makeRow(a); r == nil {
			losePairs()
			return
		}
	}
	r.Add(uint64(b - firstIndex))
}

// rowOf is the row of the marker of that index; nil: it is yet to be made.
//
//go:norace
//go:nocheckptr
func rowOf(i uint32) *relate.Row {
	d := (*directory[relate.Row])(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&pairRows))))
	if d == nil || uint64(i) >= d.n {
		return nil
	}
	return (*relate.Row)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&d.of[i%maxIndex]))))
}

// makeRow makes it, or finds it made; nil: there is no memory, or no run.
//
//go:norace
//go:nocheckptr
func makeRow(i uint32) *relate.Row {
	lock()
	defer unlock()
	if noRun() {
		return nil
	}
	d := extend(&pairRows, i)
	if d == nil {
		return nil
	}
	if r := d.of[i]; r != nil {
		return r
	}
	marker := uint64(i - firstIndex)
	r := (*relate.Row)(newBlock(layout.BlockPairs, 0, relate.RowSize(marker)))
	if r == nil {
		return nil
	}
	r.Begin(marker)
	publish(unsafe.Pointer(r))
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&d.of[i])), unsafe.Pointer(r))
	return r
}

// losePairs counts a scope of which it is not known with what it was open.
func losePairs() {
	if header != nil {
		atomic.AddUint64(headerWord(layout.OffPairsLost), 1)
	}
}
