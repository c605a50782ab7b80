//go:build markgen_deep && !markgen_off

package perf

import (
	"runtime"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// In a deep build (package overlay/deep) a slot is in its g. It belongs to the run
// whose hot.slots is its key.
var _ = [1]struct{}{}[unsafe.Sizeof(slot{})-unsafe.Sizeof(runtime.MarkgenGoroutine{}.Own)]

// firstSlots gives a new value for hot.slots, under which every slot is empty; nil:
// there is no memory. The caller holds the lock.
func firstSlots(slotSet) unsafe.Pointer { return anonymous(layout.BlockAlign) }

// A slotSet is nothing: the key of the next run is another.
type slotSet struct{}

func takeSlots() (s slotSet)  { return s }
func (slotSet) clear([]*slot) {}

// near gives the slot of goroutine g, the caller, its key and its ID. If the slot has another key
// it is of an earlier run, and find empties it.
//
//go:norace
//go:nocheckptr
func near(g uintptr) (p *slot, key uintptr, number uint64) {
	return (*slot)(unsafe.Pointer(g + slotOffset)), uintptr(hot.slots), goidOf(g)
}

// slotOffset is where in a g its slot is.
const slotOffset = runtime.MarkgenOffset + unsafe.Offsetof(runtime.MarkgenGoroutine{}.Own)

// g is the goroutine's.
//
//go:norace
//go:nocheckptr
func (p *slot) g() uintptr { return uintptr(unsafe.Pointer(p)) - slotOffset }

// find gives the slot of goroutine g, the caller.
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

// present is find, but nil where the slot is still an earlier run's.
//
//go:norace
//go:nocheckptr
func present(g uintptr) *slot {
	if p, key, _ := near(g); p.key == key {
		return p
	}
	return nil
}

// followEnds has goroutines end the scopes that they leave open when they end.
func followEnds() { runtime.MarkgenGone = goroutineEnds }

// goroutineEnds is called by each goroutine as its last act. The scopes that it has left open,
// since runtime.Goexit has ended it, end now.
//
//go:norace
//go:nocheckptr
func goroutineEnds() {
	p, key, _ := near(getg())
	if p.key != key || p.stack.n == 0 || p.stack.scopes() != p.stack {
		return
	}
	p.settle(0, now())
}

// claimGone has nothing to do: a goroutine that ends settles what it leaves.
func (p *slot) claimGone() bool { return false }

// An account is what a goroutine has allocated.
type account struct{ bytes, objects uint64 }

// keepAccount and restore leave out what this package allocates for itself in between.
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
