//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// Timing short scopes costs much and tells little. With demote=N:TIMES a marker is demoted, so that
// its scopes are only counted, once N of them have been timed and are short: on average their self
// time is less than TIMES times the cost of timing one, and their time less than a tenth of a round.
// Nested scopes that do little themselves, as in a recursive descent parser, cost as much as short
// ones side by side.
//
// The means are trimmed: they exclude the longest hundredth, most of which were preempted.
//
// Demoted scopes are counted by the rewritten code itself if it has counters for them (OpenTally,
// Timed), else in the marker's cells. The count stays exact. In short rounds they are timed again
// (demote_retime.go).

// maxBetweenChecks is the maximum number of scopes of one bucket on one processor between two
// checks of their mean, a power of two.
const maxBetweenChecks = 256

// noLook is hot.look if nothing is demoted: no count has all these bits clear. In hot.again it is a
// tick that is never reached.
const noLook = 1<<64 - 1

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

// demoteAt demotes the marker of that index if its scopes are short, settles the markers demoted
// before, and begins or ends a round if that is due.
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
	if k := index - firstIndex; k < uint32(len(live)) && atomic.LoadUint32(&hot.mode) == modeOn && hot.look != noLook {
		settleDemoted() // before demote: a goroutine may be about to begin a scope of the marker demoted below
		if m := live[k]; isTimed(m) {
			var around *stack
			if p != nil {
				around = p.stack.scopes()
			}
			switch e := estimateOf(k); {
			case e == nil:
				noteParent(k, around, maxBetweenChecks)
				timed := timesOf(index)
				if timed.n >= conf.Demote && timed.areShort() && beginEstimate(k, &timed) {
					demote(m)
					demoted.list = append(demoted.list, m)
					levels.demoted(m, from)
				}
			case e.inRound:
				noteParent(k, around, uint64(e.factor*(lookInRound+1)))
			default:
				timed := timesOf(index)
				e.check(m, &timed)
			}
		}
		budget.look(from)
		retime(from)
	}
	unlock()
	p.discount(from)
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

// demote demotes a marker. The caller holds the lock.
//
//go:norace
func demote(m *Marker) {
	shared.SetBits(&m.Off, layout.OffDemoted)
	unsettled = append(unsettled, m)
}

// areShort reports whether scopes with these times are short.
//
//go:norace
func (t *times) areShort() bool {
	mean, self := t.trimmedMeans()
	return self < shortNS() && mean < roundNS/10
}

// shortNS returns the duration below which scopes are short, in ns.
//
//go:norace
func shortNS() uint64 { return conf.Times * toPS(hot.cost[kindOpened]) >> costBits / 1000 }

// parents is a BlockParents.
type parents struct {
	kind   uint32
	shard  uint32
	bytes  uint64
	marker uint64
	list   [layout.MaxParents]struct{ marker, count uint64 }
}

var _ = [1]struct{}{}[unsafe.Offsetof(parents{}.list)-layout.OffParentsData]

// maxSearched is the number of scopes that noteParent searches, from the bottom of the stack.
const maxSearched = 256

// parentsOf is indexed by index less firstIndex; nil if there are none yet. Under the lock.
var parentsOf []*parents

// noteParent counts the parent of a scope of the marker of index k+firstIndex that has just ended,
// and that stands for so many scopes: the scope directly around it on its goroutine's stack s or, if
// the marker is still open there, around its outermost scope. s is nil if unknown. Readers subtract
// the time of demoted scopes from the self times of their parents.
//
//go:norace
//go:nocheckptr
func noteParent(k uint32, s *stack, scopes uint64) {
	if s == nil {
		return
	}
	for uint32(len(parentsOf)) <= k {
		parentsOf = append(parentsOf, nil)
	}
	b := parentsOf[k]
	if b == nil {
		if b = (*parents)(space.New(layout.BlockParents, 0, unsafe.Sizeof(parents{}))); b == nil {
			return
		}
		b.marker = uint64(k)
		space.Publish(unsafe.Pointer(b))
		parentsOf[k] = b
	}
	parent, n := uint64(layout.NoMarker), min(s.n, s.room)
	for at := range min(n, maxSearched) {
		if s.at(at).index&^scopeBits == k+firstIndex {
			n = at
			break
		}
	}
	if n > 0 {
		if i := s.at(n-1).index &^ scopeBits; i >= firstIndex && i != k+firstIndex {
			parent = uint64(i - firstIndex)
		}
	}
	for i := range b.list {
		if e := &b.list[i]; e.count == 0 || e.marker == parent {
			e.marker = parent
			e.count += scopes
			return
		}
	}
}

// times are the durations of the timed scopes of a marker, by bucket, and their self time, in ns.
type times struct {
	counts, sums [layout.NumBuckets]uint64
	n, self      uint64
}

// timesOf returns the times of the marker of an index. The caller holds the lock.
//
//go:norace
func timesOf(index uint32) (t times) {
	for shard := range usedShards {
		c := cellIn(shard, index)
		if c == nil {
			continue
		}
		t.self += c.Self
		for i := range c.Groups {
			if g := c.Groups[i].P; g != nil {
				for k := range g.Buckets {
					t.counts[i*layout.GroupBuckets+k] += g.Buckets[k].Count
					t.sums[i*layout.GroupBuckets+k] += g.Buckets[k].Sum
					t.n += g.Buckets[k].Count
				}
			}
		}
	}
	return t
}

// trimmed is the number of scopes of which the longest is left out of trimmedMeans.
const trimmed = 100

// trimmedMeans returns the means of the time and self time of the scopes in ns, without the highest
// buckets that together have at most one scope in trimmed. The self time of these is unknown; it is
// taken for the same part of their time as that of all scopes is of theirs.
func (t *times) trimmedMeans() (mean, self uint64) {
	if t.n == 0 {
		return 0, 0
	}
	k, long := layout.NumBuckets, uint64(0)
	for k > 0 && long+t.counts[k-1] <= t.n/trimmed {
		k--
		long += t.counts[k]
	}
	var sum, all uint64
	for i := range t.sums {
		if all += t.sums[i]; i < k {
			sum += t.sums[i]
		}
	}
	if all == 0 {
		return 0, 0
	}
	return sum / (t.n - long), uint64(float64(min(t.self, all)) * float64(sum) / float64(all) / float64(t.n-long))
}

// unsettled are the demoted markers that may still have open scopes. Under the lock.
var unsettled []*Marker

// searches is the number of searches of settleDemoted.
var searches uint64

// settleDemoted sets OffSettled for demoted markers without open scopes, so that their code no
// longer looks for scope ends. The caller holds the lock.
//
//go:norace
func settleDemoted() {
	if len(unsettled) == 0 {
		return
	}
	searches++
	for _, p := range owners {
		s := p.stack.scopes()
		for i := range min(s.n, s.room) {
			if e := estimateOf(s.at(i).index&^scopeBits - firstIndex); e != nil {
				e.open = searches
			}
		}
	}
	left := unsettled[:0]
	for _, m := range unsettled {
		w := shared.Load(&m.Off)
		if w&layout.OffDemoted == 0 { // OffSettled alone would turn it off
			continue
		}
		if e := estimateOf(shared.Load(&m.index)&layout.IndexMask - firstIndex); e.open == searches || !shared.Swap(&m.Off, w, w|layout.OffSettled) {
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
		due := c.Passes%retimeCheck == 0
		procUnpin()
		if due {
			retimeIfDue()
		}
		return
	}
	procUnpin()
	recordSlow(i, endedScope{at: now()})
}
