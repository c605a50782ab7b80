//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/layout"

// trace writes a record of the goroutine. If the work for the scope took unusually long (delayed),
// the record includes its duration.
//
//go:norace
//go:nocheckptr
func (p *slot) trace(what uint32, t, cost uint64) {
	if level := p.stack.n; p.delayed {
		p.delayed = false
		tracing.rings.WriteSlow(goidOf(p.g()), what, level, t)
	} else {
		write(procPin(), goidOf(p.g()), what, level, t, cost)
	}
}

// traceExit writes the record of a scope that is about to be popped and ended at tick t. A scope
// that a panic or Goexit left already has a record (traceLeft).
//
//go:norace
//go:nocheckptr
func (p *slot) traceExit(index, kind uint32, t uint64) {
	if p.unwinding {
		return
	}
	p.trace(index|layout.RecordExit<<layout.RecordKindShift, t, tracing.exit[kind])
}

// traceLeft writes the record of the innermost scope, which a panic or runtime.Goexit has left. t
// is when that was noticed, not when it happened.
//
//go:norace
//go:nocheckptr
func (p *slot) traceLeft(t uint64) {
	s := p.stack
	i := s.at(s.n-1).index &^ scopeBits
	p.trace(i|layout.RecordLeft<<layout.RecordKindShift, t, tracing.point)
}

// tracePoint writes the record of an execution without a duration.
//
//go:norace
//go:nocheckptr
func tracePoint(index uint32) {
	var t uint64
	var g uintptr
	if hot.mono {
		t, g = uint64(nanotime()), getg()
	} else {
		t, g = ticksAndG()
	}
	write(procPin(), goidOf(g), index|layout.RecordPoint<<layout.RecordKindShift, 0, t, tracing.point)
}

// traceTaken records that a marker used the time since tick from for itself, in which no scope was
// recorded: for getting its index, say, or a cell.
//
//go:norace
//go:nocheckptr
func traceTaken(index uint32, from uint64) {
	if hot.hooks&hookTrace != 0 {
		tracing.rings.WriteSlow(goidOf(getg()), index|layout.RecordTaken<<layout.RecordKindShift, 0, from)
	}
}

// exitTraced is exit for a scope with a slot in runs that only trace; it is popTraced for most
// scopes.
//
//go:norace
//go:nocheckptr
//go:noinline
//go:nosplit
func (e Entered) exitTraced(t uint64, size int) {
	switch {
	case t != 0:
	case hot.mono:
		t = uint64(nanotime())
	default:
		t = ticks()
	}
	pid := procPin()
	p, index, pos := e.slot, e.index, uint32(e.at)
	s := p.stack
	if s.n != pos || p.unwinding || p.delayed || p.active != nil {
		procUnpin()
		e.exitAt(t, size)
		return
	}
	r := s.at(pos - 1)
	if (r.index^index)&^(firstBit|nestedBit) != 0 { // another marker, or a marker that is shut
		procUnpin()
		e.exitAt(t, size)
		return
	}
	p.mask = r.mask
	s.n = pos - 1
	write(pid, goidOf(p.g()), index|layout.RecordExit<<layout.RecordKindShift, pos, t, tracing.exit[r.kind()])
}

// popTraced ends the innermost scope of marker index, at tick t, in runs without timing.
//
//go:norace
//go:nocheckptr
func (p *slot) popTraced(index uint32, t uint64) {
	s := p.stack
	r := s.at(s.n - 1)
	if hot.hooks&hookRead != 0 {
		p.leaving(index, r.kind(), t, toNS(subtract(t-r.start, (p.over-r.over+hot.inside)>>costBits)))
	} else {
		p.traceExit(index, r.kind(), t)
	}
	if r.index&shutBit != 0 {
		reopen(index)
	}
	p.mask = r.mask
	s.n--
	p.activate(index, 1<<32-1)
	if hot.hooks&(hookLimit|hookTrigger|hookRecords) != 0 {
		recorded(index)
	}
}
