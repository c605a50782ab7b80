//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
)

// Count adds one to c. It inlines into its caller.
func Count(c *Counter) {
	if c != nil && c.P != nil {
		atomic.AddUint64(c.P, 1)
	}
}

// Pass counts one execution of m, a marker that is counted and not timed.
func Pass(m *Marker) { pass(m) }

// pass is Pass for use in an assignment.
//
//go:norace
func pass(m *Marker) (n [0]byte) {
	if m == nil {
		return n
	}
	i := m.index
	if m.Off != 0 || int32(i) <= 0 {
		if i = decide(m); i == 0 {
			return n
		}
	}
	if w := hot.window; w.width != noWindow {
		if t := now(); t-w.from > w.width && !w.includes(i, t) {
			return n
		}
	}
	if hot.hooks != 0 && lostOnSystemStack() {
		return n
	}
	if hot.hooks&hookTrace != 0 {
		if tracePoint(i); hot.hooks&hookUntimed != 0 {
			recorded(i)
			return n
		}
	}
	if hot.hooks&hookPaths != 0 {
		recordSlow(i, &endedScope{at: now(), node: pointPath(i)})
		recorded(i)
		return n
	}
	pid := procPin()
	if c := cellOf(pid, i); c != nil {
		c.Passes++
		procUnpin()
	} else {
		procUnpin()
		recordSlow(i, &endedScope{at: now()})
	}
	if hot.hooks != 0 {
		recorded(i)
	}
	return n
}

// Point records an execution of m, which has no duration.
func Point(m *Marker) { pass(m) }

// tallies are counters of one package that goroutines add to without atomic operations.
//
// Stacks consist of units of 2 KB, the smallest size that the Go runtime allocates (stackMin in
// runtime/stack.go), at multiples of that. At any moment a unit belongs to at most one goroutine.
// So if each unit has its own counters, no other goroutine adds to them while a function runs in
// that unit, which the address of a local variable identifies. Between taking the address and
// adding, nothing is called that could move the stack; a goroutine that is preempted there keeps
// it.
//
// Units that count much get a permanent block of counters (BlockCounters with a shard number), in a list
// at the unit's place (placeOf), whose first element is the unit that counted last. Code that counts
// blocks first tries the counters that its function used last, as most functions are called at one depth
// of one goroutine. All other units share a block, and add to it atomically.
type tallies struct {
	units  [tallyUnits]*tallyUnit
	number uint64              // of the table, from 1; 0 if nothing is counted
	shared unsafe.Pointer      // the counters that other units share
	wanted [tallyUnits]uintptr // per place, the unit in which TallyOn was last called
	next   [tallyUnits]uintptr // per place, the unit that may become the first of its list
	calls  [tallyUnits]uint32  // how often the unit in next called Tally
	last   []*tallyUnit        // the variables of the package's functions whose blocks are counted
}

// A tallyUnit is the head of a unit's counters, in their block. Its unit does not change while the run
// lasts, so code that has compared the unit can add to the counters. A function whose blocks are counted
// has a variable that points to the tallyUnit that it has used most recently; so has each call of a
// marked copy.
type tallyUnit struct {
	behind *tallyUnit // next in the list of its place in tallies.units; read under the lock
	unit   uintptr    // the unit's address / unitSize; noUnit once another run has begun
}

const noUnit = ^uintptr(0)

const (
	tallyBits  = 8
	tallyUnits = 1 << tallyBits
	unitSize   = 2 << 10
)

// counter returns counter i, from 0.
//
//go:nosplit
func (o *tallyUnit) counter(i uintptr) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(o), unsafe.Sizeof(*o)+8*i))
}

// talliedBytes is the memory used for the counters of units, in bytes. Under the lock.
var talliedBytes uintptr

// tallied says whether stack units have their own counters. The race detector would see successive
// owners of a unit add to its counters, but not what orders them.
const tallied = hasG && !shared.Race
