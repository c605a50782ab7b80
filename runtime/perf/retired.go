//go:build !markgen_off

package perf

import "unsafe"

// What a run that is over had in memory is kept for who may still be about to write there: goroutines that saw a marker on, and have been off their
// processors since. Programs that make run after run would collect it. So when it has been over for so long that nobody can be, its pieces of the file
// become empty memory, which the system counts as one mapping however much it is, and its table of slots is the next run's.
var retireAfter uint64 = 10_000_000_000 // ns

// A retiree is what a run had.
type retiree struct {
	since  uint64 // nanotime when it was forgotten
	pieces []piece
	slots  slotSet
	owners []*slot
}

// retired are those of earlier runs, the oldest first. Under the lock.
var retired []retiree

// retire is called when a run is forgotten, before what it had is. Where none has begun since, there is nothing more to
// retire. The caller holds the lock.
//
//go:norace
func retire() {
	if header == unsafe.Pointer(&noHeader) {
		return
	}
	retired = append(retired, retiree{uint64(nanotime()), space.pieces, takeSlots(), owners})
}

// reuse empties what nobody needs any more, and gives the slots of a run of which nobody has kept a place, none if there is none. The caller holds
// the lock.
//
//go:norace
//go:nocheckptr
func reuse() (slots slotSet) {
	for len(retired) > 0 && uint64(nanotime())-retired[0].since > retireAfter && slots == (slotSet{}) {
		r := retired[0]
		retired = append([]retiree(nil), retired[1:]...)
		if isClosed(r.owners) {
			slots = r.slots
			slots.clear(r.owners)
		}
		for _, p := range r.pieces {
			emptyMemory(p.p, p.size)
		}
	}
	return slots
}

// isClosed says whether nobody has kept the place of a scope on one of the stacks: those who end opened ones look for theirs.
//
//go:norace
//go:nocheckptr
func isClosed(owners []*slot) bool {
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
