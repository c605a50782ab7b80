//go:build markgen_virtual && !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/goroutine"
)

// Recovered returns v, the result of recover. If recover has stopped a panic, the scopes that the
// panic has left end now.
func Recovered(v any) any {
	if v != nil && atomic.LoadUint32(&hot.mode) == modeOn {
		recovered()
	}
	return v
}

//go:norace
//go:noinline
func recovered() {
	if !hasG {
		return
	}
	p := find(getg())
	if p == nil || p.stack.scopes() != p.stack {
		return
	}
	p.reopenAll()
	p.recovered = now()
	p.then = p.stack.n
	if hot.hooks&hookRead != 0 {
		p.readStopped()
	}
	if top, deepest := panicking(); top > deepest {
		p.endRecovered(top, deepest)
	}
}

// reopenAll turns on all markers that the goroutine has shut. It is called when recover has stopped
// a panic, since the panic may have left the scopes that would reopen them.
//
//go:norace
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

// readStopped reads the collectors when recover has stopped a panic, for the scopes that the panic
// left.
//
//go:norace
func (p *slot) readStopped() {
	rd := p.stack.read.P
	if rd == nil {
		return
	}
	began := now()
	rd.at, rd.over = p.recovered, p.over
	p.take(rd, rd.Stopped(), true)
	p.discountRead(began, 0)
}

// endRecovered ends the scopes left by the panic that recover has just stopped: the scopes of
// Open between the depth top, where the panic began, and deepest, the depth of the caller of the
// function with the deferred call. That function returns next. Scopes above top belong to the
// deferred call, and stay open. If there are too many of these, or traces or collectors need the
// order, the scopes below end after them (endLeft).
//
//go:norace
func (p *slot) endRecovered(top, deepest uint32) {
	s := p.stack
	n := s.n
	for n > 0 && s.at(n-1).depth > top {
		n--
	}
	low := n
	for low > 0 && s.at(low-1).depth > deepest && s.at(low-1).kind() == kindOpened {
		low--
	}
	switch {
	case low == n:
		// Unless Open opened it, the scope at low-1 may belong to the deferred call, with others
		// below.
		if low == 0 || s.at(low-1).kind() == kindOpened {
			p.then = 0
		}
	case n == s.n:
		p.endLeft(low, p.recovered)
		p.then = 0
	case s.n-n <= maxAbove && !p.frozen() && hot.hooks&(hookTrace|hookRead) == 0:
		p.endBelow(low, n)
		p.then = 0
	}
}

// maxAbove is the maximum number of scopes that endBelow can move.
const maxAbove = 8

// endBelow ends the scopes from position low to n, and moves the scopes above them down. The
// duration so far of the lowest scope moved counts as a child of the enclosing scope.
//
//go:norace
func (p *slot) endBelow(low, n uint32) {
	var above [maxAbove]record
	s := p.stack
	count := s.n - n
	for i := range count {
		above[i] = *s.at(n + i)
	}
	child := p.child
	p.child = above[0].saved
	for i := count; i > 0; i-- {
		p.unmask(&above[i-1])
	}
	s.n, s.found = n, min(s.found, n)
	p.endLeft(low, p.recovered)
	if p.stack != s || s.n != low {
		return // the run has ended
	}
	price := uint64(n-low) * hot.cost[kindOpened] // of the scopes that have ended
	above[0].saved = subtract(p.child, toNS(elapsed(above[0].start, p.recovered)))
	for i := range count {
		r := &above[i]
		k := r.index &^ scopeBits
		pos := p.pushIf(p.mask>>(k%64)&1 != 0 && p.nested(k), r.index&^nestedBit, r.start, r.depth)
		to := s.at(pos - 1)
		to.saved, to.over = r.saved, r.over+price
	}
	p.child = child
}

// panicAt is the offset of g._panic in a g, which the linker relies on, and panicFP the offset of
// _panic.fp (runtime/runtime2.go): the frame pointer of the caller of the function whose deferred
// calls the panic runs.
const panicAt = 4 * unsafe.Sizeof(uintptr(0))

var panicFP uintptr // 0 if unknown

// panicking returns the depth of the stack, in words, at the panic whose deferred calls the
// goroutine runs, and at the caller of the function that has deferred these; 0, 0 if unknown. It
// calls nothing that could move the stack.
//
//go:norace
//go:nosplit
func panicking() (top, deepest uint32) {
	if panicFP == 0 {
		return 0, 0
	}
	g, _, hi := frame()
	at := uintptr(goroutine.Word(g, panicAt))
	if at < uintptr(goroutine.Word(g, 0)) || at >= hi {
		return 0, 0
	}
	fp := word(at + panicFP)
	if fp <= at || fp > hi {
		return 0, 0
	}
	return uint32((hi - at) / 8), uint32((hi - fp) / 8)
}

// prepareRecovered finds panicFP. It must not be called concurrently.
func prepareRecovered() {
	if panicFP == 0 {
		findPanicFP()
	}
}

// findPanicFP panics, and compares the words of the _panic with the frames on the stack.
//
//go:norace
//go:noinline
func findPanicFP() {
	const words = 20 // about the size of a _panic
	defer func() {
		if recover() == nil {
			return
		}
		var calls [maxCalls]call
		g, n, _ := walk(&calls)
		for i := 0; i+2 < n; i++ {
			if f := runtime.FuncForPC(calls[i].pc - 1); f == nil || f.Name() != "runtime.gopanic" {
				continue
			}
			at, hi := uintptr(goroutine.Word(g, panicAt)), uintptr(goroutine.Word(g, 8))
			if at < uintptr(goroutine.Word(g, 0)) || at >= hi {
				return
			}
			for k := range uintptr(words) {
				if v := word(at + 8*k); v < hi && v > at && uint32((hi-v)/8) == calls[i+2].words {
					if panicFP != 0 { // both match
						panicFP = 0
						return
					}
					panicFP = 8 * k
				}
			}
			return
		}
	}()
	panic("")
}
