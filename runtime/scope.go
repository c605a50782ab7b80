//go:build !markgen_off

package runtime

import "unsafe"

// hot is what every scope reads; it is written at start and when collection
// pauses, so it stays in every processor's cache.
var hot struct {
	_     [64]byte
	mode  uint32 // mode…
	mono  bool   // the clock is nanotime
	self  bool   // self times are collected
	mult  uint64 // ns per tick, 32.32
	slots unsafe.Pointer
	_     [64]byte
}

const (
	modeNew     = iota // nothing has registered or been entered
	modeOn             // scopes are recorded
	modeInert          // nothing will ever be recorded
	modePaused         // no scope is opened, open ones finish
	modeStopped        // the same, for good
)

// Marker.index: 0 is undecided, notCollected never opens a scope, index i is
// global marker i-firstIndex. scratchIndex is what calibration records to.
const (
	scratchIndex = 1
	firstIndex   = 2
	maxIndex     = 1 << 24
	notCollected = 1 << 31
)

// A Scope is one passage through a marker. It lives on the stack of the
// function that is marked; the zero Scope is not open. It is entered and exited
// by one goroutine.
type Scope struct {
	start uint64 // ticks
	saved uint64 // ns of the parent's finished children
	slot  *slot  // the goroutine's slot, nil: self time is not followed
	size  int
	index uint32 // of the marker; 0: not open
}

// Enter opens s as a passage through m, if m is collected. A scope that is open
// is exited first.
//
//go:norace
//go:nocheckptr
func (s *Scope) Enter(m *Marker) {
	if s == nil || m == nil {
		return
	}
	i := m.index
	if hot.mode != modeOn || int32(i) <= 0 {
		if i = decide(m); i == 0 {
			return
		}
	}
	if s.index != 0 {
		s.exit()
	}
	s.index = i
	var g uintptr
	if hot.mono {
		s.start, g = uint64(nanotime()), getg()
	} else {
		s.start, g = ticksAndG()
	}
	if !hot.self {
		s.slot = nil
		return
	}
	l := lineOf(hot.slots, slotBits, g)
	p := &l[0]
	if p.g != g {
		p = l.find(g)
	}
	if s.slot = p; p != nil {
		s.saved, p.child = p.child, 0
	}
}

// Exit closes s and records it; a scope that is not open is left alone.
func (s *Scope) Exit() {
	if s != nil && s.index != 0 {
		s.exit()
	}
}

// exit records an open scope.
//
//go:norace
//go:nocheckptr
func (s *Scope) exit() {
	var t uint64
	if hot.mono {
		t = uint64(nanotime())
	} else {
		t = ticks()
	}
	d := t - s.start
	if int64(d) < 0 { // the counters of two processors differ
		d = 0
	}
	ns := toNS(d)
	self := ns
	p := s.slot
	if p != nil {
		if self -= p.child; int64(self) < 0 {
			self = 0
		}
		p.child = s.saved + ns
	}
	i := s.index
	s.index = 0

	pid := procPin()
	if c := cellOf(pid, i); c != nil {
		c.add(ns, self, d, t, p)
		procUnpin()
		return
	}
	procUnpin()
	recordSlow(i, passage{true, ns, self, d, t, p})
}

// Size relates the scope to an input size, the value of a size= expression.
func (s *Scope) Size(n int) {
	if s != nil {
		s.size = n
	}
}

// Close exits every open scope of s, last first. It is deferred once in a
// function that has several scopes.
func Close(s []Scope) {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].index != 0 {
			s[i].exit()
		}
	}
}

// Entered is an open scope as a value, for
//
//	defer perf.Enter(&marker).Exit()
type Entered struct { // four words at most: it travels in registers
	start uint64
	saved uint64
	slot  *slot
	index uint32
}

// Enter opens a scope for m.
func Enter(m *Marker) Entered {
	var s Scope
	s.Enter(m)
	return Entered{s.start, s.saved, s.slot, s.index}
}

// Exit closes the scope. A second Exit of the same value would count twice.
func (e Entered) Exit() {
	if e.index != 0 {
		s := Scope{start: e.start, saved: e.saved, slot: e.slot, index: e.index}
		s.exit()
	}
}
