//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// Timing a scope that is over before the clock has been read twice says little and costs much. With
// demote=N:TIMES a marker is demoted once N of its scopes have been timed, if these are short. On
// average
//
//   - they took less than TIMES times what timing one costs, or
//   - their self time was less than that, and they took less than 10 times TIMES as much, which is 4000
//     times what timing one costs if TIMES is 20: many short scopes inside each other cost as much as many
//     short ones side by side, as in a parser by recursive descent.
//
// The mean is trimmed: the longest thousandth is left out, most of which lost their processor for a while.
//
// From then on scopes of the marker are only counted: in the code itself (OpenTally, Timed) where
// it has counters for that, else in the marker's cells. The count stays exact.
// See demoted_turns.go for what is known of their times.

// mostBetween is how many scopes of one bucket on one processor there are at most from one look at
// their mean to the next: a power of two.
const mostBetween = 256

// noLook is hot.look where nothing is demoted: no count has all these bits clear. As a time, in hot.again,
// it never comes.
const noLook = 1<<64 - 1

// settledEvery is the time from one look whether demoted markers have open scopes to the next, while some are
// not known to have none, ns.
const settledEvery = 1_000_000

// demotes says whether the run demotes markers. Keys that ask for more of each scope than its time
// need all of them. What is waited for need not be read at all: it is known in proportion.
func (c *settings) demotes() bool {
	return c.Demote != 0 && !c.windows() && !c.Countdown && !c.Wild && !c.ReadsBesides("wait") && !c.Collects("trace") &&
		c.Enough == 0 && c.Calls == 0 && !c.Callers && !c.Adapt && !c.Pairs && !c.Outermost
}

// look is hot.look for the run.
func (c *settings) look() uint64 {
	if !c.demotes() || !hot.self {
		return noLook
	}
	n := uint64(mostBetween)
	for n > c.Demote {
		n /= 2
	}
	return n - 1
}

// isDemoted says of the first word of a marker that its scopes are counted, and not timed.
func isDemoted(off uint32) bool { return off&^layout.OffSettled == layout.OffDemoted }

// demoteAt demotes the marker of that index if its scopes are short, settles those that were demoted
// before, and has one of these timed again.
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
		first := isFirst(k)
		if first && p != nil {
			noteParent(k, p.stack.scopes())
		}
		settleDemoted() // first: a goroutine may be about to begin a scope of what is demoted below
		if m := live[k]; isTimed(m) {
			if timed := timesOf(index); timed.areShort() && (first || !takesTurn(m, timed.n, from)) {
				demote(m)
				if first {
					keepEarly(k, &timed)
					demoted.list = append(demoted.list, m)
				}
			}
		}
		nextTurn(from)
		again := turnsAt()
		if len(unsettled) > 0 {
			again = min(again, from+fromNS(settledEvery))
		}
		if again != hot.again { // other processors have it in their caches
			hot.again = again
		}
	}
	unlock()
	p.overlook(from)
}

// isTimed says whether scopes of a marker are timed, and may be only counted. The caller holds the lock.
//
//go:norace
func isTimed(m *Marker) bool {
	if loadWord(&m.index)&^layout.IndexMask != 0 || loadWord(&m.Off) != 0 {
		return false
	}
	t, _ := findTable(m)
	return t != nil && t.shared && !t.ofWatch()
}

// demote has the scopes of a marker only counted. The caller holds the lock.
//
//go:norace
func demote(m *Marker) {
	setBits(&m.Off, layout.OffDemoted)
	unsettled = append(unsettled, m)
}

// areShort says whether a marker of which these have been timed is to be demoted.
//
//go:norace
func (t *times) areShort() bool {
	n, mean, self := t.trimmedMeans()
	short := conf.Times * toPS(hot.whole[kindOpened]) >> costBits / 1000 // ns
	return n >= conf.Demote && (mean < short || self < short && mean < 10*conf.Times*short)
}

// parents is a BlockParents.
type parents struct {
	kind   uint32
	shard  uint32
	bytes  uint64
	marker uint64
	list   [layout.MostParents]struct{ marker, count uint64 }
}

var _ = [1]struct{}{}[unsafe.Offsetof(parents{}.list)-layout.OffParentsData]

// mostSearched is how many scopes are searched for the outermost of a marker, from the bottom of the stack.
const mostSearched = 256

// parentsOf are those of markers, by index less firstIndex; nil: none have been seen. Under the lock.
var parentsOf []*parents

// noteParent notes the parent of a scope of the marker of index k+firstIndex that has just ended: the
// scope directly around it on its goroutine's stack, and where the marker calls itself, be it through
// others, that around its outermost scope. From that a reader tells in whose self time that of demoted
// markers is.
//
//go:norace
//go:nocheckptr
func noteParent(k uint32, s *stack) {
	for uint32(len(parentsOf)) <= k {
		parentsOf = append(parentsOf, nil)
	}
	b := parentsOf[k]
	if b == nil {
		if b = (*parents)(newBlock(layout.BlockParents, 0, unsafe.Sizeof(parents{}))); b == nil {
			return
		}
		b.marker = uint64(k)
		publish(unsafe.Pointer(b))
		parentsOf[k] = b
	}
	parent, n := uint64(layout.NoMarker), min(s.n, s.room)
	for at := range min(n, mostSearched) {
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
			e.count++
			return
		}
	}
}

// times are those of the scopes of a marker that have been timed: by bucket, and the self time of all; ns.
type times struct {
	counts, sums [layout.NumBuckets]uint64
	n, self      uint64
}

// timesOf are those of the marker of an index. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func timesOf(index uint32) (t times) {
	for shard := range usedShards {
		c := cellOf(shard, index)
		if c == nil {
			continue
		}
		t.self += c.self
		for i := range c.groups {
			if g := c.groups[i].p; g != nil {
				for k := range g.buckets {
					t.counts[i*layout.GroupBuckets+k] += g.buckets[k].count
					t.sums[i*layout.GroupBuckets+k] += g.buckets[k].sum
					t.n += g.buckets[k].count
				}
			}
		}
	}
	return t
}

// trimmedMeans is how many scopes there are, and the means of their time and of their self time, ns,
// without the longest: those in the highest buckets that are at most one in DemotedTrim.
func (t *times) trimmedMeans() (n, mean, self uint64) {
	if t.n == 0 {
		return 0, 0, 0
	}
	k, long := layout.NumBuckets, uint64(0)
	for k > 0 && long+t.counts[k-1] <= t.n/layout.DemotedTrim {
		k--
		long += t.counts[k]
	}
	var sum uint64
	for i := range k {
		sum += t.sums[i]
	}
	return t.n, sum / (t.n - long), min(t.self, sum) / (t.n - long)
}

// unsettled are the markers that have been demoted and may have open scopes. Under the lock.
var unsettled []*Marker

// settleDemoted tells the code of demoted markers without open scopes that it need not look for
// their ends any more. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func settleDemoted() {
	if len(unsettled) == 0 {
		return
	}
	left := unsettled[:0]
	for _, m := range unsettled {
		if isOpen(loadWord(&m.index) & layout.IndexMask) {
			left = append(left, m)
		} else {
			setBits(&m.Off, layout.OffSettled)
		}
	}
	unsettled = left
}

// isOpen says whether a scope of the marker of that index is open on any goroutine. The caller
// holds the lock.
//
//go:norace
//go:nocheckptr
func isOpen(index uint32) bool {
	for _, p := range owners {
		s := p.stack.scopes()
		for i := range min(s.n, s.room) {
			if s.at(i).index&^scopeBits == index {
				return true
			}
		}
	}
	return false
}

// passDemoted counts a scope of a demoted marker where the code has no counter for it.
//
//go:norace
//go:nocheckptr
func passDemoted(m *Marker) {
	i := m.index & layout.IndexMask
	pid := procPin()
	if c := cellOf(pid, i); c != nil {
		c.passes++
		procUnpin()
		return
	}
	procUnpin()
	recordSlow(i, passage{at: now()})
}
