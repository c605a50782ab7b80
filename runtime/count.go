//go:build !markgen_off

package runtime

import (
	"sync/atomic"
	"unsafe"
)

// Count adds one to c. It inlines into its caller.
func Count(c *Counter) {
	if c.P != nil {
		atomic.AddUint64(c.P, 1)
	}
}

// Tallies are one package's counters by goroutine, for counting without atomic
// operations.
//
// A goroutine's stack is made of units of 2 KB, the least that the Go runtime
// gives (stackMin in runtime/stack.go) at addresses that are multiples of it. At
// any moment a unit belongs to one goroutine at most, so what a function adds to
// while it stands in a unit nobody else adds to if each unit has counters of its
// own. The unit is told from the address of a local variable. Between that and
// the addition nothing is called, so the stack can't have moved; if the goroutine
// is preempted in between, its stack waits with it.
//
// Units that count much get a block of counters (BlockCounters with a shard
// number) for good, found by the unit's number modulo tallyUnits; the one that
// counted last is in front. All others add atomically to those that all share.
type Tallies struct {
	units  [tallyUnits]*tally
	number uint64              // of the table, from 1; 0: nothing is counted
	shared unsafe.Pointer      // the counters that all share
	wanted [tallyUnits]uintptr // the units that TallyOn has met last
	next   [tallyUnits]uintptr // the units that may be the next in front
	often  [tallyUnits]uint32  // how often those have come to Tally
}

// tally is where a unit counts. It does not change: whoever has read the unit has
// the counters that go with it.
type tally struct {
	unit   uintptr        // number of the unit
	own    unsafe.Pointer // its counters
	behind *tally         // another one for the same place
}

const (
	tallyUnits = 64
	unitBits   = 11

	// tallyAfter is how often a unit comes to Tally before it is put in front and
	// has counters of its own; less often if TallyOn wants that.
	tallyAfter  = 64
	wantedAfter = 4

	// mostTallied is how many bytes the counters of units take at most.
	mostTallied = 64 << 20
)

var talliedBytes uintptr // so far; under the lock

// free_markgen_none is assigned to where a call is not to count for the inliner,
// see rewrite.FreePrefix.
var free_markgen_none [1]Nothing

// Tally adds one to counter i, from 0, of the package whose counters t are. It
// inlines into its caller.
func Tally(t *Tallies, i uintptr) (n Nothing) {
	u := uintptr(unsafe.Pointer(&n)) >> unitBits
	if e := t.units[u%tallyUnits]; e != nil && e.unit == u {
		*(*uint64)(unsafe.Add(e.own, 8*i))++
	} else {
		free_markgen_none[0] = t.share(i, u)
	}
	return n
}

// TallyOn is Tally for what is counted between two Tallys: it calls nothing, which
// would cost the function it stands in its registers, and so gives no unit
// counters of its own, but says that this one should have some.
func TallyOn(t *Tallies, i uintptr) (n Nothing) {
	u := uintptr(unsafe.Pointer(&n)) >> unitBits
	if e := t.units[u%tallyUnits]; e != nil && e.unit == u {
		*(*uint64)(unsafe.Add(e.own, 8*i))++
	} else if s := t.shared; s != nil {
		if tallied {
			t.wanted[u%tallyUnits] = u
		}
		atomic.AddUint64((*uint64)(unsafe.Add(s, 8*i)), 1)
	}
	return n
}

// share adds one to a shared counter for unit u, and if it has done so often puts
// the unit in front.
//
//go:norace
//go:nocheckptr
//go:noinline
func (t *Tallies) share(i, u uintptr) (n Nothing) {
	if t.shared == nil {
		return n
	}
	atomic.AddUint64((*uint64)(unsafe.Add(t.shared, 8*i)), 1)
	if !tallied {
		return n
	}
	k := u % tallyUnits
	if t.next[k] != u { // of several that take turns here none counts long enough
		t.next[k], t.often[k] = u, 0
		return n
	}
	if t.often[k]++; t.often[k]%tallyAfter == 0 || t.wanted[k] == u && t.often[k]%wantedAfter == 0 {
		t.advance(u)
	}
	return n
}

// advance puts unit u in front, with counters of its own.
//
//go:norace
//go:nocheckptr
func (t *Tallies) advance(u uintptr) {
	lock()
	defer unlock()
	first := t.units[u%tallyUnits]
	var e, before *tally
	for e = first; e != nil && e.unit != u; e = e.behind {
		before = e
	}
	switch {
	case e == nil:
		if e = t.claim(u); e == nil {
			return
		}
		e.behind = first
	case e == first:
		return
	default:
		// Who reads the list holds the lock; who reads its head does not follow it.
		before.behind = e.behind
		e.behind = first
	}
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&t.units[u%tallyUnits])), unsafe.Pointer(e))
}

// claim makes counters for unit u; nil: there is no room. The caller holds the
// lock.
//
//go:norace
//go:nocheckptr
func (t *Tallies) claim(u uintptr) *tally {
	table := &tables[t.number-1]
	size := OffCountersData + 8*uintptr(table.n)
	if talliedBytes+size > mostTallied {
		return nil
	}
	e := (*tally)(anonymous(unsafe.Sizeof(tally{})))
	b := newBlock(BlockCounters, uint32(1+len(table.own)), size)
	if e == nil || b == nil {
		return nil
	}
	talliedBytes += size
	*(*uint64)(unsafe.Add(b, OffCountersTable)) = t.number - 1
	*(*uint64)(unsafe.Add(b, OffCountersLen)) = uint64(table.n)
	publish(b)
	own := unsafe.Add(b, OffCountersData)
	table.own = append(table.own, own)
	e.unit, e.own = u, own
	return e
}

// RegisterTallies is Register for a package that has tallies.
func RegisterTallies(t *Tallies, markers *Marker, nm int, counters *Counter, nc int, text string) bool {
	return enlist(markers, nm, counters, nc, text, nm > 0, t)
}

// open has the tallies count in the run, as those of the table e, which has that
// number, counted from 1. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func (t *Tallies) open(number uint64, e *table) {
	clear(t.units[:])
	clear(t.next[:])
	t.number = number
	storePointer(&t.shared, e.counters)
}

// Pass counts one passage through m, a marker that is counted and not timed.
//
//go:norace
//go:nocheckptr
func Pass(m *Marker) {
	if m == nil {
		return
	}
	i := m.index
	if m.Off != 0 || int32(i) <= 0 {
		if i = decide(m); i == 0 {
			return
		}
	}
	if w := hot.window; w.width != noWindow {
		if t := now(); t-w.from > w.width && !w.includes(i, t) {
			return
		}
	}
	if hot.extras&extraTrace != 0 {
		if tracePoint(i); hot.extras&extraUntimed != 0 {
			recorded(i)
			return
		}
	}
	pid := procPin()
	if c := cellOf(pid, i); c != nil {
		c.passes++
		procUnpin()
	} else {
		procUnpin()
		recordSlow(i, passage{})
	}
	if hot.extras != 0 {
		recorded(i)
	}
}

// Point records a passage through m, which has no duration.
func Point(m *Marker) { Pass(m) }
