//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/clock"
	"github.com/markgen/markgen/runtime/layout"
)

// Each goroutine has a slot, found by its g (plain_slot.go, deep_slot.go), with the stack of its
// open scopes. From it follow self times (child), the cost of the markers inside a scope (over),
// whether a scope is inside another of its marker (mask and the records), and which scopes are open
// at the end.
//
// A slot stays with its g. The Go runtime uses the g of goroutines that have ended for new ones, so
// there are never more slots than there were goroutines at one time, and no scope has to claim a
// slot or give it back, which would cost an atomic operation each. Only its goroutine writes a
// slot, and who ends the run (freezeStacks).
type slot struct {
	key   uintptr // whose slot it is, see near; 0: nobody's
	stack *stack  // none until the first scope
	mask  uint64  // bit index modulo 64 of each open scope
	child uint64  // ns of what ended directly inside the innermost
	over  uint64  // cost of all scopes so far, ticks<<costBits; only differences count

	// When recover last stopped a panic, and how many scopes were open then, less those around one
	// that has ended in order since: they were not left.
	recovered uint64
	then      uint32

	unwinding bool // a scope is being ended that a panic or Goexit has left
	delayed   bool // the next record in the trace took longer than usual

	active *active // nil while the stack is not deep; noActive once the run is over
}

// A stack is a BlockStack: room records follow.
type stack struct {
	kind  uint32
	shard uint32
	bytes uint64
	n     uint32 // open scopes
	room  uint32
	read  readingsRef // an address, nothing for readers of the file
	_     [4]uint64
}

// none is the stack of a slot without one.
var none stack

// A record is an open scope on its goroutine's stack.
type record struct {
	start uint64 // ticks
	saved uint64 // slot.child of the scope around it
	over  uint64 // slot.over when it began
	mask  uint64 // slot.mask without it
	index uint32 // of the marker, with scopeBits
	depth uint32 // of a scope that Open has opened, stack in use, in words; else depthScope or depthValue
}

// The depth of scopes that Open has not opened; all others have larger ones.
const (
	depthScope = iota // a Scope, or a value that is exited by a deferred call
	depthValue        // a value
)

// kind is the form of a scope: depthScope, depthValue or kindOpened.
func (r *record) kind() uint32 { return min(r.depth, kindOpened) }

const kindOpened = 2

const (
	firstRoom  = 8
	mostStacks = 4096    // in the data file; more goroutines have theirs in memory only
	firstBit   = 1 << 29 // in record.index: it is the marker's first call, see firstcall.go
	nestedBit  = 1 << 30 // in record.index: it is inside another scope of its marker
	shutBit    = 1 << 31 // in record.index: its marker is off until it ends, see recursion.go
	scopeBits  = firstBit | nestedBit | shutBit
	costBits   = clock.FractionBits // of the fraction in slot.over
)

// The structs and the layout agree, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(record{})-layout.StackSize]
	_ = [1]struct{}{}[unsafe.Offsetof(record{}.index)-layout.StackMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(stack{}.n)-layout.OffStackLen]
	_ = [1]struct{}{}[unsafe.Offsetof(stack{}.room)-layout.OffStackRoom]
	_ = [1]struct{}{}[unsafe.Sizeof(stack{})-layout.OffStackData]
)

//go:norace
//go:nocheckptr
func (s *stack) at(i uint32) *record {
	return (*record)(unsafe.Add(unsafe.Pointer(s), layout.OffStackData+uintptr(i)*layout.StackSize))
}

// busy says whether a scope of that index cannot just be pushed.
//
//go:norace
//go:nocheckptr
func (p *slot) busy(index uint32) bool {
	return p.stack.n == p.stack.room || p.mask>>(index%64)&1 != 0 || p.active != nil
}

// push puts a scope on the stack, which has room, and gives its position, from 1. The caller also
// calls activate if p.active is not nil.
//
//go:norace
//go:nocheckptr
func (p *slot) push(index uint32, t uint64, depth uint32) uint32 {
	s := p.stack
	n := s.n
	r := s.at(n)
	r.start = t
	r.saved = p.child
	r.over = p.over
	r.mask = p.mask
	r.index = index
	r.depth = depth
	p.mask |= 1 << (index % 64)
	p.child = 0
	s.n = n + 1
	return n + 1
}

// nested gives index with nestedBit if a scope of that marker is open. The mask has said that there
// may be one.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) nested(index uint32) uint32 {
	s := p.stack
	if s.n > deep && p.active == nil {
		p.setActive(nil, newActive(s))
	}
	if a := p.active; a != nil {
		if a.count(index) > 0 {
			index |= nestedBit
		}
		return index
	}
	for i := s.n; i > 0; i-- {
		if s.at(i-1).index&^scopeBits == index {
			return index | nestedBit
		}
	}
	return index
}

// Under the lock.
var (
	stacks int     // in the data file so far
	owners []*slot // those that have stacks
)

// grow replaces the stack by a larger one; false: there is no memory, or the run of the scope is
// over. The old stack stays in the file, empty.
//
//go:norace
//go:noinline
func (p *slot) grow() bool {
	old := p.stack
	if old.scopes() != old {
		return false
	}
	from := now()
	lock()
	grown := p.stack == old && underWay() && p.makeRoom()
	unlock()
	if grown {
		p.delayed = true
		p.discount(from)
	}
	return grown
}

// underWay says whether a run has begun. Who found a marker on in the run before may come between the two.
//
//go:norace
func underWay() bool { return hot.mode == modeOn && State() != layout.StateConfigured }

// makeRoom is grow for a caller that holds the lock, in any mode.
//
//go:norace
//go:nocheckptr
func (p *slot) makeRoom() bool {
	old := p.stack
	room := max(2*old.room, firstRoom)
	if room > 1<<26 {
		return false
	}
	size := layout.OffStackData + uintptr(room)*layout.StackSize
	var s *stack
	if old.bytes > 0 || old == &none && stacks < mostStacks { // one that is in memory only stays there
		s = (*stack)(newBlock(layout.BlockStack, 0, size))
		if old == &none {
			stacks++
		}
		if s != nil && !space.inFile {
			s.bytes = 0
		}
	}
	if s == nil {
		s = (*stack)(anonymous(size))
	}
	if s == nil {
		return false
	}
	if old == &none {
		owners = append(owners, p)
	}
	s.room = room
	for i := range old.n {
		*s.at(i) = *old.at(i)
	}
	s.n = old.n
	s.read = old.read
	if s.bytes > 0 {
		publish(unsafe.Pointer(s))
	}
	if old != &none {
		old.n = 0
	}
	p.stack = s
	return true
}

// less is d-cost, 0 at least.
//
//go:norace
func less(d, cost uint64) uint64 {
	if d < cost {
		return 0
	}
	return d - cost
}
