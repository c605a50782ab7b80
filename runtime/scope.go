//go:build !markgen_off

package runtime

import "unsafe"

// hot is what every scope reads; it is written at start and when collection
// pauses, so it stays in every processor's cache.
var hot struct {
	_      [64]byte
	window *window
	mode   uint32 // mode…
	mono   bool   // the clock is nanotime
	self   bool   // self times are collected
	mult   uint64 // ns per tick, 32.32
	slots  unsafe.Pointer
	inside uint64 // what an empty scope measures, ticks<<costBits
	whole  uint64 // what a Scope costs, ticks<<costBits
	opened uint64 // what one costs that Begin and End open and end
	ticked uint64 // what counting costs, ticks<<costBits
	inner  uint64 // what a scope costs that is left out since it is not outermost
	extras uint32 // extra…: what is done besides timing; needs slots
	_      [64]byte
}

const (
	modeNew     = iota // nothing has registered or been entered
	modeReady          // markers are registered, the first scope is yet to come
	modeOn             // scopes are recorded, if the state and the markers say so
	modeInert          // nothing is recorded, unless it is configured
	modeStopped        // it is over, unless it is configured anew
)

// Marker.index: 0 is undecided, notCollected never opens a scope, index i is
// global marker i-firstIndex. scratchIndex is what calibration records to.
const (
	scratchIndex = 1
	firstIndex   = StackFirst
	maxIndex     = 1 << 24
	notCollected = 1 << 31
)

// A Scope is one passage through a marker. It lives on the stack of the
// function that is marked; the zero Scope is not open. It is entered and exited
// by one goroutine.
type Scope struct {
	start uint64 // ticks, where there is no slot
	slot  *slot  // the goroutine's, nil: self time is not followed
	size  int    // of its input, and 1; 0: not known, or not open
	index uint32 // of the marker; 0: not open
	pos   uint32 // on the slot's stack
}

// Enter opens s as a passage through m, if m is collected. A scope that is open
// is exited first.
func (s *Scope) Enter(m *Marker) {
	if s != nil && m != nil { // which the compiler knows where it inlines this
		s.enter(m)
	}
}

// enter is Enter for what is there.
//
//go:norace
//go:nocheckptr
func (s *Scope) enter(m *Marker) {
	i := m.index
	if m.Off != 0 || int32(i) <= 0 {
		if i = decide(m); i == 0 {
			return
		}
	}
	if s.index != 0 {
		s.exit(0)
	}
	s.index = i
	if !hot.self {
		s.slot = nil
		if hot.mono {
			s.start = uint64(nanotime())
		} else {
			s.start = ticks()
		}
		if w := hot.window; s.start-w.from > w.width && !w.includes(i, s.start) {
			s.index = 0
		}
		return
	}
	var t uint64
	var g uintptr
	if hot.mono {
		t, g = uint64(nanotime()), getg()
	} else {
		t, g = ticksAndG()
	}
	if w := hot.window; t-w.from > w.width && !w.includes(i, t) {
		s.index = 0
		return
	}
	p, key := near(g)
	if p.key != key {
		p = find(g)
	}
	if p == nil || p.stack.n == p.stack.room {
		if p == nil || !p.grow() {
			s.slot = nil
			s.start = t
			if hot.extras&extraTrace != 0 {
				loseRecord()
			}
			if hot.extras&extraPairs != 0 {
				losePairs()
			}
			return
		}
		if hot.extras&extraTrace == 0 { // else its record says what that took
			t = now()
		}
	}
	if p.mask>>(i%64)&1 != 0 {
		if p.within(m, i) {
			s.index = 0
			return
		}
		i = p.nested(i)
	}
	s.slot = p
	s.pos = p.push(i, t, 0)
	if hot.extras != 0 {
		p.entered(s.index, t)
	}
}

// Exit closes s and records it; a scope that is not open is left alone.
func (s *Scope) Exit() {
	if s != nil && s.index != 0 {
		s.exit(0)
	}
}

// exit ends an open scope at t, or if that is 0 now, and records it.
//
//go:norace
//go:nocheckptr
func (s *Scope) exit(t uint64) {
	if t == 0 {
		if hot.mono {
			t = uint64(nanotime())
		} else {
			t = ticks()
		}
	}
	i := s.index
	s.index = 0
	var d, ns, self uint64
	var how uint8
	if p := s.slot; p == nil {
		if hot.extras&extraTrace != 0 {
			if loseRecord(); hot.extras&extraUntimed != 0 {
				s.size = 0
				return
			}
		}
		if d = t - s.start; int64(d) < 0 { // the counters of two processors differ
			d = 0
		}
		ns = toNS(less(d, hot.inside>>costBits))
		self = ns
		if hot.self {
			how = passageNoSelf
		}
	} else {
		if p.stack.n != s.pos {
			if p.stack.n < s.pos {
				s.size = 0
				return
			}
			p.settle(s.pos, t)
		}
		if hot.extras&extraUntimed != 0 {
			s.size = 0
			p.popTraced(i, t)
			return
		}
		r := p.stack.at(s.pos - 1)
		if d = t - r.start; int64(d) < 0 {
			d = 0
		}
		ns = max(p.child, toNS(less(d, (p.over-r.over+hot.inside)>>costBits)))
		self = ns - p.child
		how = uint8(r.index / firstBit)
		if how&passageShut != 0 {
			reopen(i)
		}
		p.child = r.saved + ns
		if r.depth == 0 {
			p.over += hot.whole
		} else {
			p.over += hot.opened
		}
		if hot.extras != 0 {
			p.leaving(i, t, ns)
			if hot.extras&extraEdge != 0 {
				p.edge(i, s.pos, passage{true, how, ns, self, d, t})
			}
		}
		p.mask = r.mask
		p.stack.n = s.pos - 1
		if p.active != nil {
			p.active = p.active.add(i, 1<<32-1)
		}
	}

	pid := procPin()
	if c := cellOf(pid, i); c != nil {
		if b := c.bucket(ns); b != nil {
			b.add(ns)
			c.note(ns, self, d, t)
			if how != 0 {
				c.noteHow(ns, how)
				if how&passageFirst != 0 {
					procUnpin()
					s.slot.ended(i, ns, how)
					procPin()
				}
			}
			procUnpin()
			if hot.extras != 0 {
				recorded(i)
			}
			if s.size > 0 {
				s.sized(i, ns)
			}
			return
		}
	}
	procUnpin()
	from := now()
	recordSlow(i, passage{true, how, ns, self, d, t})
	s.slot.ended(i, ns, how)
	s.slot.overlook(from)
	if hot.extras != 0 {
		recorded(i)
	}
	if s.size > 0 {
		s.sized(i, ns)
	}
}

// Close exits every open scope of s, last first. It is deferred once in a
// function that has several scopes.
func Close(s []Scope) {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].index != 0 {
			s[i].exit(0)
		}
	}
}

// Entered is an open scope as a value, for
//
//	defer perf.Enter(&marker).Exit()
type Entered struct { // four words at most: it travels in registers
	start uint64
	slot  *slot
	index uint32
	pos   uint32
}

// Enter opens a scope for m.
func Enter(m *Marker) Entered {
	var s Scope
	s.Enter(m)
	return Entered{s.start, s.slot, s.index, s.pos}
}

// Exit closes the scope. A second Exit of the same value would count twice.
func (e Entered) Exit() {
	if e.index != 0 {
		s := Scope{start: e.start, slot: e.slot, index: e.index, pos: e.pos}
		s.exit(0)
	}
}
