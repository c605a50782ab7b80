//go:build !markgen_off

package perf

import (
	"slices"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// What a marker's first scopes took, before it was demoted, may tell little: scopes inside were timed
// meanwhile, which takes longer than is known to be taken off, and what comes later may be something
// else. So each demoted marker is timed again for some scopes, one marker after the other, while the
// others are only counted; and all of them again from time to time. What had been timed before stands
// in a BlockDemoted. A reader adds it, and takes the mean of what was timed later for all other scopes.

const (
	// timedAgain is how many scopes end a turn.
	timedAgain = 512

	// A round of turns begins so long after the last one, ns, or so long for each marker if that is more.
	roundEvery = 50_000_000
	turnEvery  = 1_000_000

	// mostTurn is how long a turn lasts if there are not that many, ns.
	mostTurn = 10_000_000
)

// demoted are the markers that have been demoted. Under the lock.
var demoted struct {
	list  []*Marker
	next  int     // which of them has the next turn; len(list): the round is over
	turn  *Marker // which has it now; nil: none
	timed uint64  // how many of its scopes had been timed before
	since uint64  // when its turn began, or the round ended, ticks
}

// takesTurn says whether a marker of which so many scopes have been timed is to be timed on, and ends its
// turn, at t, if not. The caller holds the lock.
//
//go:norace
func takesTurn(m *Marker, timed, t uint64) bool {
	d := &demoted
	if d.turn != m {
		return false
	}
	if timed-d.timed < timedAgain {
		return true
	}
	d.turn, d.since = nil, t
	return false
}

// nextTurn has the next marker timed again, at t, if it is time for that. The caller holds the lock.
//
//go:norace
func nextTurn(t uint64) {
	d := &demoted
	if len(d.list) == 0 || d.turn != nil && t < turnsAt() {
		return
	}
	if d.turn != nil { // it has taken too long
		if isTimed(d.turn) {
			demote(d.turn)
		}
		d.turn, d.since = nil, t
	}
	if d.next == len(d.list) {
		if t < turnsAt() {
			return
		}
		d.next = 0
	}
	m := d.list[d.next]
	d.next++
	d.turn, d.since, d.timed = m, t, timesOf(loadWord(&m.index)&layout.IndexMask).n
	timeOn(m)
}

// turnsAt is when nextTurn has something to do if no turn ends before, ticks. The caller holds the lock.
func turnsAt() uint64 {
	switch d := &demoted; {
	case len(d.list) == 0:
		return noLook
	case d.turn != nil:
		return d.since + fromNS(mostTurn)
	default:
		return d.since + fromNS(max(roundEvery, uint64(len(d.list))*turnEvery))
	}
}

// timeOn has the scopes of a marker timed, if it is demoted. The caller holds the lock.
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

// undemote has all markers timed from now on. The caller holds the lock.
//
//go:norace
func undemote() {
	for _, m := range demoted.list {
		timeOn(m)
	}
	demoted.list, demoted.next, demoted.turn = demoted.list[:0], 0, nil
	hot.look, hot.again = noLook, noLook
}

// earlier is a BlockDemoted: what had been timed of a marker when it was first demoted.
type earlier struct {
	kind   uint32
	shard  uint32
	bytes  uint64
	marker uint64
	self   uint64 // ns
	list   [layout.NumBuckets]struct{ count, sum uint64 }
}

var _ = [1]struct{}{}[unsafe.Offsetof(earlier{}.list)-layout.OffDemotedData]

// earlyOf are those of markers, by index less firstIndex; nil: it has never been demoted. Under the lock.
var earlyOf []*earlier

// noEarlier is of markers for which there was no memory.
var noEarlier earlier

// isFirst says whether the marker of index k+firstIndex has never been demoted. The caller holds the lock.
//
//go:norace
func isFirst(k uint32) bool { return k >= uint32(len(earlyOf)) || earlyOf[k] == nil }

// keepEarly notes what has been timed of the marker of index k+firstIndex, which is demoted for the first
// time. The caller holds the lock.
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
