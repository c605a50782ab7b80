//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// In a build with Go's own package runtime, slots are in tables by the address of the
// g. They stand in lines there. A goroutine whose line is full has its slot in a line of
// the next, eight times larger table; beyond the last its scopes do without: all
// their time is self time (CellNoSelf counts them).
type slotLine [slotsInLine]slot

const (
	slotTables  = 4
	slotsInLine = 4

	slotBits     = 11 // of the first table's line numbers
	slotMoreBits = 3
)

var moreSlots [slotTables - 1]unsafe.Pointer // made when needed, under the lock

// A slotSet is the tables of a run.
type slotSet struct {
	first unsafe.Pointer
	more  [slotTables - 1]unsafe.Pointer
}

// firstSlots makes room for slots, for hot.slots, or has it in a set that nobody needs; nil: there is no memory. The caller holds the lock.
func firstSlots(s slotSet) unsafe.Pointer {
	if s.first == nil {
		return anonymous(unsafe.Sizeof(slotLine{}) << slotBits)
	}
	for i, table := range s.more {
		atomic.StorePointer(&moreSlots[i], table)
	}
	return s.first
}

// takeSlots takes leave of all slots there are.
func takeSlots() (s slotSet) {
	s.first = hot.slots
	for i := range moreSlots {
		s.more[i] = moreSlots[i]
		atomic.StorePointer(&moreSlots[i], nil)
	}
	return s
}

// clear makes the slots empty that have had stacks; they stay with their goroutines.
//
//go:norace
func (slotSet) clear(owners []*slot) {
	for _, p := range owners {
		*p = slot{key: p.key, stack: &none}
	}
}

// near is where the slot of goroutine g, the caller, is most likely, which goes by that number. It is that if key
// is its key; else find knows.
//
//go:norace
//go:nocheckptr
func near(g uintptr) (p *slot, key uintptr, number uint64) {
	number = goidOf(g)
	return &lineOf(hot.slots, slotBits, g)[0], keyOf(g, number), number
}

// keyOf is the key of a goroutine's slot: the address of its g, which has ownerShift bits, and above
// it the lower bits of its number. The Go runtime gives a g to another goroutine when one has
// ended, and what runtime.Goexit ends may have scopes open that no deferred call ends; so who comes next
// has another key.
func keyOf(g uintptr, number uint64) uintptr { return g ^ uintptr(number<<ownerShift) }

const ownerShift = 48

// g is the goroutine's.
//
//go:norace
func (p *slot) g() uintptr { return uintptr(uint64(p.key) & (1<<ownerShift - 1)) }

// find gives the slot of goroutine g, the caller, or nil: a thread's own stack has none.
//
//go:norace
//go:nocheckptr
func find(g uintptr) *slot {
	if onSystemStack(g) {
		return nil
	}
	return lineOf(hot.slots, slotBits, g).find(g, keyOf(g, goidOf(g)))
}

// lineOf gives the line of goroutine g in the table of 1<<lineBits lines. The
// multiplier is 2^64 divided by the golden ratio (Knuth, The Art of Computer
// Programming 3, 6.4).
//
//go:norace
//go:nocheckptr
func lineOf(table unsafe.Pointer, lineBits uint, g uintptr) *slotLine {
	h := uint64(g) * 0x9e3779b97f4a7c15 >> (64 - lineBits)
	return (*slotLine)(unsafe.Add(table, uintptr(h)*unsafe.Sizeof(slotLine{})))
}

// find gives the slot of goroutine g, the caller, in the line or behind it, and makes it its own if it was
// another's of the same g; nil: there is no room.
//
//go:norace
//go:nocheckptr
//go:noinline
func (l *slotLine) find(g, key uintptr) *slot {
	for k := 0; ; k++ {
		for i := range l {
			if p := &l[i]; p.g() == g {
				if p.key == key || p.handOver(key) {
					return p
				}
				return nil
			}
		}
		for i := range l {
			if p := &l[i]; p.key == 0 && atomic.CompareAndSwapUintptr(&p.key, 0, key) {
				p.stack = &none
				return p
			}
		}
		if k == len(moreSlots) {
			return nil
		}
		table := atomic.LoadPointer(&moreSlots[k])
		lineBits := uint(slotBits + slotMoreBits*(k+1))
		if table == nil {
			lock()
			if table = moreSlots[k]; table == nil {
				table = anonymous(unsafe.Sizeof(slotLine{}) << lineBits)
				atomic.StorePointer(&moreSlots[k], table)
			}
			unlock()
			if table == nil {
				return nil
			}
		}
		l = lineOf(table, lineBits, g)
	}
}

// handOver makes the slot that of another goroutine of the same g, unless the run is ending, which is to settle what the
// earlier one has left.
//
//go:norace
func (p *slot) handOver(key uintptr) bool {
	if State() == layout.StateStopped || !p.changeKey(key) {
		return false
	}
	p.abandon()
	return true
}

// changeKey gives the slot another key, unless somebody else does.
//
//go:norace
func (p *slot) changeKey(key uintptr) bool {
	old := atomic.LoadUintptr(&p.key)
	return old != key && atomic.CompareAndSwapUintptr(&p.key, old, key)
}

// claimGone says whether the goroutine of the slot has ended, and nobody else settles what it has left. Its g may be
// another's by now.
//
//go:norace
//go:nocheckptr
func (p *slot) claimGone() bool {
	g, key := p.g(), atomic.LoadUintptr(&p.key)
	if !hasState || !isDead(g) && keyOf(g, goidOf(g)) == key {
		return false
	}
	return atomic.CompareAndSwapUintptr(&p.key, key, keyOf(g, ^goidOf(g)))
}

// present is find: an earlier run's slots are in tables of their own.
func present(g uintptr) *slot { return find(g) }

// followEnds: nobody knows when a goroutine ends.
func followEnds() {}

// An account is what a goroutine has allocated; it is not known.
type account struct{}

func keepAccount() (a account) { return a }
func (a account) restore()     {}
