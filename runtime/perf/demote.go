//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/cell"
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// Timing short scopes costs much and tells little. With demote=N:TIMES a marker is demoted, so that
// its scopes are only counted, once N of them have been timed and are short: on average their self
// time is less than TIMES times the cost of timing one, and their time less than longFactor times
// that. Nested scopes that do little themselves, as in a recursive descent parser, cost as much as
// short ones side by side.
//
// The means are trimmed: they exclude the longest hundredth, most of which were preempted.
//
// Demoted scopes are counted by the rewritten code itself if it has counters for them (OpenTally,
// Timed), else in the marker's cells. The count stays exact. Readers estimate the times from a CPU
// profile that overlay builds take meanwhile (goroot_profile.go) or, where there is none, from the
// scopes that were timed.

// longFactor sets the mean time of scopes that cost too little to be demoted, whatever their self
// time.
const longFactor = 100

// maxBetweenChecks is the maximum number of scopes of one bucket on one processor between two
// checks of their mean, a power of two.
const maxBetweenChecks = 256

// noLook is hot.look if nothing is demoted: no count has all these bits clear. In hot.again it is a
// tick that is never reached.
const noLook = 1<<64 - 1

// seenEvery is the time, ns, in which a run with demoted markers notes that it goes on: if it is killed,
// the end of its last timed scope may be long ago.
const seenEvery = 100_000_000

// settledEvery is the interval between two searches for open scopes of demoted markers, in ns.
const settledEvery = 100_000

// look returns hot.look for the run.
func (c *settings) look() uint64 {
	switch {
	case c.wholePaths():
		return maxBetweenChecks/2 - 1
	case !c.Demotes() || !hot.self:
		return noLook
	}
	n := uint64(maxBetweenChecks)
	for n > c.Demote {
		n /= 2
	}
	return n - 1
}

// isDemoted reports whether off is the first word of a demoted marker.
func isDemoted(off uint32) bool { return off&^layout.OffSettled == layout.OffDemoted }

// demoteAt demotes the marker of that index if its scopes are short, and does what else is due.
//
//go:norace
//go:noinline
func demoteAt(index uint32) {
	if index < firstIndex {
		return
	}
	from := now()
	p := ownSlot()
	lock()
	if e := indexed(index); e != nil && atomic.LoadUint32(&hot.mode) == modeOn && hot.look != noLook {
		settleDemoted() // before demote: a goroutine may be about to begin a scope of the marker demoted below
		if m := e.marker; isTimed(m) {
			if timed := timesOf(index); timed.N >= conf.Demote && areShort(&timed) {
				demote(m)
				levels.demoted(m, from)
			}
		}
		budget.look(from)
		checkDemoted(from)
	}
	unlock()
	saveProfile(from)
	p.discount(from)
}

// checkEvery is the number of scopes of a demoted marker that a goroutine's stack unit counts between
// two calls of checkIfDue: no timed scope may end for long.
const checkEvery = 1 << 12

// checkIfDue does what is due. Code on a system stack, which may not wait for the lock, leaves it to
// others.
//
//go:norace
//go:noinline
func checkIfDue() (n [0]byte) {
	from := now()
	if from <= hot.again || onSystemStack(getg()) {
		return n
	}
	lock()
	if atomic.LoadUint32(&hot.mode) == modeOn && hot.look != noLook {
		settleDemoted()
		checkDemoted(from)
	}
	unlock()
	saveProfile(from)
	return n
}

// checkDemoted checks the budget, if that is due at tick t, notes t, and sets hot.again. The caller holds the
// lock.
//
//go:norace
func checkDemoted(t uint64) {
	checkBudget(t)
	again := budget.due
	if anyDemoted {
		setHeader(layout.OffSeen, t)
		again = min(again, profileDue(), t+fromNS(seenEvery))
	}
	if len(unsettled) > 0 {
		again = min(again, now()+fromNS(settledEvery))
	}
	if again != hot.again { // written only if changed: other processors have it in their caches
		hot.again = again
	}
}

// isTimed reports whether a marker can be demoted and is not demoted. The caller holds the lock.
//
//go:norace
func isTimed(m *Marker) bool {
	if shared.Load(&m.index)&^layout.IndexMask != 0 || shared.Load(&m.Off) != 0 {
		return false
	}
	t, _ := findTable(m)
	return t != nil && t.shared && !t.ofStopwatch()
}

// anyDemoted says whether a marker has been demoted. Under the lock.
var anyDemoted bool

// demote demotes a marker. The caller holds the lock.
//
//go:norace
//go:noinline
func demote(m *Marker) {
	anyDemoted = true
	shared.SetBits(&m.Off, layout.OffDemoted)
	unsettled = append(unsettled, m)
}

// areShort reports whether scopes with these times are short.
//
//go:norace
func areShort(t *cell.Times) bool {
	mean, self := t.TrimmedMeans()
	short := conf.Times * toPS(hot.cost[kindOpened]) >> costBits / 1000
	return self < short && mean < longFactor*short
}

// unsettled are the demoted markers that may still have open scopes. Under the lock.
var unsettled []*Marker

// settleDemoted sets OffSettled for demoted markers without open scopes, so that their code no
// longer looks for scope ends. The caller holds the lock.
//
//go:norace
func settleDemoted() {
	if len(unsettled) == 0 {
		return
	}
	findOpen()
	left := unsettled[:0]
	for _, m := range unsettled {
		if !m.settle() {
			left = append(left, m)
		}
	}
	unsettled = left
}

// passDemoted counts a scope of a demoted marker whose code has no counter.
//
//go:norace
func passDemoted(m *Marker) {
	i := m.index & layout.IndexMask
	pid := procPin()
	if c := cellOf(pid, i); c != nil {
		c.Passes++
		due := c.Passes%checkEvery == 0
		procUnpin()
		if due {
			checkIfDue()
		}
		return
	}
	procUnpin()
	recordSlow(i, &endedScope{at: now()})
}

// timeOn resumes timing of a demoted marker's scopes. The caller holds the lock.
//
//go:norace
func timeOn(m *Marker) { m.clearOff(layout.OffDemoted) }

// clearOff clears bits of the marker's first word, and OffSettled if that is all that is left: alone
// it would say that the marker is off, or demoted (OpenTally).
//
//go:norace
func (m *Marker) clearOff(bits uint32) {
	for {
		w := shared.Load(&m.Off)
		left := w &^ bits
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
	for k := range live {
		if m := live[k].marker; shared.Load(&m.Off)&layout.OffDemoted != 0 {
			timeOn(m)
		}
	}
	anyDemoted, unsettled = false, nil
	hot.look, hot.again = noLook, noLook
}
