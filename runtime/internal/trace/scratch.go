package trace

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// ScratchRecords is the number of records that calibration makes at a time, in a ring of its own.
const ScratchRecords = 128

type scratchRing struct {
	ring
	records [ScratchRecords]record
}

var _ = [1]struct{}{}[unsafe.Offsetof(scratchRing{}.records)-layout.RingData]

// UseScratch redirects the records of processor pid to calibration's ring, and LeaveScratch undoes
// that. The caller is pinned to the processor and holds the lock.
//
//go:norace
func (r *Rings) UseScratch(pid int) {
	if r.open {
		r.kept = r.of[pid]
		r.of[pid] = end{block: &r.scratch.ring, room: ScratchRecords, lapped: true, scratch: true}
	}
}

//go:norace
func (r *Rings) LeaveScratch(pid int) {
	if r.open {
		r.of[pid] = r.kept
	}
}

// ScratchTicks returns the total duration of the scopes in calibration's ring, each an enter and an
// exit record.
//
//go:norace
func (r *Rings) ScratchTicks() (sum uint64) {
	for i := 0; i < ScratchRecords; i += 2 {
		sum += r.scratch.records[i+1].tick - r.scratch.records[i].tick
	}
	return sum
}
