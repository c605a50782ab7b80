//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"
)

// active counts the open scopes of a goroutine by marker, once its stack is so deep that searching
// it takes long. It is a hash table with open addressing, whose keys are never deleted.
type active struct {
	used  uint32
	lines uint32 // a power of two
	// lines activeLines follow
}

type activeLine struct{ index, count uint32 } // index is 0 in an empty line

const (
	deep        = 48 // with more open scopes, the slot gets a table
	shallow     = 16 // with this many or fewer, it loses the table
	firstActive = 64
)

// spareActive is a list of unused tables, each with the address of the next in its first line.
// Under the lock.
var spareActive *active

//go:norace
//go:nocheckptr
func (a *active) at(i uint32) *activeLine {
	return (*activeLine)(unsafe.Add(unsafe.Pointer(a), unsafe.Sizeof(active{})+uintptr(i)*unsafe.Sizeof(activeLine{})))
}

// line returns the line of index, or the empty line where it would be added.
//
//go:norace
func (a *active) line(index uint32) *activeLine {
	for i := index * 0x9e3779b1; ; i++ { // as in lineOf, in 32 bits
		if l := a.at(i & (a.lines - 1)); l.index == index || l.index == 0 {
			return l
		}
	}
}

//go:norace
func (a *active) count(index uint32) uint32 {
	l := a.line(index)
	if l.index == 0 {
		return 0
	}
	return l.count
}

// activate adds n to the number of open scopes of marker index, if the slot counts them.
//
//go:norace
func (p *slot) activate(index, n uint32) {
	a := p.active
	if a == nil || a == &noActive.active {
		return
	}
	if b := a.add(index, n); b != a && p.setActive(a, b) {
		a.spare()
	}
}

// noActive is the table of a slot whose run has ended. Code that checks for a table takes the slow
// path, so that goroutines which found their marker on in that run notice there that it has ended.
var noActive = struct {
	active
	line activeLine
}{active: active{lines: 1}}

// setActive replaces the table, unless the run has ended by now, and reports whether it did.
//
//go:norace
//go:nocheckptr
func (p *slot) setActive(from, to *active) bool {
	return atomic.CompareAndSwapPointer((*unsafe.Pointer)(unsafe.Pointer(&p.active)), unsafe.Pointer(from), unsafe.Pointer(to))
}

// frozen reports whether the run of the slot's scopes has ended.
//
//go:norace
func (p *slot) frozen() bool { return p.active == &noActive.active }

// add adds n to the count of index and returns the table, or the larger table that replaces it; nil
// if there is no memory for a larger one.
//
//go:norace
func (a *active) add(index, n uint32) *active {
	l := a.line(index)
	if l.index == 0 {
		if 2*a.used >= a.lines {
			bigger := makeActive(2 * a.lines)
			if bigger == nil {
				return nil
			}
			for i := range a.lines {
				if l := a.at(i); l.count > 0 {
					*bigger.line(l.index) = *l
					bigger.used++
				}
			}
			a = bigger
			l = a.line(index)
		}
		l.index = index
		a.used++
	}
	l.count += n
	return a
}

//go:norace
//go:nocheckptr
func makeActive(lines uint32) *active {
	lock()
	a := spareActive
	if a != nil && a.lines >= lines {
		spareActive = *a.next()
		unlock()
		clear(unsafe.Slice(a.at(0), a.lines))
		a.used = 0
		return a
	}
	a = (*active)(arena.New(unsafe.Sizeof(active{}) + uintptr(lines)*unsafe.Sizeof(activeLine{})))
	unlock()
	if a != nil {
		a.lines = lines
	}
	return a
}

// next returns where a spare table has the address of the next one.
//
//go:norace
//go:nocheckptr
func (a *active) next() **active { return (**active)(unsafe.Pointer(a.at(0))) }

// spare adds an unused table to spareActive.
//
//go:norace
//go:nocheckptr
func (a *active) spare() {
	lock()
	*a.next() = spareActive
	spareActive = a
	unlock()
}

// leaveDeep drops the table when the stack is no longer deep: with a table, each scope takes the
// slow path.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) leaveDeep() {
	if a := p.active; a != nil && a != &noActive.active && p.setActive(a, nil) {
		a.spare()
	}
}

// newActive returns a table of the scopes on a stack, or nil if there is no memory.
//
//go:norace
//go:nocheckptr
func newActive(s *stack) *active {
	a := makeActive(firstActive)
	for i := uint32(0); a != nil && i < s.n; i++ {
		a = a.add(s.at(i).index&^scopeBits, 1)
	}
	return a
}
