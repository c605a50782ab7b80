//go:build !markgen_off

package perf

import (
	"math/bits"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// What was timed before a marker was demoted may not be typical of the rest of the run. So the
// demoted markers are timed again in short rounds, between which they are only counted. All are timed
// at once, so that each has its self time, in recursion too: a scope's self time includes those of
// scopes inside that are only counted.
//
// Timing scopes of some ns distorts the scopes around them. So there are two sorts of rounds, which
// alternate. In a coarse round the markers whose scopes are long enough are timed, and their self
// times include the fine scopes inside. In a fine round all markers are timed, for the times of the
// fine ones. Readers subtract these from the self times around them. A round is long enough for the
// code that times scopes, and its data, to be in the processor's caches for most of it.

const (
	// roundNS is the duration of a round, in ns.
	roundNS = 600_000

	// roundEvery is the minimum time between the end of a round and the beginning of the next, in
	// ns. It is longer if beginning and ending rounds takes more than 1/roundShare of it.
	roundEvery = 5_000_000
	roundShare = 32

	// fineParts is the number of fine scopes that last as long as a short one (areShort).
	fineParts = 4

	// longBucket is the bucket from which scopes are too long for a round.
	longBucket = 19

	// lookInRound is hot.look in a round, in which the parents of more scopes are noted.
	lookInRound = 15
)

// A round says which demoted markers are timed.
type round uint8

const (
	noRound round = iota
	inCoarse
	inFine
)

// demoted are the markers that have been demoted. Under the lock.
var demoted struct {
	list []*Marker
	in   round
	last round  // the round before
	due  uint64 // tick at which the round ends, or the next one begins
}

// retimeCheck is the number of scopes of a demoted marker that a goroutine's stack unit counts
// between two checks of whether a round is due: no timed scope may end for long.
const retimeCheck = 1 << 12

// retimeIfDue begins or ends a round, if that is due. Code on a system stack, which may not wait for
// the lock, leaves it to others.
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
		retime(from)
	}
	unlock()
	return n
}

// retime begins or ends a round, if that is due at tick t, and sets hot.again. The caller holds the
// lock.
//
//go:norace
func retime(t uint64) {
	d := &demoted
	if len(d.list) > 0 && t >= d.due {
		if d.in != noRound {
			endRound()
			d.in, d.last, hot.look = noRound, d.in, conf.look()
		} else {
			d.in = inCoarse
			if d.last == inCoarse {
				d.in = inFine
			}
			beginRound()
			hot.look = lookInRound
		}
		ready := now()
		d.due = ready + fromNS(roundNS)
		if d.in == noRound {
			d.due = ready + max(fromNS(roundEvery), 2*roundShare*(ready-t), budgetGap(ready-t))
		}
	}
	if d.in == noRound {
		checkBudget(t)
	}
	again := budget.due
	if len(d.list) > 0 {
		again = min(again, d.due)
	}
	if len(unsettled) > 0 {
		again = min(again, now()+fromNS(settledEvery))
	}
	if again != hot.again { // written only if changed: other processors have it in their caches
		hot.again = again
	}
}

// beginRound times the markers of the round, and those whose scopes have become too long for one. The
// caller holds the lock.
//
//go:norace
func beginRound() {
	for _, m := range demoted.list {
		if isTimed(m) || m.level() == layout.LevelOff { // its scopes have become long, or the budget has turned it off
			continue
		}
		index := shared.Load(&m.index) & layout.IndexMask
		e := estimateOf(index - firstIndex)
		long := false
		if e.isNew(index) {
			later := timesOf(index)
			later = later.since(e)
			long = later.areLong()
		}
		if e.inRound = demoted.in == inFine || e.fine == 0; e.inRound || long {
			timeOn(m)
		}
		e.inRound = e.inRound && !long
	}
	left := unsettled[:0]
	for _, m := range unsettled {
		if isDemoted(shared.Load(&m.Off)) {
			left = append(left, m)
		}
	}
	unsettled = left
}

// endRound adds what was timed in the round to the estimates, and demotes its markers. The caller
// holds the lock.
//
//go:norace
func endRound() {
	for _, m := range demoted.list {
		index := shared.Load(&m.index) & layout.IndexMask
		e := estimateOf(index - firstIndex)
		if !e.inRound {
			continue
		}
		e.inRound = false
		if isTimed(m) {
			demote(m)
		}
		if !e.isNew(index) {
			continue
		}
		timed := timesOf(index)
		later := timed.since(e)
		budget.inRound += later.n
		if later.n >= minAdded {
			e.add(&later, scopesOf(m, timed.n))
			e.classify(&later)
		}
	}
}

// check demotes a marker again that has been timed since its scopes had become long, if they are
// short again. The caller holds the lock.
//
//go:norace
func (e *estimate) check(m *Marker, timed *times) {
	if later := timed.since(e); later.n >= conf.Demote && later.areShort() {
		e.leaveOut(timed)
		demote(m)
	}
}

// areLong reports whether half of the scopes or more are too long for a round. A few always may be,
// as their goroutine lost its processor.
//
//go:norace
func (t *times) areLong() bool {
	long := uint64(0)
	for k := longBucket; k < layout.NumBuckets; k++ {
		long += t.counts[k]
	}
	return long > 0 && 2*long >= t.n
}

// classify notes whether scopes with these times are fine.
//
//go:norace
func (e *estimate) classify(t *times) {
	e.fine = 0
	if mean, _ := t.trimmedMeans(); mean < shortNS()/fineParts {
		e.fine = 1
	}
}

// passesOf returns the number of counted scopes in the cells of an index, and a number that changes with
// the ends of timed ones.
//
//go:norace
func passesOf(index uint32) (n, last uint64) {
	for shard := range usedShards {
		if c := cellIn(shard, index); c != nil {
			n += c.Passes
			last = bits.RotateLeft64(last, 7) ^ c.Last
		}
	}
	return n, last
}

// isNew reports whether a scope of the estimate's marker, which has that index, was timed since the
// last call.
//
//go:norace
func (e *estimate) isNew(index uint32) bool {
	_, last := passesOf(index)
	if last == e.last {
		return false
	}
	e.last = last
	return true
}

// timeOn resumes timing of a demoted marker's scopes. The caller holds the lock.
//
//go:norace
func timeOn(m *Marker) { m.clearOff(layout.OffDemoted) }

// clearOff clears a bit of the marker's first word, and OffSettled if that is all that is left: alone
// it would say that the marker is off.
//
//go:norace
func (m *Marker) clearOff(bit uint32) {
	for {
		w := shared.Load(&m.Off)
		left := w &^ bit
		if left == layout.OffSettled {
			left = 0
		}
		if shared.Swap(&m.Off, w, left) {
			return
		}
	}
}

// undemote resumes timing of all demoted markers, for the rest of the run. The caller holds the
// lock.
//
//go:norace
func undemote() {
	for _, m := range demoted.list {
		timeOn(m)
	}
	clearDemoted()
	hot.look, hot.again = noLook, noLook
}

// clearDemoted forgets which markers are demoted. The caller holds the lock.
func clearDemoted() {
	demoted.list, unsettled = nil, nil
	demoted.in, demoted.last, demoted.due = noRound, noRound, 0
}
