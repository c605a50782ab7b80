//go:build !markgen_off

package perf

import (
	"unsafe"
)

// tallies are counters of one package that goroutines add to without atomic operations.
//
// Stacks consist of units of 2 KB, the smallest size that the Go runtime allocates (stackMin in
// runtime/stack.go), at multiples of that. At any moment a unit belongs to one goroutine at most.
// So if each unit has counters of its own, nobody else adds to them while a function runs in that
// unit, which is known from the address of a local variable. Between taking the address and adding
// nothing is called that could move the stack; a goroutine that is preempted there keeps it.
//
// Units that count much get a block of counters (BlockCounters with a shard number) for good. A
// function looks first where it found its counters last, as most functions are called at one depth
// of one goroutine, and then at the unit's number modulo tallyUnits, where the unit that counted
// last is the first of a list. Other units share a block, and add to it atomically.
type tallies struct {
	units  [tallyUnits]*tallyUnit
	number uint64              // of the table, from 1; 0: nothing is counted
	shared unsafe.Pointer      // the counters that all share
	wanted [tallyUnits]uintptr // the units that TallyOn was called in last
	next   [tallyUnits]uintptr // the units that may become the first of their lists
	calls  [tallyUnits]uint32  // how often Tally was called in those
	last   []*tallyUnit        // the variables of the package's functions
}

// A tallyUnit is the head of the counters of a unit, in their block. Its unit never changes, so who
// has compared that can add to the counters. Each function has a variable that points to the
// tallyUnit that it has used most, lately.
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
