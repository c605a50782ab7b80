//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/layout"

// With the key outermost a scope inside another of its marker on its goroutine is not
// recorded: of a function that calls itself the calls from outside are. With
// outermost=shut the marker is shut, besides, from the first such scope to the end of
// the one around it, so that the rest cost no more than a test each. Passages of it on
// other goroutines are missed meanwhile.

// within says whether a scope of m, which has that index, is left out since it is inside
// another. Its bit in the mask is set.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) within(m *Marker, index uint32) bool {
	if !conf.Outermost || p.nested(index) == index {
		return false
	}
	if index >= firstIndex {
		if hot.extras&extraPairs != 0 {
			pair(index, index)
		}
		if conf.Shut {
			p.shut(m, index)
		}
	}
	p.over += hot.inner
	return true
}

// leftOut tells triggers that a passage has ended which is not recorded.
//
//go:norace
func leftOut(index uint32) {
	if hot.extras&extraTrigger != 0 {
		endsAt(index, false)
	}
}

// shut shuts m until its outermost scope on the stack ends.
//
//go:norace
//go:nocheckptr
func (p *slot) shut(m *Marker, index uint32) {
	for i := range p.stack.n {
		if r := p.stack.at(i); r.index&^scopeBits == index {
			lock()
			if !p.frozen() { // else the marker is the next run's
				r.index |= shutBit
				setBits(&m.Off, layout.OffByOuter)
			}
			unlock()
			return
		}
	}
}

// reopen ends what shut did to the marker of that index.
//
//go:norace
//go:noinline
func reopen(index uint32) {
	lock()
	clearBits(&live[index-firstIndex].Off, layout.OffByOuter) // under the lock, since sharePages copies the words
	unlock()
}

// reopenAll reopens what the goroutine has shut: it is not known whether a panic has left
// the scopes that are to do so, and no others of their markers would begin and find that
// out.
//
//go:norace
//go:nocheckptr
func (p *slot) reopenAll() {
	if !conf.Shut {
		return
	}
	for i := range p.stack.n {
		if r := p.stack.at(i); r.index&shutBit != 0 {
			r.index &^= shutBit
			reopen(r.index &^ scopeBits)
		}
	}
}
