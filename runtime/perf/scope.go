//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/cell"
	"github.com/markgen/markgen/runtime/internal/directory"
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

// Values of Marker.index: 0 is undecided, notCollected is never collected, others are indexes from
// firstIndex on. Calibration records under scratchIndex, and its edges under scratchEdgeIndex.
const (
	scratchEdgeIndex = 0
	scratchIndex     = 1
	firstIndex       = layout.StackFirst
	maxIndex         = directory.Max
	notCollected     = 1 << 31
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
		s.open = enter(m, s, depthScope)
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
		e = enter(m, nil, depthScope)
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
// This is the fast path: it calls only the clock, so that no registers have to be saved. depth is
// depthScope or depthValue.
//
//go:norace
func enter(m *Marker, before *Scope, depth uint32) Entered {
	i := m.index
	if m.Off != 0 || int32(i) <= 0 || before != nil && before.open.index != 0 {
		if hot.mode == modeInert && (before == nil || before.open.index == 0) {
			return Entered{}
		}
		return reenter(m, before, depth)
	}
	if !hot.self {
		t := uint64(0)
		if hot.mono {
			t = uint64(nanotime())
		} else {
			t = ticks()
		}
		if w := hot.window; t-w.from > w.width {
			return enterAt(m, i, t, 0, depth)
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
		return enterAt(m, i, t, g, depth)
	}
	pos := p.push(i, t, depth)
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
func reenter(m *Marker, before *Scope, depth uint32) (e Entered) {
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
		return enterAt(m, i, now(), getg(), depth)
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
	return enterAt(m, i, now(), getg(), depth)
}

// enterAt opens a scope of m, which has index i, perhaps with wholeBits, at tick t on goroutine g.
//
//go:norace
//go:noinline
func enterAt(m *Marker, i uint32, t uint64, g uintptr, depth uint32) Entered {
	whole := i & wholeBits
	i &^= wholeBits
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
	if !hot.self || g == 0 {
		return Entered{at: t, index: i}
	}
	p, key, _ := near(g)
	if p.key != key {
		p = find(g)
	}
	if p != nil && p.frozen() {
		return Entered{} // its run has ended
	}
	if p == nil || p.stack.n == p.stack.room {
		if p == nil || !p.grow() {
			if i >= firstIndex && !underWay() {
				return Entered{} // its run has ended
			}
			if hot.hooks&hookTrace != 0 && !p.reads() {
				tracing.rings.Lose()
			}
			if hot.hooks&hookPairs != 0 {
				losePairs()
			}
			if whole&passedBit != 0 {
				return Entered{}
			}
			return Entered{at: t, index: i}
		}
		if hot.hooks&hookTrace == 0 { // with hookTrace the enter record has the time that grow took
			t = now()
		}
	}
	j := i
	if p.mask>>(i%64)&1 != 0 {
		if p.leavesOut(m, i) {
			leftOut(i)
			return Entered{}
		}
		j = p.nested(i)
	}
	pos := p.push(j|whole, t, depth)
	p.activate(i, 1)
	if hot.hooks != 0 {
		p.entered(i|whole, t)
	}
	return Entered{at: uint64(pos), slot: p, index: i}
}

// exit ends an open scope at tick t, or now if t is 0, and records it. If size is above 0, the size
// of its input is size-1. This is the fast path; exitAt handles every case.
//
//go:norace
func (e Entered) exit(t uint64, size int) (none Entered) {
	i, p := e.index, e.slot
	if x := hot.hooks; x != 0 {
		if x == hookPaths && p != nil {
			e.exitOnPath(t, size)
			return none
		}
		if x&hookTrigger != 0 && !isWatched(i) {
			x &^= hookTrigger
		}
		if x == onlyTrace && p != nil {
			e.exitTraced(t, size)
			return none
		}
		if x != 0 {
			if t == 0 {
				t = now()
			}
			e.exitAt(t, size)
			return none
		}
	}
	switch {
	case t != 0:
	case hot.mono:
		t = uint64(nanotime())
	default:
		t = ticks()
	}
	var d, ns, self uint64
	pid := procPin() // while pinned, the next run makes no cell on this processor
	if p != nil {
		s := p.stack
		pos := uint32(e.at)
		if s.n != pos || s.at(pos-1).index != i || p.active != nil {
			procUnpin()
			e.exitAt(t, size)
			return none
		}
		r := s.at(pos - 1)
		d = elapsed(r.start, t)
		ns = p.duration(r, d)
		self = p.leave(r, ns)
		s.n = pos - 1
	} else {
		d = t - e.at
		if hot.self || int64(e.at-readyAt) < 0 || int64(d) < 0 {
			procUnpin()
			e.exitAt(t, size)
			return none
		}
		ns = toNS(subtract(d, hot.inside>>costBits))
		self = ns
	}
	if c := cellOf(pid, i); c != nil {
		b := c.Latest.P
		if !c.InLatest(ns) {
			b = switchAt(c, ns, t)
		}
		if b != nil {
			b.Add(ns)
			c.Note(ns, self, d, t)
			if hasRate(i) {
				shards[pid].recorded++
			}
			look := b.Count&hot.look == 0 || t > hot.again
			procUnpin()
			if size > 0 {
				p.sized(i, size-1, ns)
			}
			if look {
				demoteAt(i)
			}
			return none
		}
	}
	procUnpin()
	p.finish(i, endedScope{true, 0, ns, self, d, t, p, 0}, size)
	return none
}

// switchAt is c.Switch(ns) at tick t, but returns nil if the cost of scopes has to be measured again
// by then.
//
//go:norace
//go:noinline
func switchAt(c *cell.Cell, ns, t uint64) *cell.Bucket {
	if int64(t-measureAt) >= 0 {
		return nil
	}
	return c.Switch(ns)
}

// exitAt is the slow path of exit; it handles all scopes.
//
//go:norace
//go:noinline
func (e Entered) exitAt(t uint64, size int) {
	i, p := e.index, e.slot
	if p == nil {
		if int64(e.at-readyAt) < 0 || otherClock && int64(e.at-t) > int64(fromNS(maxClockSkew)) {
			return // it belongs to an earlier run
		}
		if lostOnSystemStack() {
			return
		}
		if hot.hooks&hookTrace != 0 {
			if g := getg(); g == 0 || !find(g).reads() {
				tracing.rings.Lose()
			}
			if hot.hooks&hookUntimed != 0 {
				return
			}
		}
		d := elapsed(e.at, t)
		ns, how := toNS(subtract(d, hot.inside>>costBits)), uint8(0)
		if hot.self {
			how = endedNoSelf
		}
		p.finish(i, endedScope{true, how, ns, ns, d, t, nil, 0}, size)
		return
	}
	pos := uint32(e.at)
	if p.frozen() { // it stays open in the data of its run, which has ended
		return
	}
	if p.stack.n < pos || p.stack.at(pos-1).index&^scopeBits != i { // it is no longer on the stack
		return
	}
	if p.stack.n != pos {
		p.endLeft(pos, t)
		p.then = 0
	}
	s := p.stack
	if s.n != pos { // the run ended before the scopes left open inside it were closed
		return
	}
	if hot.hooks&hookUntimed != 0 {
		p.popTraced(i, t)
		return
	}
	r := s.at(pos - 1)
	if r.index&passedBit != 0 {
		p.passed(t)
		return
	}
	how := uint8(r.index / firstBit)
	if how&endedShut != 0 {
		reopen(i)
	}
	d := elapsed(r.start, t)
	ns := p.duration(r, d)
	done := endedScope{true, how, ns, p.leave(r, ns), d, t, p, 0}
	if hot.hooks != 0 {
		if hot.hooks&(hookRead|hookTrace) != 0 {
			p.leaving(i, r.kind(), t, ns)
		}
		if hot.hooks&hookPaths != 0 {
			done.node = s.popNode(pos)
		}
		if hot.hooks&hookEdge != 0 {
			p.edge(i, pos, done)
		}
	}
	s.n = pos - 1
	if p.activate(i, 1<<32-1); p.active != nil && s.n <= shallow {
		p.leaveDeep()
	}
	p.finish(i, done, size)
}

// maxClockSkew is the largest difference between the counters of two processors, in ns.
const maxClockSkew = 1_000_000

// elapsed returns the ticks between two readings of the clock. It returns 0 if the difference is
// negative, as it can be between two processors.
func elapsed(from, to uint64) uint64 {
	d := to - from
	if int64(d) < 0 {
		return 0
	}
	return d
}

// duration returns the duration in ns of the innermost scope, whose record is r and which ended
// after d ticks, less the cost of the markers in it.
//
//go:norace
func (p *slot) duration(r *record, d uint64) (ns uint64) {
	return max(p.child, toNS(subtract(d, (p.over-r.over+hot.inside)>>costBits)))
}

// leave adds ns, the duration of the innermost scope, whose record is r, to the children of the
// enclosing scope, and returns its self time. The record stays on the stack.
//
//go:norace
func (p *slot) leave(r *record, ns uint64) (self uint64) {
	self = ns - p.child
	p.child = r.saved + ns
	p.over += hot.cost[r.kind()]
	p.mask = r.mask
	return self
}

// finish records a scope of marker i that has ended.
//
//go:norace
//go:noinline
func (p *slot) finish(i uint32, done endedScope, size int) {
	if p == nil && lostOnSystemStack() {
		return
	}
	pid := procPin()
	c := cellOf(pid, i)
	there := !done.over() && c != nil && done.recordIn(pid, c)
	if there && hasRate(i) {
		shards[pid].recorded++
	}
	look := there && (c.Latest.P != nil && c.Latest.P.Count&hot.look == 0 || done.at > hot.again)
	procUnpin()
	if look {
		lookAt(i)
	}
	if !there {
		from := now()
		recordSlow(i, done)
		p.ended(i, done.ns, done.how)
		p.discount(from)
		if conf.windows() && hasRate(i) {
			addWindowCost(from, now()-from)
		}
	} else if done.how&endedFirst != 0 {
		p.ended(i, done.ns, done.how)
	}
	if hot.hooks&^hookPaths != 0 {
		recorded(i)
	}
	if size > 0 {
		p.sized(i, size-1, done.ns)
	}
	if i >= firstIndex && !conf.windows() && (p == nil || !p.unwinding) {
		measureAgain(done.at, i)
	}
}
