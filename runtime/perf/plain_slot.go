//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/cct"
	"github.com/markgen/markgen/runtime/internal/goroutine"
	"github.com/markgen/markgen/runtime/layout"
)

// In a build with Go's own package runtime, slots are in hash tables indexed by the address of the
// g, in lines of slotsInLine. A goroutine whose line is full has its slot in the next table, which
// is eight times as large. If the last table is full too, its scopes have no slot, and all their
// time is self time (CellNoSelf counts them).
type slotLine [slotsInLine]slot

const (
	slotTables  = 4
	slotsInLine = 4

	slotBits     = 11 // log2 of the number of lines in the first table
	slotMoreBits = 3
)

var moreSlots [slotTables - 1]unsafe.Pointer // made when needed, under the lock

// A slotSet is the slot tables of a run.
type slotSet struct {
	first unsafe.Pointer
	more  [slotTables - 1]unsafe.Pointer
}

// firstSlots returns the first table for hot.slots: the one of s, if it has one, else a new one;
// nil if there is no memory. The caller holds the lock.
func firstSlots(s slotSet) unsafe.Pointer {
	if s.first == nil {
		return arena.New(unsafe.Sizeof(slotLine{}) << slotBits)
	}
	for i, table := range s.more {
		atomic.StorePointer(&moreSlots[i], table)
	}
	return s.first
}

// takeSlots removes the tables from the run and returns them.
func takeSlots() (s slotSet) {
	s.first = hot.slots
	for i := range moreSlots {
		s.more[i] = moreSlots[i]
		atomic.StorePointer(&moreSlots[i], nil)
	}
	return s
}

// clear empties the slots that have stacks; they stay with their goroutines.
//
//go:norace
func (slotSet) clear(owners []*slot) {
	for _, p := range owners {
		*p = slot{key: p.key, stack: &none}
	}
}

// near returns the most likely slot of goroutine g, the caller, its key and its ID. If the slot has
// another key, find finds the right one.
//
//go:norace
func near(g uintptr) (p *slot, key uintptr, number uint64) {
	number = goidOf(g)
	return &lineOf(hot.slots, slotBits, g)[0], keyOf(g, number), number
}

// keyOf returns the key of a goroutine's slot: the address of its g, which has ownerShift bits, and
// above it the lower bits of its ID. The Go runtime reuses the g of a dead goroutine, and the ID
// makes the new goroutine's key a different one: a goroutine that runtime.Goexit has ended may have
// left scopes open.
func keyOf(g uintptr, number uint64) uintptr { return g ^ uintptr(number<<ownerShift) }

const ownerShift = 48

// g returns the goroutine's g.
//
//go:norace
func (p *slot) g() uintptr { return uintptr(uint64(p.key) & (1<<ownerShift - 1)) }

// find returns the slot of goroutine g, the caller, or nil if there is no room or it is a system
// stack.
//
//go:norace
func find(g uintptr) *slot {
	if onSystemStack(g) {
		return nil
	}
	return lineOf(hot.slots, slotBits, g).find(g, keyOf(g, goidOf(g)))
}

// lineOf returns the line of goroutine g in the table of 1<<lineBits lines. The multiplier is 2^64
// divided by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
//
//go:norace
//go:nocheckptr
func lineOf(table unsafe.Pointer, lineBits uint, g uintptr) *slotLine {
	h := uint64(g) * 0x9e3779b97f4a7c15 >> (64 - lineBits)
	return (*slotLine)(unsafe.Add(table, uintptr(h)*unsafe.Sizeof(slotLine{})))
}

// find searches the line and then the next tables for the slot of goroutine g, the caller. It takes
// over the slot of an earlier goroutine with the same g. It returns nil if there is no room.
//
//go:norace
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
				table = arena.New(unsafe.Sizeof(slotLine{}) << lineBits)
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

// handOver gives the slot to a new goroutine with the same g, and drops the scopes that the earlier
// one has left, unless the run is ending, which drops them itself (endAllLeft). It reports whether
// it did.
//
//go:norace
func (p *slot) handOver(key uintptr) bool {
	if State() == layout.StateStopped || !p.changeKey(key) {
		return false
	}
	p.abandon()
	return true
}

// changeKey changes the slot's key, unless another goroutine does. It reports whether it did.
//
//go:norace
func (p *slot) changeKey(key uintptr) bool {
	old := atomic.LoadUintptr(&p.key)
	return old != key && atomic.CompareAndSwapUintptr(&p.key, old, key)
}

// claimGone reports whether the goroutine of the slot has ended and the caller is the one to end
// its scopes. A new goroutine may have its g by now.
//
//go:norace
func (p *slot) claimGone() bool {
	g, key := p.g(), atomic.LoadUintptr(&p.key)
	if !hasState || !goroutine.IsDead(g, hot.goid) && keyOf(g, goidOf(g)) == key {
		return false
	}
	return atomic.CompareAndSwapUintptr(&p.key, key, keyOf(g, ^goidOf(g)))
}

// present is find: the slots of an earlier run are in other tables.
func present(g uintptr) *slot { return find(g) }

// followStarts does nothing: the start of a goroutine cannot be hooked.
func followStarts() {}

// startedAt returns the node inside which the calling goroutine was started, which is unknown in this build.
func startedAt() uint32 { return cct.Root }

// followEnds does nothing: the end of a goroutine cannot be hooked.
func followEnds() {}

// An account is the total allocation of a goroutine, which is unknown in this build.
type account struct{}

func keepAccount() (a account) { return a }
func (a account) restore()     {}
