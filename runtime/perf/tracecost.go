//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// scratchRing is where calibration writes its records: those of one batch of
// scopes fill it.
var scratchRing struct {
	ring
	records [2 * batch]traceRecord
}

// keptRing is the ring that scratchRing stands in for: scopes that began in an earlier run may have ended in
// this one already.
var keptRing ringEnd

// useScratchRing lets what is pinned to a processor write to scratchRing, and
// leaveScratchRing undoes that. The caller holds the lock.
//
//go:norace
func useScratchRing(pid int) {
	if tracing.ends == &noEnds {
		return
	}
	keptRing = tracing.ends[pid]
	tracing.ends[pid] = ringEnd{block: &scratchRing.ring, room: uint64(len(scratchRing.records)), lapped: true, scratch: true}
}

//go:norace
func leaveScratchRing(pid int) {
	if tracing.ends != &noEnds {
		tracing.ends[pid] = keptRing
	}
}

var _ = [1]struct{}{}[unsafe.Offsetof(scratchRing.records)-layout.RingData]

// addTraced adds up in scratch what the scopes of a batch took, by their records,
// where no cell does.
//
//go:norace
func addTraced() {
	if hot.extras&extraUntimed == 0 {
		return
	}
	for i := 0; i < len(scratchRing.records); i += 2 {
		scratch.ticks += scratchRing.records[i+1].tick - scratchRing.records[i].tick
	}
}

// setTraceCosts says what records cost. What a scope adds to the time between its
// ends is the cost of the record of its beginning, the rest that of its end.
//
//go:norace
func setTraceCosts(point uint64) {
	tracing.enter = hot.inside
	for kind, whole := range hot.whole {
		tracing.exit[kind] = less(whole, hot.inside)
	}
	tracing.point = point
}

// measurePoints measures what a point costs.
func measurePoints(m *Marker) uint64 { return added(m, pointWork) }
