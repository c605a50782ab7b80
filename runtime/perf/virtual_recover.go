//go:build markgen_virtual && !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Recovered returns v, what recover returned, and takes note of the moment if
// that was a panic's value: the scopes that the panic has left end now.
func Recovered(v any) any {
	if v != nil && atomic.LoadUint32(&hot.mode) == modeOn {
		recovered()
	}
	return v
}

//go:norace
//go:nocheckptr
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
	if hot.extras&extraRead != 0 {
		p.readStopped()
	}
	if top, deepest := panicking(); top > deepest {
		p.settleRecovered(top, deepest)
	}
}

// settleRecovered ends the scopes that a panic has left which recover has just stopped: opened ones in the part of the
// stack from where it began, top words deep, to that of the function that deferred the caller of recover. That
// function returns next. Scopes that are open on top of them are the caller's, and stay. Where more hangs on how many there are below, what was left ends when these have
// (settle).
//
//go:norace
//go:nocheckptr
func (p *slot) settleRecovered(top, deepest uint32) {
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
		if low == 0 || s.at(low-1).kind() == kindOpened { // else it could be the caller's, which lets nobody see below
			p.then = 0
		}
	case n == s.n:
		p.settle(low, p.recovered)
		p.then = 0
	case s.n-n <= mostAbove && !p.frozen() && hot.extras&(extraTrace|extraRead) == 0:
		p.settleBelow(low, n)
		p.then = 0
	}
}

// mostAbove is how many scopes settleBelow takes aside at most.
const mostAbove = 8

// settleBelow ends the scopes from low to n, and those above keep their places, less these: they are put back onto what is left.
// The time that the lowest of them has taken so far is part of what it stood in.
//
//go:norace
//go:nocheckptr
func (p *slot) settleBelow(low, n uint32) {
	var above [mostAbove]record
	s := p.stack
	count := s.n - n
	for i := range count {
		above[i] = *s.at(n + i)
	}
	child := p.child
	p.child, p.mask = above[0].saved, above[0].mask
	s.n = n
	p.settle(low, p.recovered)
	if p.stack != s || s.n != low {
		return // the run is over
	}
	price := uint64(n-low) * hot.whole[kindOpened] // of those that ended; what else took time meanwhile did so in those above
	above[0].saved = less(p.child, toNS(passed(above[0].start, p.recovered)))
	for i := range count {
		r := &above[i]
		r.over += price
		r.mask = p.mask
		p.mask |= 1 << (r.index &^ scopeBits % 64)
		*s.at(low + i) = *r
		s.n++
	}
	p.child = child
}

// A g knows the panic that its deferred calls are made for (the place of _panic is known to the linker), and that, at panicFP, down to where
// the stack is in use by what has called the function that deferred them (runtime/runtime2.go: _panic.fp).
const panicAt = 4 * unsafe.Sizeof(uintptr(0))

var panicFP uintptr // 0: not known

// panicking says how many words of the stack are in use down to the panic whose deferred calls the goroutine makes, and down to
// what has called the function that deferred these. 0, 0: nobody knows. Nothing moves the stack meanwhile.
//
//go:norace
//go:nocheckptr
//go:nosplit
func panicking() (top, deepest uint32) {
	if panicFP == 0 {
		return 0, 0
	}
	g, _, hi := frame()
	at := uintptr(gWord(g, panicAt))
	if at < uintptr(gWord(g, 0)) || at >= hi {
		return 0, 0
	}
	fp := word(at + panicFP)
	if fp <= at || fp > hi {
		return 0, 0
	}
	return uint32((hi - at) / 8), uint32((hi - fp) / 8)
}

// prepareRecovered finds out what Recovered needs to know. It may be called once at a time.
func prepareRecovered() {
	if panicFP == 0 {
		findPanicFP()
	}
}

// findPanicFP panics and recovers to find out where panicFP is.
//
//go:norace
//go:nocheckptr
//go:noinline
func findPanicFP() {
	const words = 20 // a _panic has about as many
	defer func() {
		if recover() == nil {
			return
		}
		var calls [mostCalls]call
		g, n, _ := walk(&calls)
		for i := 0; i+2 < n; i++ {
			if f := runtime.FuncForPC(calls[i].pc - 1); f == nil || f.Name() != "runtime.gopanic" {
				continue
			}
			at, hi := uintptr(gWord(g, panicAt)), uintptr(gWord(g, 8))
			if at < uintptr(gWord(g, 0)) || at >= hi {
				return
			}
			for k := range uintptr(words) {
				if v := word(at + 8*k); v < hi && v > at && uint32((hi-v)/8) == calls[i+2].words {
					if panicFP != 0 { // it could be either
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
