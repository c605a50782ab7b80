//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/multiset"
)

// Once a goroutine's stack is so deep that searching it takes long, its slot counts the open scopes
// by marker (slot.active).

const (
	deep        = 48 // with more open scopes, the slot gets a set
	shallow     = 16 // with this many or fewer, it loses the set
	firstActive = 64
)

// activeSets makes these sets.
var activeSets = multiset.Pool{Lock: lock, Unlock: unlock, Memory: arena.New}

// noActive is the set of a slot whose run has ended. Code that checks for a set takes the slow path,
// so that goroutines which found their marker on in that run notice there that it has ended.
var noActive = multiset.Empty()

// activate adds n to the number of open scopes of marker index, if the slot counts them.
//
//go:norace
func (p *slot) activate(index, n uint32) {
	a := p.active
	if a == nil || a == noActive {
		return
	}
	if b := a.Add(index, n); b != a && p.setActive(a, b) {
		activeSets.Free(a)
	}
}

// setActive replaces the set, unless the run has ended by now, and reports whether it did.
//
//go:norace
//go:nocheckptr
func (p *slot) setActive(from, to *multiset.Set) bool {
	return atomic.CompareAndSwapPointer((*unsafe.Pointer)(unsafe.Pointer(&p.active)), unsafe.Pointer(from), unsafe.Pointer(to))
}

// frozen reports whether the run of the slot's scopes has ended.
//
//go:norace
func (p *slot) frozen() bool { return p.active == noActive }

// leaveDeep drops the set when the stack is no longer deep: with a set, each scope takes the slow
// path.
//
//go:norace
//go:noinline
func (p *slot) leaveDeep() {
	if a := p.active; a != nil && a != noActive && p.setActive(a, nil) {
		activeSets.Free(a)
	}
}

// newActive returns a set of the scopes on a stack, or nil if there is no memory.
//
//go:norace
func newActive(s *stack) *multiset.Set {
	a := activeSets.New(firstActive)
	for i := uint32(0); a != nil && i < s.n; i++ {
		a = a.Add(s.at(i).index&^scopeBits, 1)
	}
	return a
}
