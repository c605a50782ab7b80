//go:build !markgen_off

package runtime

import (
	"sync/atomic"
	"unsafe"
)

// Self time. Each goroutine has a slot, found by the address of its g, in which
// the ns of scopes add up that finished directly inside the innermost open one.
// Enter puts that sum aside in the scope and begins with 0; exit takes the sum
// off its own duration and puts back what was there plus its duration.
//
// A slot, once claimed, stays with its g: the Go runtime keeps dead goroutines'
// g for new ones, so there are never more slots than there were goroutines at
// one time, what a dead goroutine left in its slot is set aside by the next
// Enter, and no scope has to claim or give back, which would cost an atomic
// operation each. Only the owner writes a slot.
type slot struct {
	g     uintptr
	child uint64
}

// Slots stand in lines of one cache line each. A goroutine whose line is full
// has its slot in a line of the next, eight times larger table; beyond the last
// its scopes do without: all their time is self time (CellNoSelf counts them).
type slotLine [4]slot

const (
	slotTables   = 4
	slotBits     = 13 // of the first table's line numbers
	slotMoreBits = 3
)

var moreSlots [slotTables - 1]unsafe.Pointer // made when needed, under the lock

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

// firstSlots makes the first table.
func firstSlots() unsafe.Pointer { return anonymous(unsafe.Sizeof(slotLine{}) << slotBits) }

// find gives the slot of goroutine g, the caller, or nil.
//
//go:norace
//go:nocheckptr
//go:noinline
func (l *slotLine) find(g uintptr) *slot {
	for k := 0; ; k++ {
		for i := range l {
			if p := &l[i]; p.g == g {
				return p
			}
		}
		for i := range l {
			if p := &l[i]; p.g == 0 && atomic.CompareAndSwapUintptr(&p.g, 0, g) {
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
