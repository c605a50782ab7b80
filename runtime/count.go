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
// number), found by the unit's number modulo tallyUnits, for good. All others add
// atomically to those that all share.
type Tallies struct {
	units  [tallyUnits]tally
	number uint64 // of the table, from 1; 0: nothing is counted
	shared unsafe.Pointer
}

// tally is where a unit counts.
type tally struct {
	unit  uintptr // number of the unit; 0 for none
	delta uintptr // from the shared counters to those of the unit
	next  uintptr // the unit that may be the next to have it
	often uint64  // how often that one has counted
}

const (
	tallyUnits = 64
	unitBits   = 11

	// tallyAfter is how often a unit counts before it gets counters of its own.
	tallyAfter = 256
)

// free_markgen_none is assigned to where a call is not to count for the inliner,
// see rewrite.FreePrefix.
var free_markgen_none [1]Nothing

// Tally adds one to c, a counter of the package whose counters t are. It inlines
// into its caller.
func Tally(c *Counter, t *Tallies) (n Nothing) {
	if p := c.P; p != nil {
		var here byte
		u := uintptr(unsafe.Pointer(&here)) >> unitBits
		if e := &t.units[u%tallyUnits]; e.unit == u {
			*(*uint64)(unsafe.Add(unsafe.Pointer(p), e.delta))++
		} else {
			free_markgen_none[0] = t.share(p, u)
		}
	}
	return n
}

// share adds one to a shared counter for unit u, and gives the unit its own if it
// has done so often.
//
//go:norace
//go:nocheckptr
//go:noinline
func (t *Tallies) share(p *uint64, u uintptr) (n Nothing) {
	atomic.AddUint64(p, 1)
	e := &t.units[u%tallyUnits]
	if t.number == 0 || e.unit != 0 {
		return n
	}
	if e.next != u { // of several that take turns here none counts long enough
		e.next, e.often = u, 0
		return n
	}
	if e.often++; e.often >= tallyAfter {
		t.claim(e, u)
	}
	return n
}

// claim gives unit u, the caller's, counters of its own.
//
//go:norace
//go:nocheckptr
func (t *Tallies) claim(e *tally, u uintptr) {
	lock()
	defer unlock()
	if e.unit != 0 {
		return
	}
	table := &tables[t.number-1]
	b := newBlock(BlockCounters, uint32(1+u%tallyUnits), OffCountersData+8*uintptr(table.n))
	if b == nil {
		return
	}
	*(*uint64)(unsafe.Add(b, OffCountersTable)) = t.number - 1
	*(*uint64)(unsafe.Add(b, OffCountersLen)) = uint64(table.n)
	publish(b)
	own := unsafe.Add(b, OffCountersData)
	table.own = append(table.own, own)
	e.delta = uintptr(own) - uintptr(t.shared)
	atomic.StoreUintptr(&e.unit, u)
}

// RegisterTallies is Register for a package that has tallies.
func RegisterTallies(t *Tallies, markers *Marker, nm int, counters *Counter, nc int, text string) bool {
	if !Register(markers, nm, counters, nc, text) {
		return false
	}
	if number, shared := tableOf(counters, nc); shared != nil && tallied {
		t.shared, t.number = shared, number
	}
	return true
}

// tableOf gives the number, from 1, and the shared counters of the table that has
// just been registered with these counters.
//
//go:norace
//go:nocheckptr
func tableOf(counters *Counter, nc int) (number uint64, shared unsafe.Pointer) {
	if counters == nil || nc <= 0 {
		return 0, nil
	}
	lock()
	defer unlock()
	for i := len(tables) - 1; i >= 0; i-- {
		if tables[i].of == counters {
			return uint64(i + 1), tables[i].counters
		}
	}
	return 0, nil
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
	if hot.mode != modeOn || int32(i) <= 0 {
		if i = decide(m); i == 0 {
			return
		}
	}
	pid := procPin()
	if c := cellOf(pid, i); c != nil {
		c.passes++
		procUnpin()
		return
	}
	procUnpin()
	recordSlow(i, passage{})
}

// Point records a passage through m, which has no duration.
func Point(m *Marker) { Pass(m) }
