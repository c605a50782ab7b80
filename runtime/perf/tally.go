//go:build !markgen_off

package perf

import (
	"unsafe"
)

// tallies are one package's counters by goroutine, for counting without atomic
// operations.
//
// A goroutine's stack is made of units of 2 KB, the least that the Go runtime
// gives (stackMin in runtime/stack.go) at addresses that are multiples of it. At
// any moment a unit belongs to one goroutine at most, so what a function adds to
// while it stands in a unit nobody else adds to if each unit has counters of its
// own. The unit is told from the address of a local variable. Between that and
// the addition nothing is called that could need more stack, so the stack can't have
// moved; if the goroutine is preempted in between, its stack waits with it.
//
// Units that count much get a block of counters (BlockCounters with a shard
// number) for good. A function finds them where it found them last, since most
// functions are called at one depth of one goroutine most of the time; else by the
// unit's number modulo tallyUnits, where the one that counted last is in front. All
// others add atomically to those that all share.
type tallies struct {
	units  [tallyUnits]*tallyUnit
	number uint64              // of the table, from 1; 0: nothing is counted
	shared unsafe.Pointer      // the counters that all share
	wanted [tallyUnits]uintptr // the units that TallyOn has met last
	next   [tallyUnits]uintptr // the units that may be the next in front
	often  [tallyUnits]uint32  // how often those have come to Tally
	last   []*tallyUnit        // the variables of the package's functions
}

// A tallyUnit stands before the counters of a unit, in their block, and does not change:
// whoever has read the unit has the counters that go with it. A variable of every function
// points to that of the unit which the function was last met in often, at first to one of no unit.
type tallyUnit struct {
	behind *tallyUnit // another one for the same place of Tallies.units; read under the lock
	unit   uintptr    // address of the unit
}

const (
	tallyUnits = 256
	unitSize   = 2 << 10
)

// counter is counter i, from 0.
//
//go:nosplit
func (o *tallyUnit) counter(i uintptr) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(o), unsafe.Sizeof(*o)+8*i))
}

// talliedBytes is how many bytes the counters of units take. Under the lock.
var talliedBytes uintptr
