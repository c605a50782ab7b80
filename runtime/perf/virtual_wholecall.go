//go:build markgen_virtual && !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/internal/tabletext"
	"github.com/markgen/markgen/runtime/layout"
)

// A sampled call is recorded whole: if it begins in a window, its loops and branches are recorded
// until it ends, even after the end of the window. Otherwise the code near the end of long calls
// would have too few scopes.

// maxOpenSearched is the number of open scopes that are searched for the function's: more than its
// own loops and branches nest.
const maxOpenSearched = 32

// functionOf points to a []uint32 that maps the first index of a marker inside a function to the
// first index of the function's own marker.
var functionOf unsafe.Pointer

// hasInner says, by the first index of a function's marker, whether other markers are recorded with
// its calls; under the lock.
var hasInner []bool

// forgetCalls forgets which markers are recorded with calls.
func forgetCalls() {
	atomic.StorePointer(&functionOf, nil)
	hasInner = nil
}

// goesWith reports whether marker i of the table is recorded with the calls of its function. The
// caller holds the lock and has filled t.gates.
//
//go:norace
func (t *table) goesWith(i uint32) bool {
	if !hot.self || t.gates[i] == i || shared.Load(&t.gate(i).index)&layout.IndexMask == 0 || shared.Load(&t.gate(i).index)&layout.IndexOffChoice != 0 {
		return false
	}
	if t.chosen == nil {
		t.chosen = make([]bool, t.markers)
		isFunction := make([]bool, t.markers)
		t.scan(func(i uint32, line tabletext.Line) { isFunction[i] = line.IsFunction() })
		t.scan(func(i uint32, line tabletext.Line) { t.chosen[i] = line.FollowsCall() && isFunction[t.gates[i]] })
	}
	return t.chosen[i]
}

// followCalls makes marker i of the table, which has that index, be recorded with its function's
// calls, if goesWith says so. The caller holds the lock.
//
//go:norace
func (t *table) followCalls(i, index uint32) {
	if !t.goesWith(i) {
		return
	}
	first := baseOf(index)
	function := baseOf(shared.Load(&t.gate(i).index) & layout.IndexMask)
	for function >= uint32(len(hasInner)) {
		hasInner = append(hasInner, false)
	}
	hasInner[function] = true
	shared.Store(&longEnough(&functionOf, first)[first], function)
}

// callsOpen reports whether recorded calls with inner markers may be open. With more than fewOwners
// goroutines it does not search, and assumes so if there are such markers. The caller holds the
// lock.
//
//go:norace
func callsOpen() bool {
	if functionOf == nil || len(owners) > fewOwners {
		return functionOf != nil
	}
	for _, p := range owners {
		s := p.stack.scopes()
		for i := range min(s.n, s.room) {
			j := s.at(i).index &^ scopeBits
			if first := baseOf(j); hasRate(j) && first < uint32(len(hasInner)) && hasInner[first] {
				return true
			}
		}
	}
	return false
}

// inRecordedCall reports whether a scope of marker i that begins outside of windows is in a
// recorded call.
//
//go:norace
//go:nocheckptr
func inRecordedCall(i uint32) bool {
	all := (*[]uint32)(atomic.LoadPointer(&functionOf))
	first := baseOf(i)
	if all == nil || first >= uint32(len(*all)) || !hot.self {
		return false
	}
	function := shared.Load(&(*all)[first])
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
	for k := uint32(0); k < min(s.n, maxOpenSearched); k++ {
		if j := s.at(s.n-1-k).index &^ scopeBits; baseOf(j) == function && hasRate(j) {
			uncountRecorded()
			return true
		}
	}
	return false
}

// uncountRecorded corrects the count of scopes recorded in windows for a scope that is about to be
// recorded outside of them.
//
//go:norace
func uncountRecorded() {
	if pid := procPin(); uint(pid) < layout.MaxShards {
		shards[pid].recorded--
	}
	procUnpin()
}
