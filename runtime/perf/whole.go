//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A function mostly chooses where it begins whether what is in it is recorded. A call that begins in a window is
// recorded whole: its loops and branches too, though the window has ended meanwhile, for LongestWhole from when it began. So
// they are as large a part of those that there are as calls are, wherever in the call they stand.

// mostOpen is how many scopes are looked at for that of the function. Those of a function's own loops and branches are fewer.
const mostOpen = 32

// functions points to a []uint32 that has, by the first index of a marker that is recorded with its function's calls, the first index of
// the function's marker, with runsThin if it runs marked in thin windows. It is replaced by a longer one as there are more.
var functions unsafe.Pointer

const runsThin = 1 << 31

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
		t.scan(func(i uint32, line string) { isFunction[i] = field(line, markerKind, markerName) == "func" })
		t.scan(func(i uint32, line string) {
			t.chosen[i] = has(field(line, markerFlags, markerName), 't') && isFunction[t.gates[i]]
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
	all := (*[]uint32)(functions)
	if all == nil || first >= uint32(len(*all)) {
		longer := make([]uint32, 2*first)
		if all != nil {
			copy(longer, *all)
		}
		all = &longer
		atomic.StorePointer(&functions, unsafe.Pointer(all))
	}
	function := baseOf(loadWord(&t.gate(i).index) & layout.IndexMask)
	for function >= uint32(len(leads)) {
		leads = append(leads, false)
	}
	leads[function] = true
	storeWord(&(*all)[first], function|runsThin)
}

// runThin notes whether a sampled marker runs marked in thin windows. The caller holds the lock.
//
//go:norace
func (r *sampledMarker) runThin(does bool) {
	r.closed = !does
	all, first := (*[]uint32)(functions), baseOf(r.index)
	if all == nil || first >= uint32(len(*all)) || (*all)[first] == 0 {
		return
	}
	word := (*all)[first] &^ runsThin
	if does {
		word |= runsThin
	}
	storeWord(&(*all)[first], word)
}

// wholeEnds is the tick from which on nothing is recorded outside of windows for the call that it is in: a loop that goes on in a call
// which is not recorded asks that each time. While a window is open it is never; when it ends, who ends it looks whether there are such calls.
var wholeEnds uint64

// endWhole says from when on nothing is recorded outside of the window of that width that ends, and whether there may be anything that is. The caller
// holds the lock.
//
//go:norace
func (w *window) endWhole(width uint64) (more bool) {
	ends := uint64(0)
	if more = functions != nil && (len(owners) > fewOwners || callsOpen()); more {
		ends = w.from + width + fromNS(layout.LongestWhole)
	}
	atomic.StoreUint64(&wholeEnds, ends)
	return more
}

// callsOpen says whether calls are open, as far as stacks show now, that are recorded in windows, and their loops and branches with
// them. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func callsOpen() bool {
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

// isOfCall says whether a passage at t of the marker of index i, outside of windows, is in a call that is recorded.
//
//go:norace
//go:nocheckptr
func isOfCall(i uint32, t uint64) bool {
	if int64(t-atomic.LoadUint64(&wholeEnds)) >= 0 {
		return false
	}
	all := (*[]uint32)(atomic.LoadPointer(&functions))
	first := baseOf(i)
	if all == nil || first >= uint32(len(*all)) || !hot.self {
		return false
	}
	word := loadWord(&(*all)[first])
	if word == 0 {
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
		r := s.at(s.n - 1 - k)
		if j := r.index &^ scopeBits; baseOf(j) == word&^runsThin && hasRate(j) {
			if t-r.start > fromNS(layout.LongestWhole) {
				return false
			}
			countLater(word&runsThin != 0)
			return true
		}
	}
	return false
}

// countLater counts a passage that is recorded outside of windows, of a function that runs marked in thin windows or not.
//
//go:norace
func countLater(thin bool) {
	pid := procPin()
	if uint(pid) < layout.MaxShards {
		if thin {
			shards[pid].laterThin++
		}
		shards[pid].later++
	}
	procUnpin()
}

// passedLater is how many passages have been recorded outside of windows, of all markers, and of those that run marked in thin
// windows. The caller holds the lock.
//
//go:norace
func passedLater() (all, thin uint64) {
	for i := range usedShards {
		all += atomic.LoadUint64(&shards[i].later)
		thin += atomic.LoadUint64(&shards[i].laterThin)
	}
	return all, thin
}
