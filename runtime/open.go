//go:build !markgen_off

package runtime

import (
	"sync/atomic"
	"unsafe"
)

// A Token stands for a scope that Open has opened; 0 for none.
type Token uint32

// Nothing is what the functions return that are called in an assignment.
type Nothing = [0]byte

// Open opens a scope for m, if it is collected, and puts its token into t. The
// function it stands in calls Shut on every way out but a panic or
// runtime.Goexit: what these leave open ends when recover stops the panic
// (Recovered), at the latest when a scope around it ends, and is reported as open
// if none is. Open inlines into its caller, which then costs one test while the
// marker is off.
func Open(m *Marker, t *Token) (n Nothing) {
	if m.Off == 0 {
		*t = open(m)
	}
	return n
}

// Shut ends the scope that t stands for, if there is one.
func Shut(t Token) (n Nothing) {
	if t != 0 {
		shut(t)
	}
	return n
}

//go:norace
//go:nocheckptr
//go:noinline
func open(m *Marker) Token {
	i := m.index
	if hot.mode != modeOn || int32(i) <= 0 {
		if i = decide(m); i == 0 {
			return 0
		}
	}
	t, g, depth := ticksAndDepth()
	if hot.mono {
		t = uint64(nanotime())
	}
	var p *slot
	if hasG {
		l := lineOf(hot.slots, slotBits, g)
		if p = &l[0]; p.g != g {
			p = l.find(g)
		}
	}
	if p == nil || p.n == p.room && !p.grow() {
		recordSlow(i, passage{}) // that it passed is known, how long it takes is not
		return 0
	}
	words := uint32(depth / 8)
	if p.n > 0 && p.at(p.n-1).depth >= words {
		p.unwind(i, words, t)
	}
	j := i
	if p.mask>>(i%64)&1 != 0 {
		j = p.nested(i)
	}
	return Token(p.push(j, t, words))
}

//go:norace
//go:nocheckptr
//go:noinline
func shut(n Token) {
	var t uint64
	var g uintptr
	if hot.mono {
		t, g = uint64(nanotime()), getg()
	} else {
		t, g = ticksAndG()
	}
	l := lineOf(hot.slots, slotBits, g)
	p := &l[0]
	if p.g != g {
		p = l.find(g)
	}
	if p == nil || p.n < uint32(n) {
		return
	}
	if p.n > uint32(n) {
		p.settle(uint32(n), t)
	}
	p.end(t)
}

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
	g := getg()
	if p := lineOf(hot.slots, slotBits, g).find(g); p != nil {
		p.recovered = now()
		p.then = p.n
	}
}

// closeOpen tells the data file which scopes are open. Their goroutines may be
// running. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func closeOpen() {
	if !hasG {
		return
	}
	counts := map[uint32]uint64{}
	table := hot.slots
	for k := 0; table != nil; k++ {
		lines := uintptr(1) << (slotBits + slotMoreBits*k)
		for i := range lines {
			l := (*slotLine)(unsafe.Add(table, i*unsafe.Sizeof(slotLine{})))
			for j := range l {
				p := &l[j]
				n := p.n
				if p.g == 0 || n == 0 {
					continue
				}
				for r := range min(n, p.room) {
					counts[p.at(r).index&^nestedBit]++
				}
			}
		}
		if table = nil; k < len(moreSlots) {
			table = moreSlots[k]
		}
	}
	for i, n := range counts {
		if i < firstIndex || i >= nextIndex {
			continue
		}
		if b := newBlock(BlockOpen, 0, BlockAlign); b != nil {
			*(*uint64)(unsafe.Add(b, OffOpenMarker)) = uint64(i - firstIndex)
			*(*uint64)(unsafe.Add(b, OffOpenCount)) = n
			publish(b)
		}
	}
}
