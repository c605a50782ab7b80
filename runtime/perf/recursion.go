//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// With the key outermost only the outermost calls of a recursive function are recorded: a scope
// inside another of its marker on the same goroutine is left out. With outermost=shut, the first
// such scope also turns the marker off until the outermost one ends, so that the deeper calls cost
// one test each. Calls on other goroutines are missed meanwhile.

// leaveOut is called instead of opening a scope of m, which has that index, inside another of m.
//
//go:norace
//go:noinline
func (p *slot) leaveOut(m *Marker, index uint32) {
	if index >= firstIndex {
		if hot.hooks&hookPairs != 0 {
			pair(index, index)
		}
		if conf.Shut {
			p.turnOffInner(m, index)
		}
	}
	p.over += hot.inner
	if hot.hooks&hookTrigger != 0 {
		endsAt(index, false)
	}
}

// turnOffInner turns m off until its outermost scope on the stack ends.
//
//go:norace
func (p *slot) turnOffInner(m *Marker, index uint32) {
	for i := range p.stack.n {
		if r := p.stack.at(i); r.index&^scopeBits == index {
			lock()
			if !p.frozen() { // else the marker belongs to the next run
				r.index |= shutBit
				shared.SetBits(&m.Off, layout.OffByOuter)
			}
			unlock()
			return
		}
	}
}

// reopen turns the marker of that index on again.
//
//go:norace
//go:noinline
func reopen(index uint32) {
	lock()
	live[index-firstIndex].marker.clearOff(layout.OffByOuter) // under the lock, since sharePages copies the words
	unlock()
}
