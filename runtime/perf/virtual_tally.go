//go:build markgen_virtual && !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// Tallies are one package's counters by goroutine, for counting without atomic operations.
type Tallies = tallies

// An Own is the head of the counters of a stack unit.
type Own = tallyUnit

// NoOwn is the Own of no unit.
var NoOwn = Own{unit: noUnit}

const (
	// tallyAfter is the number of calls of Tally after which a unit gets its own counters and
	// becomes the first of its list; wantedAfter is the number if TallyOn was called in the unit,
	// too.
	tallyAfter  = 64
	wantedAfter = 4

	// lastAfter is the number of additions to a counter after which its function tries it first.
	lastAfter = 1024

	// maxTalliedBytes is the maximum memory for the counters of units, in bytes. A unit gets none if
	// there is no room for tallySpare of its size, so that large packages leave some for small ones.
	maxTalliedBytes = 64 << 20
	tallySpare      = 64
)

// Tally adds one to counter i, from 0, of the package whose counters t are; last is the variable of
// the calling function.
//
// Like what it calls it is small enough to inline even into the largest functions, where the
// compiler inlines hardly anything (inlineBigFunctionMaxCost in cmd/compile/internal/inline). With
// the race detector findAt does all of it: inlined and instrumented, the rest would double the frames
// of such functions.
func Tally(t *Tallies, last **Own, i uintptr) (n Nothing) {
	free_markgen_none[0] = (*last).add(t, last, uintptr(unsafe.Pointer(&n))/unitSize, i)
	return n
}

// add adds one to counter i if o has the counters of unit u; else findAt does.
func (o *Own) add(t *Tallies, last **Own, u, i uintptr) (n Nothing) {
	if !tallied || o.unit != u {
		free_markgen_none[0] = t.findAt(last, u, i)
	} else {
		*o.counter(i)++
	}
	return n
}

// tally adds one to counter i. Several goroutines may run a function that calls it at once. It is
// called only in a run, in which t is open. scope is whether to do what is due, as the end of a timed
// scope would.
func (t *Tallies) tally(i uintptr, scope bool) (n Nothing) {
	u := uintptr(unsafe.Pointer(&n)) / unitSize
	free_markgen_none[0] = t.units[placeOf(u)].addUnit(t, u, i, scope)
	return n
}

// placeOf returns the place of a unit. It spreads the units that lie at the same depth of large stacks,
// whose addresses are multiples of their size: multiplicative hashing, Knuth, The Art of Computer
// Programming, volume 3, section 6.4.
func placeOf(u uintptr) uint32 { return uint32(u) * 0x9e3779b1 >> (32 - tallyBits) }

// addUnit adds one to counter i if o has the counters of unit u, else to the shared one.
func (o *Own) addUnit(t *Tallies, u, i uintptr, scope bool) (n Nothing) {
	if !tallied || o.unit != u {
		free_markgen_none[0] = t.share(u, i)
	} else {
		free_markgen_none[0] = count(o.counter(i), scope)
	}
	return n
}

// count adds one to the counter at c and, for a scope, does what is due every checkEvery.
func count(c *uint64, scope bool) (n Nothing) {
	if *c++; scope && *c%checkEvery == 0 {
		free_markgen_none[0] = checkIfDue()
	}
	return n
}

// TallyCall is Tally, but does not inline, for a function in which no branch may come before the
// body.
//
//go:noinline
func TallyCall(t *Tallies, last **Own, i uintptr) (n Nothing) { return Tally(t, last, i) }

// TallyOn is Tally for executions between two calls of Tally. It calls nothing, since the function
// would have to save its registers for a call, so it cannot make counters for the unit, but notes
// that the unit wants some.
func TallyOn(t *Tallies, last **Own, i uintptr) (n Nothing) {
	if own := *last; own.unit != uintptr(unsafe.Pointer(&n))/unitSize {
		for Again() {
		}
		free_markgen_none[0] = t.lookUp(last, i)
	} else {
		*own.counter(i)++
	}
	return n
}

// pass adds one to counter i of a unit that was found in a place of Tallies.units, and every
// lastAfter additions makes the function try this unit first. It inlines.
//
//go:nosplit
func (o *Own) pass(place, last **Own, i uintptr) (n Nothing) {
	c := o.counter(i)
	if *c++; *c%lastAfter == 0 {
		// No write barriers are needed, since this is not the garbage collector's memory. If a new
		// run has begun and emptied the place, it may have reset the variable before it is set
		// here.
		at := (*uintptr)(unsafe.Pointer(last))
		atomic.StoreUintptr(at, uintptr(unsafe.Pointer(o)))
		if atomic.LoadUintptr((*uintptr)(unsafe.Pointer(place))) != uintptr(unsafe.Pointer(o)) {
			*at = uintptr(unsafe.Pointer(&NoOwn))
		}
	}
	return n
}

// lookUp adds one to counter i of the current stack unit, or to the shared counter if the unit has
// none. It inlines.
func (t *Tallies) lookUp(last **Own, i uintptr) (n Nothing) {
	u := uintptr(unsafe.Pointer(&n)) / unitSize
	k := placeOf(u)
	place := &t.units[k]
	if own := *place; own != nil && own.unit == u {
		free_markgen_none[0] = own.pass(place, last, i)
	} else if t.shared != nil {
		if tallied {
			t.wanted[k] = u
		}
		atomic.AddUint64(t.counter(i), 1)
	}
	return n
}

// counter returns the shared counter i.
func (t *Tallies) counter(i uintptr) *uint64 { return (*uint64)(unsafe.Add(t.shared, 8*i)) }

// findAt is lookUp for unit u.
//
//go:norace
//go:noinline
//go:nosplit
func (t *Tallies) findAt(last **Own, u, i uintptr) (n Nothing) {
	place := &t.units[placeOf(u)]
	if own := *place; own != nil && own.unit == u {
		return own.pass(place, last, i)
	}
	return t.share(u, i)
}

// share adds one to the shared counter i for unit u, and makes counters for the unit if that calls it
// often.
//
//go:norace
//go:noinline
//go:nosplit
func (t *Tallies) share(u, i uintptr) (n Nothing) {
	if t.shared != nil {
		atomic.AddUint64(t.counter(i), 1)
		if tallied {
			t.countCall(u)
		}
	}
	return n
}

// countCall counts a call in unit u, and makes it the first of its list after
// enough calls.
//
//go:norace
//go:noinline
func (t *Tallies) countCall(u uintptr) {
	k := placeOf(u)
	if t.next[k] != u { // units that alternate do not get counters
		t.next[k], t.calls[k] = u, 0
		return
	}
	if t.calls[k]++; t.calls[k]%tallyAfter == 0 || t.wanted[k] == u && t.calls[k]%wantedAfter == 0 {
		t.advance(u)
	}
}

// advance makes a unit the first of its list, and makes counters for it if it has none.
//
//go:norace
//go:nocheckptr
func (t *Tallies) advance(unit uintptr) {
	if onSystemStack(getg()) {
		return // a system stack uses the shared counters
	}
	lock()
	defer unlock()
	place := &t.units[placeOf(unit)]
	first := *place
	var own, before *Own
	for own = first; own != nil && own.unit != unit; own = own.behind {
		before = own
	}
	switch {
	case own == nil:
		if own = t.claim(unit); own == nil {
			return
		}
		own.behind = first
	case own == first:
		return
	default:
		// Code that follows the list holds the lock; other code reads only its head.
		before.behind = own.behind
		own.behind = first
	}
	shared.StorePointer((*unsafe.Pointer)(unsafe.Pointer(place)), unsafe.Pointer(own))
}

// claim makes counters for a unit. It returns nil if there is no room, or the table is not open yet
// in a run that another goroutine has begun. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func (t *Tallies) claim(unit uintptr) *Own {
	if t.number == 0 {
		return nil
	}
	table := &tables[t.number-1]
	words := table.counterWords()
	size := layout.OffCountersData + 8*words
	if talliedBytes+tallySpare*size > maxTalliedBytes {
		return nil
	}
	b := space.New(layout.BlockCounters, uint32(1+len(table.own)), size)
	if b == nil {
		return nil
	}
	talliedBytes += size
	*(*uint64)(unsafe.Add(b, layout.OffCountersTable)) = t.number - 1
	*(*uint64)(unsafe.Add(b, layout.OffCountersLen)) = uint64(table.n)
	*(*uint64)(unsafe.Add(b, layout.OffCountersTimed)) = uint64(words) - uint64(table.n)
	own := (*Own)(unsafe.Add(b, layout.OffCountersData-unsafe.Sizeof(Own{})))
	own.unit = unit
	space.Publish(b)
	table.own = append(table.own, own)
	return own
}

// RegisterTallies is Register for a package with tallies; last has the variables of its functions.
func RegisterTallies(t *Tallies, last []*Own, markers *Marker, nm int, counters *Counter, nc int, text string) bool {
	t.last = last
	return register(markers, nm, counters, nc, text, registeredPadded, t)
}

// open makes the tallies count in the run, for the table e, whose number is number-1. The caller
// holds the lock.
//
//go:norace
//go:nocheckptr
func (t *Tallies) open(number uint64, e *table) {
	for i := range t.units {
		shared.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&t.units[i])), unsafe.Pointer(&NoOwn))
	}
	clear(t.next[:])
	for i := range t.last { // after the units, see pass
		shared.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&t.last[i])), unsafe.Pointer(&NoOwn))
	}
	t.number = number
	shared.StorePointer(&t.shared, e.counters)
}

// OpenTally is Open for a function with tallies: once the marker is demoted, counter i of the
// package counts its scopes.
func OpenTally(m *Marker, t *Tallies, i uintptr) (n Nothing) {
	if off := m.Off; off&Closed == 0 { // a single test while markers are off
		free_markgen_none[0] = m.open(off, t, i)
	}
	return n
}

// open begins a scope of m, or counts one of a demoted marker. off is m.Off, without Closed.
func (m *Marker) open(off uint32, t *Tallies, i uintptr) (n Nothing) {
	if off == 0 {
		free_markgen_none[0] = Begin(m)
	} else {
		free_markgen_none[0] = t.tally(i, true)
	}
	return n
}

// OpenFunc is OpenTally for a function's own scope, out of line (see Again): package regexp's
// benchmarks take 1.15 times as long with markers that are off, and 1.20 with OpenTally. Other scopes
// have OpenTally, since it takes longer to count demoted ones out of line: scc, 2.2 times the plain
// program's time if all are, instead of 2.0.
func OpenFunc(m *Marker, t *Tallies, i uintptr) (n Nothing) {
	if off := m.Off; off&Closed == 0 {
		for Again() {
		}
		free_markgen_none[0] = m.open(off, t, i)
	}
	return n
}

// Timed reports whether a scope of m is to be begun (Begin) after the function's gate. It counts a
// scope of a demoted marker, as OpenTally does; *own is what OwnOf returned in the function.
func Timed(m *Marker, t *Tallies, own **Own, i uintptr) bool {
	off := m.Off
	if isDemoted(off) {
		free_markgen_none[0] = tallyOwn(t, own, i)
		return false
	}
	return true
}

// OwnOf returns the counters of the calling function's stack unit, for Timed.
func OwnOf(t *Tallies) *Own {
	var n Nothing
	if own := t.units[placeOf(uintptr(unsafe.Pointer(&n))/unitSize)]; own != nil {
		return own
	}
	return &NoOwn // nothing was ever counted
}

// tallyOwn is tally for a scope, where *own is what OwnOf returned: a little faster.
func tallyOwn(t *Tallies, own **Own, i uintptr) (n Nothing) {
	free_markgen_none[0] = (*own).addOwn(t, own, uintptr(unsafe.Pointer(&n))/unitSize, i)
	return n
}

// addOwn is addUnit for a scope, where o is *own.
func (o *Own) addOwn(t *Tallies, own **Own, u, i uintptr) (n Nothing) {
	if !tallied || o.unit != u {
		free_markgen_none[0] = t.findOwn(own, u, i)
	} else {
		free_markgen_none[0] = count(o.counter(i), true)
	}
	return n
}

// findOwn is findAt for *own, which it sets: the stack has moved, or another run has begun.
//
//go:norace
//go:noinline
//go:nosplit
func (t *Tallies) findOwn(own **Own, u, i uintptr) (n Nothing) {
	o := t.units[placeOf(u)]
	if !tallied || o.unit != u {
		return t.share(u, i)
	}
	*own = o
	*o.counter(i)++
	return n
}

// EnterTally is s.Enter(m) for a function with tallies: once the marker is demoted, counter i of the
// package counts its scopes.
func EnterTally(s *Scope, m *Marker, t *Tallies, i uintptr) (n Nothing) {
	if tallied && isDemoted(m.Off) && s.open.index == 0 {
		free_markgen_none[0] = t.tally(i, true)
	} else {
		free_markgen_none[0] = s.enterCall(m)
	}
	return n
}

// enterCall is Enter for an assignment. It does not inline.
//
//go:noinline
func (s *Scope) enterCall(m *Marker) (n Nothing) {
	s.Enter(m)
	return n
}

// Exit is s.Exit for an assignment. It inlines.
func Exit(s *Scope) (n Nothing) {
	if !tallied || s.open.index != 0 {
		free_markgen_none[0] = s.exitCall()
	}
	return n
}

// exitCall is Exit for an assignment. It does not inline.
//
//go:noinline
func (s *Scope) exitCall() (n Nothing) {
	s.Exit()
	return n
}

// Ends reports whether there may be a scope of m to end (End).
func Ends(m *Marker) bool { return m.Off != layout.OffDemoted|layout.OffSettled }

// TickTally is Tick for a function with tallies.
func TickTally(c *Counter, t *Tallies, i uintptr) (n Nothing) {
	if c.P != nil {
		free_markgen_none[0] = t.tally(i, false)
	}
	return n
}

// TickTallyCall is TickTally, but does not inline, see TickCall.
//
//go:noinline
func TickTallyCall(c *Counter, t *Tallies, i uintptr) (n Nothing) {
	return TickTally(c, t, i)
}
