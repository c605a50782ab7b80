//go:build !markgen_off

package perf

import (
	"slices"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// The scopes that were timed before a marker was demoted may not be typical: scopes inside them
// were timed, too, which costs more than is subtracted, and the program may behave differently
// later. So the demoted markers are retimed in rounds: one after another is timed for some scopes
// while all others are only counted. What had been timed before is in a BlockDemoted; readers use
// the mean of what was timed later for the scopes that were only counted.

const (
	// retimedScopes is the number of scopes of a marker that are retimed in a round.
	retimedScopes = 512

	// longestRetiming is when the retiming of a marker with fewer scopes ends, in ns.
	longestRetiming = 10_000_000

	// A round begins roundEvery ns after the one before, or markerEvery ns per marker if that is
	// longer.
	roundEvery  = 50_000_000
	markerEvery = 1_000_000
)

// demoted are the markers that have been demoted. Under the lock.
var demoted struct {
	list     []*Marker
	next     int     // index of the next to be retimed; len(list) if the round is over
	retiming *Marker // being retimed; nil if none
	timed    uint64  // number of its scopes timed before
	since    uint64  // when its retiming began, or the round ended, ticks
}

// keepRetiming reports whether m, of which timed scopes have been timed in total, is still to be
// retimed. If not, it ends its retiming, at tick t. The caller holds the lock.
//
//go:norace
func keepRetiming(m *Marker, timed, t uint64) bool {
	d := &demoted
	if d.retiming != m {
		return false
	}
	if timed-d.timed < retimedScopes {
		return true
	}
	d.retiming, d.since = nil, t
	return false
}

// retimeNext begins to retime the next marker, at tick t, if that is due. The caller holds the
// lock.
//
//go:norace
func retimeNext(t uint64) {
	d := &demoted
	if len(d.list) == 0 || d.retiming != nil && t < retimeAt() {
		return
	}
	if d.retiming != nil { // it has taken too long
		if isTimed(d.retiming) {
			demote(d.retiming)
		}
		d.retiming, d.since = nil, t
	}
	if d.next == len(d.list) {
		if t < retimeAt() {
			return
		}
		d.next = 0
	}
	m := d.list[d.next]
	d.next++
	d.retiming, d.since, d.timed = m, t, timesOf(loadWord(&m.index)&layout.IndexMask).n
	timeOn(m)
}

// retimeAt returns the tick at which retimeNext is due, unless a retiming ends before. The caller
// holds the lock.
func retimeAt() uint64 {
	switch d := &demoted; {
	case len(d.list) == 0:
		return noLook
	case d.retiming != nil:
		return d.since + fromNS(longestRetiming)
	default:
		return d.since + fromNS(max(roundEvery, uint64(len(d.list))*markerEvery))
	}
}

// timeOn resumes timing of a demoted marker's scopes. The caller holds the lock.
//
//go:norace
func timeOn(m *Marker) {
	for {
		w := loadWord(&m.Off)
		left := w &^ layout.OffDemoted
		if left == layout.OffSettled {
			left = 0 // alone it would say that the marker is off
		}
		if swapWord(&m.Off, w, left) {
			break
		}
	}
	unsettled = slices.DeleteFunc(unsettled, func(u *Marker) bool { return u == m })
}

// undemote resumes timing of all demoted markers, for the rest of the run. The caller holds the
// lock.
//
//go:norace
func undemote() {
	for _, m := range demoted.list {
		timeOn(m)
	}
	demoted.list, demoted.next, demoted.retiming = demoted.list[:0], 0, nil
	hot.look, hot.again = noLook, noLook
}

// earlier is a BlockDemoted: the timed scopes of a marker from before it was first demoted.
type earlier struct {
	kind   uint32
	shard  uint32
	bytes  uint64
	marker uint64
	self   uint64 // ns
	list   [layout.NumBuckets]struct{ count, sum uint64 }
}

var _ = [1]struct{}{}[unsafe.Offsetof(earlier{}.list)-layout.OffDemotedData]

// earlyOf is indexed by index less firstIndex; nil if the marker was never demoted. Under the lock.
var earlyOf []*earlier

// noEarlier stands for a block for which there was no memory.
var noEarlier earlier

// isFirst reports whether the marker of index k+firstIndex has never been demoted. The caller holds
// the lock.
//
//go:norace
func isFirst(k uint32) bool { return k >= uint32(len(earlyOf)) || earlyOf[k] == nil }

// keepEarly writes the times of the marker of index k+firstIndex, which is demoted for the first
// time, to the data file. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func keepEarly(k uint32, timed *times) {
	for uint32(len(earlyOf)) <= k {
		earlyOf = append(earlyOf, nil)
	}
	b := (*earlier)(newBlock(layout.BlockDemoted, 0, unsafe.Sizeof(earlier{})))
	if b == nil {
		earlyOf[k] = &noEarlier
		return
	}
	b.marker, b.self = uint64(k), timed.self
	for i := range b.list {
		b.list[i].count, b.list[i].sum = timed.counts[i], timed.sums[i]
	}
	publish(unsafe.Pointer(b))
	earlyOf[k] = b
}
