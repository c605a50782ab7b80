//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/internal/clock"
	"github.com/markgen/markgen/runtime/layout"
)

// Each goroutine has a slot, found by its g (plain_slot.go, deep_slot.go), with the stack of its
// open scopes. The slot yields self times (child), the cost of the markers inside a scope (over),
// whether a scope is nested in another of the same marker (mask and the records), and the scopes
// that are open at the end.
//
// A slot stays with its g. The Go runtime reuses the g of dead goroutines, so there are never more
// slots than there were goroutines at one time, and no scope has to claim or release a slot, which
// would cost an atomic operation each. A slot is written only by its goroutine and by the goroutine
// that ends the run (freezeStacks).
type slot struct {
	_     [0]func() // not comparable: == would add code
	key   uintptr   // identifies the g, see near; 0 if the slot is free
	stack *stack    // &none until the first scope
	mask  uint64    // bit index%64 is set for each open scope
	child uint64    // total duration of the scopes that ended directly inside the innermost one, ns
	over  uint64    // cost of all scopes so far, ticks<<costBits; only differences matter

	// When recover last stopped a panic (tick), and how many scopes were open then, less those
	// around one that has since ended normally, since the panic did not leave them.
	recovered uint64
	then      uint32

	unwinding bool // a scope that a panic or Goexit has left is being ended
	delayed   bool // the next record in the trace took longer than usual

	runEnded uint32 // 1 once the run of its scopes is over, see freezeStacks
}

// A stack is a BlockStack, followed by room records.
type stack struct {
	_     [0]func() // not comparable: == would add code
	kind  uint32
	shard uint32
	bytes uint64
	n     uint32 // open scopes
	room  uint32
	read  blocks.Ref[readings]  // an address; meaningless to readers of the file
	nodes blocks.Ref[pathNodes] // likewise
	found uint32                // positions whose nodes are known, see path.go
	outer uint32                // position of the latest scope with outerBit, see wholepath.go
	_     [4]uint32
}

// none is the stack of a slot that has no stack of its own.
var none stack

// A record is an open scope on its goroutine's stack.
type record struct {
	start uint64 // start, ticks
	saved uint64 // slot.child of the enclosing scope
	over  uint64 // slot.over at the start
	mask  uint64 // slot.mask without it; see pushIf if it is nested
	index uint32 // of the marker, with scopeBits
	depth uint32 // for a scope that Open opened: stack in use, in words; else 0
}

// kind returns the form of the scope: kindScope or kindOpened.
func (r *record) kind() uint32 { return min(r.depth, kindOpened) }

const (
	kindScope  = iota // a Scope or an Entered
	kindOpened        // opened by Open or Begin
)

const (
	firstRoom = 8
	maxStacks = 4096    // in the data file; the stacks of further goroutines are in memory only
	firstBit  = 1 << 29 // in record.index: it belongs to the marker's first call, see firstcall.go
	nestedBit = 1 << 30 // in record.index: it is inside another scope of the same marker
	shutBit   = 1 << 31 // in record.index: its marker is off until it ends, see recursion.go
	scopeBits = firstBit | nestedBit | shutBit | wholeBits
	costBits  = clock.FractionBits // of the fraction in slot.over
)

// These fail to compile if the structs and the layout differ.
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

// busy reports whether a scope of that index needs more than a push.
//
//go:norace
func (p *slot) busy(index uint32) bool {
	return p.stack.n == p.stack.room || p.mask>>(index%64)&1 != 0 || p.runEnded != 0
}

// frozen reports whether the run of the slot's scopes has ended. A goroutine that found its marker
// on in that run notices it there.
//
//go:norace
func (p *slot) frozen() bool { return p.runEnded != 0 }

// push puts a scope that is not nested on the stack, which has room, and returns its position, from
// 1.
//
//go:norace
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

// pushIf is push for a scope that may be nested: inside another of its marker. The mask has the bit
// of a nested scope already, so its record has the position of the next scope below that is not
// nested instead. Searches follow it past recursion, and meet each open marker once.
//
//go:norace
func (p *slot) pushIf(nested bool, index uint32, t uint64, depth uint32) uint32 {
	if !nested {
		return p.push(index, t, depth)
	}
	mask, below := p.mask, p.stack.skip(p.stack.n)
	pos := p.push(index|nestedBit, t, depth)
	p.stack.at(pos-1).mask, p.mask = uint64(below), mask
	return pos
}

// skip returns the position of the innermost scope that is not nested, up to position pos, from 1; 0
// if there is none.
//
//go:norace
func (s *stack) skip(pos uint32) uint32 {
	if pos > 0 && s.at(pos-1).index&nestedBit != 0 {
		return uint32(s.at(pos - 1).mask)
	}
	return pos
}

// nested reports whether a scope of that index is open. The mask has shown that there may be one.
//
//go:norace
//go:noinline
func (p *slot) nested(index uint32) bool {
	s := p.stack
	for pos := s.skip(s.n); pos > 0; pos = s.skip(pos - 1) {
		if s.at(pos-1).index&^scopeBits == index {
			return true
		}
	}
	return false
}

// Under the lock.
var (
	stacks int     // number in the data file so far
	owners []*slot // slots that have stacks
)

// grow replaces the stack by a larger one. It returns false if there is no memory, or the scope's
// run has ended. The old stack stays in the file, empty.
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

// underWay reports whether a run has begun. A goroutine that found a marker on in the previous run
// may call it between two runs.
//
//go:norace
func underWay() bool { return hot.mode == modeOn && State() != layout.StateConfigured }

// makeRoom is grow for a caller that holds the lock, whatever hot.mode is.
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
	if old.bytes > 0 || old == &none && stacks < maxStacks { // a stack in memory only stays there
		s = (*stack)(space.New(layout.BlockStack, 0, size))
		if old == &none {
			stacks++
		}
		if s != nil && !space.InFile() {
			s.bytes = 0
		}
	}
	if s == nil {
		s = (*stack)(arena.New(size))
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
	s.read, s.outer = old.read, old.outer
	followPaths(s, old)
	if s.bytes > 0 {
		space.Publish(unsafe.Pointer(s))
	}
	if old != &none {
		old.n = 0
	}
	p.stack = s
	return true
}

// subtract returns d-cost, or 0 if cost is larger.
//
//go:norace
func subtract(d, cost uint64) uint64 {
	if d < cost {
		return 0
	}
	return d - cost
}
