//go:build markgen_deep && !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/cct"
	"github.com/markgen/markgen/runtime/layout"
)

// In a deep build (package overlay/deep) a slot is part of its g. It belongs to the run whose
// hot.slots is its key.
var _ = [1]struct{}{}[unsafe.Sizeof(slot{})-unsafe.Sizeof(runtime.MarkgenGoroutine{}.Own)]

// firstSlots returns a new value for hot.slots, which makes every slot count as empty, or nil if
// there is no memory. The caller holds the lock.
func firstSlots(slotSet) unsafe.Pointer { return arena.New(layout.BlockAlign) }

// A slotSet is empty: the next run has a different key.
type slotSet struct{}

func takeSlots() (s slotSet)  { return s }
func (slotSet) clear([]*slot) {}

// near returns the slot of goroutine g, the caller, its key and its ID. If the slot has another
// key, it belongs to an earlier run, and find empties it.
//
//go:norace
//go:nocheckptr
func near(g uintptr) (p *slot, key uintptr, number uint64) {
	return (*slot)(unsafe.Pointer(g + slotOffset)), uintptr(hot.slots), goidOf(g)
}

// slotOffset is the offset of the slot in a g.
const slotOffset = runtime.MarkgenOffset + unsafe.Offsetof(runtime.MarkgenGoroutine{}.Own)

// g returns the goroutine's g.
//
//go:norace
//go:nocheckptr
func (p *slot) g() uintptr { return uintptr(unsafe.Pointer(p)) - slotOffset }

// find returns the slot of goroutine g, the caller.
//
//go:norace
//go:nocheckptr
//go:noinline
func find(g uintptr) *slot {
	p, key, _ := near(g)
	if p.key != key {
		*p = slot{key: key, stack: &none}
	}
	return p
}

// present is find, but returns nil if the slot still belongs to an earlier run.
//
//go:norace
//go:nocheckptr
func present(g uintptr) *slot {
	if p, key, _ := near(g); p.key == key {
		return p
	}
	return nil
}

// followStarts makes each goroutine begin at the path of the one that starts it.
func followStarts() { runtime.MarkgenStarts = goroutineStarts }

// goroutineStarts is called by a goroutine that is about to start another. It returns its node, and
// above it the lower bits of the number of the run.
//
//go:norace
//go:nocheckptr
func goroutineStarts() uint64 {
	node := uint32(cct.None)
	if p, key, _ := near(getg()); p.key != key || p.stack == &none {
		node = startedAt()
	} else if s := p.stack.scopes(); !p.frozen() {
		node = s.node(s.n)
	}
	return atomic.LoadUint64(&runs)<<32 | uint64(node)
}

// startedAt returns the node inside which the calling goroutine was started.
//
//go:norace
func startedAt() uint32 {
	if w := runtime.Markgen().Start; w>>32 == atomic.LoadUint64(&runs)&(1<<32-1) && uint32(w) != cct.None {
		return uint32(w)
	}
	return cct.Root
}

// followEnds makes each ending goroutine call goroutineEnds.
func followEnds() { runtime.MarkgenGone = goroutineEnds }

// goroutineEnds is called by each goroutine as its last act. It ends the scopes that runtime.Goexit
// has left open.
//
//go:norace
//go:nocheckptr
func goroutineEnds() {
	p, key, _ := near(getg())
	if p.key == key && p.stack.nodes.P != nil {
		p.stack.nodes.P[0].node = cct.None // where the next goroutine of the g starts is not known yet
	}
	if p.key != key || p.stack.n == 0 || p.stack.scopes() != p.stack {
		return
	}
	p.endLeft(0, now())
}

// claimGone returns false: a goroutine that ends also ends its own scopes.
func (p *slot) claimGone() bool { return false }

// An account is the total allocation of a goroutine.
type account struct{ bytes, objects uint64 }

// keepAccount and restore exclude what this package allocates for itself between the two calls.
//
//go:norace
func keepAccount() account {
	g := runtime.Markgen()
	return account{g.Bytes, g.Objects}
}

//go:norace
func (a account) restore() {
	g := runtime.Markgen()
	g.Bytes, g.Objects = a.bytes, a.objects
}
