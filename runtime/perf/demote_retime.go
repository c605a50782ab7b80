//go:build !markgen_off

package perf

import (
	"slices"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// The scopes that were timed before a marker was demoted may not be typical: scopes inside them
// were timed, too, which costs more than is subtracted, and the program may behave differently
// later. So the demoted markers are retimed, one after another, for some scopes each, while all
// others are only counted. A marker whose scopes have become long is not demoted again. What was
// timed stands for all scopes since the marker's last check (demote_estimate.go).

const (
	// retimedScopes is the number of scopes of a marker that are retimed in a round.
	retimedScopes = 512

	// longestRetiming is when the retiming of a marker with fewer scopes ends, in ns.
	longestRetiming = 10_000_000

	// retimeEvery is the time between the end of a retiming and the next, in ns: timing
	// retimedScopes takes some 2 % of that.
	retimeEvery = 1_000_000
)

// demoted are the markers that have been demoted. Under the lock.
var demoted struct {
	list     []*Marker
	next     int     // index of the next to be retimed
	retiming *Marker // being retimed; nil if none
	since    uint64  // when its retiming began, or that of the last one ended, ticks
}

// retimeCheck is the number of scopes of a demoted marker that a goroutine's stack unit counts
// between two checks of whether a retiming is due: no timed scope may end for long.
const retimeCheck = 1 << 12

// retimeIfDue begins to retime the next marker, or ends a retiming that takes too long, if that is
// due. Code on a system stack, which may not wait for the lock, leaves it to others.
//
//go:norace
//go:noinline
func retimeIfDue() (n [0]byte) {
	from := now()
	if from <= hot.again || onSystemStack(getg()) {
		return n
	}
	lock()
	if atomic.LoadUint32(&hot.mode) == modeOn && hot.look != noLook {
		settleDemoted()
		retimeNext(from)
		scheduleRetime(from)
	}
	unlock()
	return n
}

// check looks at a marker that has been demoted before and is timed now, at tick t: it ends its
// retiming after enough scopes, and demotes it again if its scopes have become short. around is the
// stack of a scope that has just ended. The caller holds the lock.
//
//go:norace
func (e *estimate) check(m *Marker, timed *times, around *stack, t uint64) {
	later := timed.since(e)
	if later.n < conf.Demote && (demoted.retiming != m || later.n < retimedScopes) {
		return
	}
	noteParent(uint32(e.marker), around, scopesOf(m, timed.n)-e.scopes)
	e.endTiming(m, timed, &later)
	if demoted.retiming == m {
		demoted.retiming, demoted.since = nil, t
	}
}

// endTiming adds what was timed to the estimate, and demotes the marker again if the scopes timed
// since the last check are short. The caller holds the lock.
//
//go:norace
func (e *estimate) endTiming(m *Marker, timed, later *times) {
	e.add(later, scopesOf(m, timed.n))
	if later.areShort() {
		demote(m)
	}
}

// retimeNext begins to retime the next marker, at tick t, if that is due. The caller holds the
// lock.
//
//go:norace
func retimeNext(t uint64) {
	d := &demoted
	if len(d.list) == 0 || t < retimeAt() {
		return
	}
	if m := d.retiming; m != nil { // it has taken too long
		if isTimed(m) {
			index := shared.Load(&m.index) & layout.IndexMask
			timed := timesOf(index)
			e := estimateOf(index - firstIndex)
			later := timed.since(e)
			e.endTiming(m, &timed, &later)
		}
		d.retiming, d.since = nil, t
		return
	}
	if d.next == len(d.list) {
		d.next = 0
	}
	m := d.list[d.next]
	d.next++
	d.since = t
	if !isTimed(m) { // else its scopes have become long, and it is timed anyway
		d.retiming = m
		timeOn(m)
	}
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
		return d.since + fromNS(retimeEvery)
	}
}

// scheduleRetime sets hot.again, at tick t. The caller holds the lock.
//
//go:norace
func scheduleRetime(t uint64) {
	again := retimeAt()
	if len(unsettled) > 0 {
		again = min(again, t+fromNS(settledEvery))
	}
	if again != hot.again { // written only if changed: other processors have it in their caches
		hot.again = again
	}
}

// timeOn resumes timing of a demoted marker's scopes. The caller holds the lock.
//
//go:norace
func timeOn(m *Marker) {
	for {
		w := shared.Load(&m.Off)
		left := w &^ layout.OffDemoted
		if left == layout.OffSettled {
			left = 0 // alone it would say that the marker is off
		}
		if shared.Swap(&m.Off, w, left) {
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
