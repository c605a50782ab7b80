//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/clock"
	"github.com/markgen/markgen/runtime/layout"
)

// Each goroutine has a slot, found by its g (plain_slot.go, deep_slot.go), with the
// stack of its open scopes. It gives self times (a scope's children add up in child), what the
// markers inside a scope have cost it (over), whether a scope runs inside another
// of its own marker (mask and the records), and what is still open at the end.
//
// A slot, once claimed, stays with its g: the Go runtime keeps dead goroutines'
// g for new ones, so there are never more slots than there were goroutines at
// one time, and no scope has to claim or give back, which would cost an atomic
// operation each. Only the owner writes a slot, but for who ends the run, see freezeStacks.
type slot struct {
	key   uintptr // whose slot it is, see near; 0: nobody's
	stack *stack  // none until the first scope
	mask  uint64  // bit index modulo 64 of each open scope
	child uint64  // ns of what ended directly inside the innermost
	over  uint64  // what the scopes that have ended cost, ticks<<costBits; only differences mean anything

	// When recover last stopped a panic, and how many were open then: none of those that what ended
	// in order since was inside of has been left by it.
	recovered uint64
	then      uint32

	left    bool // a scope is being ended that was left without its end
	delayed bool // what is recorded next has taken longer

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
	depth uint32 // of an opened one: stack in use, in words; else depthScope or depthValue
}

// What stands for the depth of scopes that are not opened. Those of the others are larger.
const (
	depthScope = iota // a Scope, or a value that is exited by a deferred call
	depthValue        // a value
)

// kind says how a scope is planted: depthScope, depthValue or kindOpened.
func (r *record) kind() uint32 { return min(r.depth, kindOpened) }

const kindOpened = 2

const (
	firstRoom  = 8
	mostStacks = 4096    // in the data file; more goroutines have theirs in memory only
	firstBit   = 1 << 29 // in record.index: what it takes is to be kept apart, see firstcall.go
	nestedBit  = 1 << 30 // the same: it is inside another scope of the same marker
	shutBit    = 1 << 31 // the same: the marker is shut until it ends, see within
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

// busy says whether there is no room on the stack for a scope, or more to be done than to push it.
//
//go:norace
//go:nocheckptr
func (p *slot) busy(index uint32) bool {
	return p.stack.n == p.stack.room || p.mask>>(index%64)&1 != 0 || p.active != nil
}

// push puts a scope on the stack and gives its position, from 1. There is room. What is active is
// told besides.
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

// nested gives index with nestedBit if a scope of that marker is open. It is
// called when the mask says that there may be one.
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

// grow makes room on the stack; false: there is no memory, or the run is over that the scope would be
// of. The old stack is left where it is, empty, at most as large as the new one.
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
		p.overlook(from)
	}
	return grown
}

// underWay says whether there is a run that has begun, which whoever saw a marker on in the run before
// may come late for.
//
//go:norace
func underWay() bool { return hot.mode == modeOn && State() != layout.StateConfigured }

// makeRoom is grow under the lock, whatever the mode.
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
