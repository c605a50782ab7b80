//go:build markgen_virtual && !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/overhead"
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// Nothing is the result of functions that are called in an assignment to a variable named
// free_markgen_none: the overlay build's compiler does not count such assignments for inlining
// (rewrite.FreePrefix). The ordinary compiler, which instantiates generic functions of marked
// packages in other packages, also counts next to nothing for them.
type Nothing = [0]byte

// Closed are the bits of a gate of which none is set if the code behind it is to run marked.
const Closed = 1<<32 - 1 - layout.OffDemoted - layout.OffSettled

// free_markgen_none is the variable of assignments that do not count for inlining.
var free_markgen_none [1]Nothing

// Open opens a scope for m, if it is collected. The function that calls it calls Shut before each
// way out except a panic or runtime.Goexit: a scope left open by these ends when recover stops the
// panic (Recovered), at the latest when a scope around it ends, and is reported as open if there is
// none. Open inlines into its caller, where it costs one test while the marker is off. If the marker is
// demoted, Begin counts the scope.
func Open(m *Marker) (n Nothing) {
	if m.Off&Closed == 0 {
		free_markgen_none[0] = Begin(m)
	}
	return n
}

// Shut ends the scope that Open opened in this call of the function, if it did. The marker may have
// been turned off meanwhile: OffSettled says that no scope is open.
func Shut(m *Marker) (n Nothing) {
	if int32(m.Off) >= 0 {
		free_markgen_none[0] = End(m)
	}
	return n
}

// ShutBoth is Shut of m, then of outer, with one test while both are off.
func ShutBoth(m, outer *Marker) (n Nothing) {
	if int32(m.Off&outer.Off) >= 0 {
		for Again() {
		}
		free_markgen_none[0] = Shut(m)
		free_markgen_none[0] = Shut(outer)
	}
	return n
}

// IsDue reports, behind an open gate, whether the marked body is to run. It returns false while the
// gates are open for a window that has not begun: a call that begins then is not recorded, and
// running it marked would delay the calls in the window. It does not inline.
//
//go:noinline
func IsDue(m *Marker) bool { return opensEarly == 0 || dueNow(m) }

// dueNow is IsDue while opensEarly is 1: it reports whether the marker is not sampled, or the window
// has begun.
//
//go:norace
//go:noinline
func dueNow(m *Marker) bool {
	i := shared.Load(&m.index) & layout.IndexMask
	if i == 0 || !hasRate(i) {
		return true // it is always recorded
	}
	if int64(now()-atomic.LoadUint64(&ownWindow().from)) < 0 {
		return false
	}
	shared.Store(&opensEarly, 0)
	return true
}

// Again returns false. The compiler places code that begins with what seems to be a loop out of line, so
// that b directly follows the test in
//
//	if test {
//		for Again() {
//		}
//		a
//	}
//	b
//
// while otherwise a comes first, and the program jumps across it each time, unless a begins with a
// call (cmd/compile/internal/ssa/layout.go and likelyadjust.go).
func Again() bool { return again }

var again bool // false

// Tick is Count for an assignment.
func Tick(c *Counter) (n Nothing) {
	if p := c.P; p != nil { // read once: it may become nil at any time
		for Again() {
		}
		free_markgen_none[0] = add(p)
	}
	return n
}

// TickCall is Tick, but does not inline, for a function in which no branch may come before the
// body.
//
//go:noinline
func TickCall(c *Counter) (n Nothing) { return Tick(c) }

// add adds one to *p. It inlines.
func add(p *uint64) (n Nothing) {
	atomic.AddUint64(p, 1)
	return n
}

// Mark is Point for use in an assignment, with the marker's own gate.
func Mark(m *Marker) (n Nothing) {
	if m.Off == 0 {
		free_markgen_none[0] = pass(m)
	}
	return n
}

// argument returns the address of the argument m of Begin or End. It lies in the caller's frame,
// which has room for arguments whose addresses are taken (cmd/compile/abi-internal.md, "spill
// area"). So the depth of the stack at this address is the same in Begin and End if they are called
// from the same frame.
//
//go:norace
func argument(m **Marker) *byte { return (*byte)(unsafe.Pointer(m)) }

// Begin is Open behind the function's gate. It is the fast path, like enter.
//
//go:norace
//go:noinline
func Begin(m *Marker) (n Nothing) {
	i := m.index
	if m.Off != 0 || int32(i) <= 0 {
		if isDemoted(m.Off) {
			passDemoted(m)
			return n
		}
		if m.isClosed() {
			return n
		}
		if i = decide(m); i == 0 {
			return n
		}
	}
	t, g, depth := ticksAndDepth(argument(&m))
	if hot.mono {
		t = uint64(nanotime())
	}
	w, words := hot.window, uint32(depth/8)
	if !hasG {
		enterAt(m, i, t, g, words)
		return n
	}
	p, key, number := near(g)
	if i > layout.IndexMask || t-w.from > w.width || p.key != key || p.busy(i) || p.stack.n > 0 && p.stack.at(p.stack.n-1).depth >= words {
		enterAt(m, i, t, g, words)
		return n
	}
	pos := p.push(i, t, words)
	if x := hot.hooks &^ hooksAtEnd; x != 0 {
		if x == onlyTrace {
			write(procPin(), number, i|layout.RecordEnter<<layout.RecordKindShift, pos, t, tracing.enter)
		} else {
			p.entered(i, t)
		}
	}
	return n
}

// End is Shut behind the function's gate. It ends the scope of the marker in the caller's frame.
//
//go:norace
//go:noinline
func End(m *Marker) (n Nothing) {
	if m.Off == layout.OffDemoted|layout.OffSettled {
		return n
	}
	if !hasG || hot.slots == nil || int32(m.Off|m.index) < 0 && (m.index == unwanted || !begun(m, argument(&m))) {
		return n
	}
	t, g, depth := ticksAndDepth(argument(&m))
	if hot.mono {
		t = uint64(nanotime())
	}
	if m.Off == layout.OffDemoted && t > hot.again { // there may be no timed scopes to call it
		demoteAt(m.index & layout.IndexMask)
	}
	p, key, _ := near(g)
	words, open := uint32(depth/8), uint32(0)
	if p.key == key {
		open = p.stack.n
	}
	if open == 0 {
		endAt(m, t, g, words)
		return n
	}
	r := p.stack.at(open - 1)
	i := r.index &^ scopeBits
	if r.depth != words || i != m.index&layout.IndexMask {
		endAt(m, t, g, words)
		return n
	}
	Entered{at: uint64(open), slot: p, index: i}.exit(t, 0)
	return n
}

// begun reports whether End of m, a marker that is settled or counts down, has a scope to end in
// the frame with the address at. Mostly it has none: a settled marker has one only if the goroutine
// was about to begin it when the marker was settled. The search takes less time than reading the
// clock, and a loop in a long call gets there at each iteration. End of a marker that counts down
// also ends the scopes deeper in the stack, which have been left.
//
//go:norace
//go:noinline
func begun(m *Marker, at *byte) bool {
	g, depth := depthOf(at)
	p, key, _ := near(g)
	if p.key != key {
		p = find(g)
	}
	if p == nil || p.stack.n == 0 {
		return false
	}
	r, words, k := p.stack.at(p.stack.n-1), uint32(depth/8), m.index&layout.IndexMask
	i := r.index &^ scopeBits
	own := i == k || sameMarker(i, k)
	if int32(m.Off) < 0 {
		return own
	}
	return r.depth > words || r.depth == words && own
}

// sameMarker reports whether two indexes belong to the same marker, as they may if a scope began
// before its marker was sampled.
//
//go:norace
func sameMarker(i, k uint32) bool {
	return i >= firstIndex && k >= firstIndex && baseOf(i) == baseOf(k)
}

// endAt ends the scope of m, if there is one, at tick t on goroutine g, whose stack has words words
// in use, after the scopes deeper in the stack, which a recovered panic has left.
//
//go:norace
//go:noinline
func endAt(m *Marker, t uint64, g uintptr, words uint32) {
	p := find(g)
	if p == nil {
		return
	}
	for n := p.stack.n; n > 0 && !p.frozen(); n = p.stack.n {
		r := p.stack.at(n - 1)
		if r.depth <= words {
			if i := r.index &^ scopeBits; r.depth == words && (i == m.index&layout.IndexMask || sameMarker(i, m.index&layout.IndexMask)) {
				p.end(i, t)
				p.then = 0
			}
			return
		}
		p.endLeft(n-1, t)
	}
}

// Leave is Exit for a deferred call in a function that also has scopes of Open: the ones in its
// frame or deeper in the stack, which a panic or runtime.Goexit has left, end before s does.
func (s *Scope) Leave() {
	if s != nil {
		leaveFrame((*byte)(unsafe.Pointer(s)))
		s.Exit()
	}
}

// leaveFrame ends the scopes of Open in the frame of a stack variable and deeper in the stack. The
// arguments whose addresses are the depths of these scopes are below the variable.
//
//go:norace
//go:noinline
func leaveFrame(at *byte) {
	if !hasG || hot.slots == nil {
		return
	}
	g, depth := depthOf(at)
	p, key, _ := near(g)
	if p.key != key {
		p = find(g)
	}
	if p == nil {
		return
	}
	words := uint32(depth / 8)
	for n := p.stack.n; n > 0 && !p.frozen(); n = p.stack.n {
		if r := p.stack.at(n - 1); r.kind() != kindOpened || r.depth <= words {
			return
		}
		p.endLeft(n-1, now())
	}
}

// usualWork is plainWork with a scope that ends explicitly.
//
//go:noinline
func usualWork(m *Marker, x uint64, steps int) uint64 {
	if m.Off == 0 {
		Begin(m)
		x = overhead.Chain(x, steps)
		End(m)
		return x
	}
	return overhead.Chain(x, steps)
}
