//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
)

// Goroutines that were preempted after finding a marker on may still write to the memory of a run
// that has ended. So it is kept for retireAfter. Then its part of the file is replaced by empty
// memory, which costs one mapping however large it is, and its slots are used for the next run, so
// that a program can have any number of runs.
var retireAfter uint64 = 10_000_000_000 // ns

// A retiree is the memory of a run that has ended.
type retiree struct {
	since  uint64 // end of the run, nanotime
	pieces [][]byte
	slots  slotSet
	owners []*slot
}

// retired has the memory that is still kept, oldest first. Under the lock.
var retired []*retiree

// retire keeps the memory of the run that is being discarded, if there is one. The caller holds the
// lock.
//
//go:norace
func retire() {
	if header == unsafe.Pointer(&noHeader) {
		return
	}
	retired = append(retired, &retiree{uint64(nanotime()), space.Pieces(), takeSlots(), owners})
}

// reuse empties memory that has been kept for long enough, and returns the slots of a run whose
// scopes have all ended, if there is one. The caller has acquired starting. It is configure that calls it,
// so that programs that never do have no code for further runs.
//
//go:norace
func reuse() (slots slotSet) {
	if len(retired) == 0 { // there may be no lock yet
		return slots
	}
	lock()
	defer unlock()
	for len(retired) > 0 && uint64(nanotime())-retired[0].since > retireAfter && slots == (slotSet{}) {
		r := retired[0]
		retired = retired[:copy(retired, retired[1:])]
		if noneOpen(r.owners) {
			slots = r.slots
			slots.clear(r.owners)
		}
		for _, p := range r.pieces {
			datafile.Empty(p)
		}
	}
	return slots
}

// noneOpen reports whether no Scope or Entered refers to the stacks. Scopes of Open do not matter,
// since they are looked up by depth when they end.
//
//go:norace
func noneOpen(owners []*slot) bool {
	for _, p := range owners {
		s := p.stack.scopes()
		for i := range s.n {
			if s.at(i).kind() != kindOpened {
				return false
			}
		}
	}
	return true
}
