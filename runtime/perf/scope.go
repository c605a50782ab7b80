//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/directory"
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// hot is the state that every scope reads. It is seldom written, so it stays in each processor's
// cache.
var hot struct {
	_      [64]byte
	window *window
	mode   uint32 // mode…
	mono   bool   // the clock is nanotime
	self   bool   // self times are collected
	mult   uint64 // ns per tick, 32.32
	slots  unsafe.Pointer
	inside uint64    // own duration of an empty scope, ticks<<costBits
	cost   [4]uint64 // total cost of a scope, by record.kind, ticks<<costBits
	inner  uint64    // cost of a scope left out by outermost, ticks<<costBits
	hooks  uint32    // hook… bits: work besides timing; needs slots
	look   uint64    // demoteAt is called when a bucket's count has none of these bits set
	again  uint64    // and at the first scope after this tick
	goid   uintptr   // byte offset of the ID in a g, see goroutine.Offset
	_      [64]byte
}

const (
	modeNew     = iota // no table registered and no scope begun yet
	modeReady          // there is a run, and its first scope has not begun
	modeOn             // scopes are recorded, if the state and the markers allow it
	modeInert          // there is no run, until one is configured
	modeStopped        // the run is over, until another is configured
)

// Values of Marker.index: 0 is undecided, others are indexes from firstIndex on. Calibration records
// under scratchIndex, and its edges under scratchEdgeIndex.
const (
	scratchEdgeIndex = 0
	scratchIndex     = 1
	firstIndex       = layout.StackFirst
	maxIndex         = directory.Max
)

// A Scope is one execution of a marked piece of code. It lives on the stack of the marked function;
// the zero Scope is not open. One goroutine enters and exits it.
type Scope struct {
	open Entered
	size int // size of its input plus 1; 0 if unknown
}

// Enter opens s as a scope of m, if m is collected. If s is already open, it is exited first.
func (s *Scope) Enter(m *Marker) {
	if s != nil && m != nil { // the compiler removes the test where it inlines this
		s.open = enter(m, s)
	}
}

// Exit closes s and records it; a scope that is not open is left alone.
func (s *Scope) Exit() {
	if s != nil && s.open.index != 0 {
		s.open, s.size = s.open.exit(0, s.size), 0
	}
}

// Close exits every open scope of s, last first. A function with several scopes defers it once.
func Close(s []Scope) {
	for i := len(s) - 1; i >= 0; i-- {
		s[i].Exit()
	}
}

// Entered is a scope as a value. The zero Entered is not open. It has at most four words, so that
// the compiler keeps it in registers.
type Entered struct {
	at    uint64 // position on the slot's stack; the start in ticks if slot is nil
	slot  *slot  // the goroutine's slot; nil if self time is not collected
	index uint32 // of the marker; 0 if not open
}

// Enter opens a scope for m, for
//
//	defer perf.Enter(&marker).Exit()
func Enter(m *Marker) (e Entered) {
	if m != nil {
		e = enter(m, nil)
	}
	return e
}

// Exit closes the scope. A second Exit of the same value would count twice.
func (e Entered) Exit() {
	if e.index != 0 {
		e.exit(0, 0)
	}
}

// enter opens a scope of m, if m is collected, in place of before, which is exited if it is open.
// This is the fast path: it calls only the clock, so that no registers have to be saved.
//
//go:norace
func enter(m *Marker, before *Scope) Entered {
	i := m.index
	if m.Off != 0 || int32(i) <= 0 || before != nil && before.open.index != 0 {
		if hot.mode == modeInert && (before == nil || before.open.index == 0) {
			return Entered{}
		}
		return reenter(m, before)
	}
	if !hot.self {
		t := uint64(0)
		if hot.mono {
			t = uint64(nanotime())
		} else {
			t = ticks()
		}
		if w := hot.window; t-w.from > w.width {
			return enterAt(m, i, t, 0, 0)
		}
		return Entered{at: t, index: i}
	}
	var t uint64
	var g uintptr
	if hot.mono {
		t, g = uint64(nanotime()), getg()
	} else {
		t, g = ticksAndG()
	}
	w := hot.window
	p, key, number := near(g)
	if t-w.from > w.width || p.key != key || p.busy(i) {
		return enterAt(m, i, t, g, 0)
	}
	pos := p.push(i, t, 0)
	if x := hot.hooks &^ hooksAtEnd; x != 0 {
		if x == onlyTrace {
			write(procPin(), number, i|layout.RecordEnter<<layout.RecordKindShift, pos, t, tracing.enter)
		} else {
			p.entered(i, t)
		}
	}
	return Entered{at: uint64(pos), slot: p, index: i}
}

// reenter is the slow path of enter, for an m that is off or undecided, or if before is open.
//
//go:norace
//go:noinline
func reenter(m *Marker, before *Scope) (e Entered) {
	i := m.index
	if isDemoted(m.Off) {
		before.Exit()
		passDemoted(m)
		return e
	}
	if m.Off == 0 && countsDown(i) {
		before.Exit()
		if i = sampledScope(i & layout.IndexMask); i == 0 {
			return e
		}
		return enterAt(m, i, now(), getg(), 0)
	}
	if m.Off != 0 || int32(i) <= 0 {
		if i = decide(m); i == 0 {
			if before != nil {
				e = before.open
			}
			return e
		}
	}
	before.Exit()
	return enterAt(m, i, now(), getg(), 0)
}

// enterAt is the slow path of enter and Begin. It opens a scope of m, which has index i, perhaps with
// wholeBits, at tick t on goroutine g. For Begin depth is the number of words of stack in use, and
// the scope has no Entered.
//
//go:norace
//go:noinline
func enterAt(m *Marker, i uint32, t uint64, g uintptr, depth uint32) Entered {
	whole := i & wholeBits
	i &^= wholeBits
	opened := hasOpen && depth >= kindOpened
	if onSystemStack(g) && lostOnSystemStack() {
		return Entered{}
	}
	if w := hot.window; t-w.from > w.width {
		if !w.includes(i, t) {
			return Entered{}
		}
		if w == &beforeRun {
			t = now() // the time that ready took is not part of the scope
		}
	}
	if !opened && (!hot.self || g == 0) {
		return Entered{at: t, index: i}
	}
	var p *slot
	if g != 0 {
		var key uintptr
		if p, key, _ = near(g); p.key != key {
			p = find(g)
		}
	}
	if p != nil && p.frozen() {
		return Entered{} // its run has ended
	}
	if p == nil || p.stack.n == p.stack.room {
		if p == nil || !p.grow() {
			return p.enterAside(i|whole, t, opened)
		}
		if hot.hooks&hookTrace == 0 { // with hookTrace the enter record has the time that grow took
			t = now()
		}
	}
	if n := p.stack.n; opened && n > 0 && p.stack.at(n-1).depth >= depth {
		p.unwind(i, depth, t)
		if p.frozen() || p.stack.n == p.stack.room {
			return Entered{} // its run has ended meanwhile
		}
	}
	if opened && shared.Load(&m.Off) == layout.OffDemoted|layout.OffSettled { // since Begin looked, and nothing would end it
		passDemoted(m)
		return Entered{}
	}
	nested := p.mask>>(i%64)&1 != 0 && p.nested(i)
	if nested && conf.Outermost {
		p.leaveOut(m, i)
		return Entered{}
	}
	pos := p.pushIf(nested, i|whole, t, depth)
	if hot.hooks != 0 {
		p.entered(i|whole, t)
	}
	return Entered{at: uint64(pos), slot: p, index: i}
}

// enterAside opens a scope that has no place on a stack. One of Begin, which nothing would end, is
// counted without a duration. p may be nil.
//
//go:norace
func (p *slot) enterAside(i uint32, t uint64, opened bool) Entered {
	whole := i & wholeBits
	i &^= wholeBits
	if i >= firstIndex && !underWay() {
		return Entered{} // its run has ended
	}
	if hot.hooks&hookTrace != 0 && !p.reads() {
		tracing.rings.Lose()
	}
	if hot.hooks&hookPairs != 0 {
		losePairs()
	}
	switch {
	case whole&passedBit != 0:
	case !opened:
		return Entered{at: t, index: i}
	case hot.hooks&hookUntimed == 0:
		recordSlow(i, &endedScope{at: t})
		if hot.hooks != 0 {
			recorded(i)
		}
	}
	return Entered{}
}
