//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"
)

// active counts the open scopes of a goroutine by marker, once its stack is so
// deep that looking through it takes long: a hash table with open addressing,
// whose keys are never deleted.
type active struct {
	used  uint32
	lines uint32 // a power of two
	// lines activeLines follow
}

type activeLine struct{ index, count uint32 } // index 0: empty

const (
	deep        = 48 // open scopes above which there is a table
	shallow     = 16 // and down to which there is one from then on
	firstActive = 64
)

// spareActive are tables that are in use no more, each with the address of the next in its first
// line. Under the lock.
var spareActive *active

//go:norace
//go:nocheckptr
func (a *active) at(i uint32) *activeLine {
	return (*activeLine)(unsafe.Add(unsafe.Pointer(a), unsafe.Sizeof(active{})+uintptr(i)*unsafe.Sizeof(activeLine{})))
}

// line is where index is or would be.
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

// activate changes by n how many scopes of marker index are open, if that is counted.
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

// noActive stands for the table of a slot whose run is over: what is more to be done than usual is looked
// into wherever there is a table, so those who come late, having found their marker on in that run, find out there.
var noActive = struct {
	active
	line activeLine
}{active: active{lines: 1}}

// setActive replaces the table, unless the run is over by now, and says whether it has.
//
//go:norace
//go:nocheckptr
func (p *slot) setActive(from, to *active) bool {
	return atomic.CompareAndSwapPointer((*unsafe.Pointer)(unsafe.Pointer(&p.active)), unsafe.Pointer(from), unsafe.Pointer(to))
}

// frozen says that the run is over that the slot has scopes of.
//
//go:norace
func (p *slot) frozen() bool { return p.active == &noActive.active }

// add changes the count of index by n and returns the table, or the larger one
// that took its place; nil if there is no memory for that.
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
	a = (*active)(anonymous(unsafe.Sizeof(active{}) + uintptr(lines)*unsafe.Sizeof(activeLine{})))
	unlock()
	if a != nil {
		a.lines = lines
	}
	return a
}

// next is where the next of the spare tables is told.
//
//go:norace
//go:nocheckptr
func (a *active) next() **active { return (**active)(unsafe.Pointer(a.at(0))) }

// spare gives a table back that nobody uses any more.
//
//go:norace
//go:nocheckptr
func (a *active) spare() {
	lock()
	*a.next() = spareActive
	spareActive = a
	unlock()
}

// leaveDeep does without the table where the stack is no longer deep: with it, each scope takes the
// long way.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) leaveDeep() {
	if a := p.active; a != nil && a != &noActive.active && p.setActive(a, nil) {
		a.spare()
	}
}

// newActive counts what is on a stack; nil if there is no memory.
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
