//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// A function mostly chooses where it begins whether what is in it is recorded. A call that begins in a
// window is recorded whole: its loops and branches too, though the window has ended meanwhile. So
// they are as large a part of those that there are as calls are, wherever in the call they stand.

// mostOpen is how many scopes are looked at for that of the function. Those of a function's own loops and branches are fewer.
const mostOpen = 32

// functionOf points to a []uint32 that has, by the first index of a marker that is recorded with its function's
// calls, the first index of the function's marker.
var functionOf unsafe.Pointer

// leads says by the first index of a function's marker whether there are any that are recorded with its calls. Under the lock.
var leads []bool

// goesWith says whether the marker of place i is recorded with the calls of its function. The caller holds the lock, and has
// seen to it that gates are known.
//
//go:norace
func (t *table) goesWith(i uint32) bool {
	if !hot.self || t.gates[i] == i || loadWord(&t.gate(i).index)&layout.IndexMask == 0 || loadWord(&t.gate(i).index)&layout.IndexOffChoice != 0 {
		return false
	}
	if t.chosen == nil {
		t.chosen = make([]bool, t.markers)
		isFunction := make([]bool, t.markers)
		t.scan(func(i uint32, line string) { isFunction[i] = lite.Field(line, markerKind, markerName) == "func" })
		t.scan(func(i uint32, line string) {
			t.chosen[i] = lite.Has(lite.Field(line, markerFlags, markerName), 't') && isFunction[t.gates[i]]
		})
	}
	return t.chosen[i]
}

// followCalls has the marker of place i, which has that index, recorded with its function's calls, if it goes with them. The caller
// holds the lock.
//
//go:norace
func (t *table) followCalls(i, index uint32) {
	if !t.goesWith(i) {
		return
	}
	first := baseOf(index)
	function := baseOf(loadWord(&t.gate(i).index) & layout.IndexMask)
	for function >= uint32(len(leads)) {
		leads = append(leads, false)
	}
	leads[function] = true
	storeWord(&longEnough(&functionOf, first)[first], function)
}

// callsOpen says whether calls may be open that are recorded, and their loops and branches with
// them: where there are too many goroutines to look. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func callsOpen() bool {
	if functionOf == nil || len(owners) > fewOwners {
		return functionOf != nil
	}
	for _, p := range owners {
		s := p.stack.scopes()
		for i := range min(s.n, s.room) {
			j := s.at(i).index &^ scopeBits
			if first := baseOf(j); hasRate(j) && first < uint32(len(leads)) && leads[first] {
				return true
			}
		}
	}
	return false
}

// inRecordedCall says whether a passage of the marker of index i, outside of windows, is in a call that is recorded.
//
//go:norace
//go:nocheckptr
func inRecordedCall(i uint32) bool {
	all := (*[]uint32)(atomic.LoadPointer(&functionOf))
	first := baseOf(i)
	if all == nil || first >= uint32(len(*all)) || !hot.self {
		return false
	}
	function := loadWord(&(*all)[first])
	if function == 0 {
		return false
	}
	g := getg()
	p, key, _ := near(g)
	if p.key != key {
		if p = find(g); p == nil {
			return false
		}
	}
	s := p.stack.scopes()
	for k := uint32(0); k < min(s.n, mostOpen); k++ {
		if j := s.at(s.n-1-k).index &^ scopeBits; baseOf(j) == function && hasRate(j) {
			takeOff()
			return true
		}
	}
	return false
}

// takeOff takes one off what is recorded in windows, before what is recorded outside of them is added.
//
//go:norace
func takeOff() {
	if pid := procPin(); uint(pid) < layout.MaxShards {
		shards[pid].recorded--
	}
	procUnpin()
}
