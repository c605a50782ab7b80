//go:build markgen_virtual && !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// Nothing is what the functions return that are called in an assignment, to a variable
// of the package's or of the runtime's own (free_markgen_none): that is why Open
// and Shut cost the inliner next to nothing also in a package that is compiled without
// word of markers, where a generic function of a marked one may be made for its types.
type Nothing = [0]byte

// Closed are the bits of a gate of which none is set if the code behind it is to run marked.
const Closed = 1<<32 - 1 - layout.OffDemoted - layout.OffSettled

// free_markgen_none is assigned to where a call is not to count for the inliner,
// see rewrite.FreePrefix.
var free_markgen_none [1]Nothing

// Open opens a scope for m, if it is collected. The function it stands in calls
// Shut on every way out but a panic or runtime.Goexit: what these leave open ends
// when recover stops the panic (Recovered), at the latest when a scope around it
// ends, and is reported as open if none is. Open inlines into its caller, which
// then costs one test while the marker is off.
func Open(m *Marker) (n Nothing) {
	if m.Off == 0 {
		free_markgen_none[0] = Begin(m)
	}
	return n
}

// Shut ends the scope that Open opened in this call of the function, if it did. The
// marker may have been turned off meanwhile: OffSettled says that no scope is left.
func Shut(m *Marker) (n Nothing) {
	if int32(m.Off) >= 0 {
		free_markgen_none[0] = End(m)
	}
	return n
}

// Due says at an open gate whether the body behind it is to run marked. It is not, but as it was, if a window is about to begin, for which
// gates are opened before: what would begin too early is not recorded, and if it lasted, what begins in the window would not be as much as else.
func Due(m *Marker) bool { return opensEarly == 0 || dueNow(m) }

// IsDue is Due that does not inline.
//
//go:noinline
func IsDue(m *Marker) bool { return Due(m) }

// Again is false. What seems to be done again the compiler does not put between a test and what is behind both
// (cmd/compile/internal/ssa/layout.go).
func Again() bool { return again }

// Into is Enter for a function that nothing leaves but a return, and that calls Exit before each.
func Into(m *Marker) (e Entered) {
	if m != nil {
		e = enter(m, nil, depthValue)
	}
	return e
}

// Set puts v into p. It is for assignments, as the others.
func Set[T any](p *T, v T) (n Nothing) {
	*p = v
	return n
}

// Tick is Count for an assignment.
func Tick(c *Counter) (n Nothing) {
	if p := c.P; p != nil { // read once: it may be taken away any time
		for {
			free_markgen_none[0] = add(p)
			if !again {
				break
			}
		}
	}
	return n
}

// TickCall is Tick that does not inline, for a function in which no branch may come before the body.
//
//go:noinline
func TickCall(c *Counter) (n Nothing) { return Tick(c) }

// add adds one to what p points to. It inlines.
func add(p *uint64) (n Nothing) {
	atomic.AddUint64(p, 1)
	return n
}

// again is false: what seems to be a loop inside a loop the compiler takes for the way that is
// rarely gone, and puts it behind the code that is (likelyadjust in cmd/compile/internal/ssa).
var again bool

// Mark is Point for an assignment, behind the marker's own gate.
func Mark(m *Marker) (n Nothing) {
	if m.Off == 0 {
		free_markgen_none[0] = pass(m)
	}
	return n
}

// argument is where the argument m of Begin or End lies: an argument whose address is
// taken is put where the caller has left room for it, in its own frame
// (cmd/compile/abi-internal.md, "spill area"). So the depth of the stack down to
// there is the same in both when one frame calls them.
//
//go:norace
func argument(m **Marker) *byte { return (*byte)(unsafe.Pointer(m)) }

// Begin is Open where the function's gate has been passed. What most scopes need is here, as in enter.
//
//go:norace
//go:nocheckptr
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
		beginAt(m, i, t, g, words)
		return n
	}
	p, key, number := near(g)
	if t-w.from > w.width || p.key != key || p.busy(i) || p.stack.n > 0 && p.stack.at(p.stack.n-1).depth >= words {
		beginAt(m, i, t, g, words)
		return n
	}
	pos := p.push(i, t, words)
	if x := hot.extras &^ extraAtEnds; x != 0 {
		if x == onlyTrace {
			write(procPin(), number, i|layout.RecordEnter<<layout.RecordKindShift, pos, t, tracing.enter)
		} else {
			p.entered(i, t)
		}
	}
	return n
}

// beginAt begins a scope of m, which has that index, at t on the goroutine of that g, whose stack has
// so many words.
//
//go:norace
//go:nocheckptr
//go:noinline
func beginAt(m *Marker, i uint32, t uint64, g uintptr, words uint32) {
	if onSystemStack(g) && lostOnSystemStack() {
		return
	}
	if w := hot.window; t-w.from > w.width {
		if !w.includes(i, t) {
			return
		}
		if w == &first {
			t = now() // making ready is no time of the scope
		}
	}
	var p *slot
	if hasG {
		var key uintptr
		if p, key, _ = near(g); p.key != key {
			p = find(g)
		}
	}
	if p != nil && p.frozen() {
		return // its run is over
	}
	if p == nil || p.stack.n == p.stack.room {
		if p == nil || !p.grow() {
			if i >= firstIndex && !underWay() {
				return // its run is over
			}
			if hot.extras&extraTrace != 0 {
				if !p.reads() {
					loseRecord()
				}
				if hot.extras&extraUntimed != 0 {
					return
				}
			}
			recordSlow(i, passage{at: t}) // that it passed is known, how long it takes is not
			if hot.extras&extraPairs != 0 {
				losePairs()
			}
			if hot.extras != 0 {
				recorded(i)
			}
			return
		}
		if hot.extras&extraTrace == 0 { // else its record says what that took
			t = now()
		}
	}
	if n := p.stack.n; n > 0 && p.stack.at(n-1).depth >= words {
		p.unwind(i, words, t)
		if p.frozen() || p.stack.n == p.stack.room {
			return // meanwhile its run is over
		}
	}
	j := i
	if p.mask>>(i%64)&1 != 0 {
		if p.within(m, i) {
			leftOut(i)
			return
		}
		j = p.nested(i)
	}
	p.push(j, t, words)
	p.activate(i, 1)
	if hot.extras != 0 {
		p.entered(i, t)
	}
}

// End is Shut where the function's gate has been passed. It ends the scope of the marker in the frame
// that it is called from.
//
//go:norace
//go:nocheckptr
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
	if m.Off == layout.OffDemoted && t > hot.again { // nothing that is timed may end any more
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

// begun says whether End of m, a marker that is settled or counted down, has something to do where the stack is in use
// down to at. Most passages have no scope: of a settled marker only who was about to begin as it was settled. That
// takes less than reading the clock, and in a long call that began while they were recorded each step of a loop
// passes some. One that is counted down also ends those that a call has left that is over.
//
//go:norace
//go:nocheckptr
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

// endAt ends the scope of m, if there is one, at t on the goroutine of that g, whose stack has so many
// words. Above that are those that a panic left which was recovered since.
//
//go:norace
//go:nocheckptr
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
		p.settle(n-1, t)
	}
}

// Leave is Exit where the function also opens scopes (Open), for its deferred call: what a panic or
// runtime.Goexit has left open in its frame, or further down, ends before s does.
func (s *Scope) Leave() {
	if s != nil {
		leaveFrame((*byte)(unsafe.Pointer(s)))
		s.Exit()
	}
}

// leaveFrame ends the scopes that were opened in the frame of the variable at an address of the caller's
// stack, or in those of what it called. The arguments by which opened scopes know their depth lie below it.
//
//go:norace
//go:nocheckptr
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
		p.settle(n-1, now())
	}
}
