//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/internal/tabletext"
	"github.com/markgen/markgen/runtime/layout"
)

// scan calls f for each marker of the table, with its position and its line.
//
//go:norace
func (t *table) scan(f func(i uint32, line tabletext.Line)) {
	i := uint32(0)
	for line, rest := tabletext.Next(unpack(t.text)); line != "" && i < uint32(t.markers); line, rest = tabletext.Next(rest) {
		if line.Kind() == tabletext.Marker {
			f(i, line)
			i++
		}
	}
}

// sampled reports whether a marker of the table has a rate.
func (t *table) sampled() bool {
	return len(t.text) > 1 && (t.text[0] == layout.PackedSampled || t.text[:2] == "s\n")
}

// choose turns off the markers that are not collected and the gates without a collected marker, and
// flags the markers that triggers watch and those with rates. Every scope of a watched marker is
// collected, whatever its rate, or its triggers would miss scope ends. A gate may come after the
// markers behind it in the table. If all markers are collected, they are not touched. In a run that
// does not collect yet all are off.
//
//go:norace
func (t *table) choose(collecting bool) {
	off := uint32(0)
	if !collecting { // never on, however briefly: a goroutine that finds a marker on may record much later
		off = layout.OffByState
	}
	counted := conf.Countdown && conf.Sample > 1 && !conf.wholePaths()
	rates := t.sampled() && conf.Sample == 0 || counted
	if !conf.chooses() && len(triggers()) == 0 && !rates {
		if t.turnedOff {
			t.turnOn(off)
		}
		return
	}
	t.gates = make([]uint32, t.markers)
	const wanted = 1 // in bits of a gate: a marker behind it is collected
	bits := make([]uint32, t.markers)
	t.scan(func(i uint32, line tabletext.Line) {
		name, gate := line.Name(), line.Gate(i, t.markers)
		t.gates[i] = gate
		watched := triggers().Watch(name, t.first+i)
		if !conf.Wild && (watched || conf.wants(line.ID(), name)) {
			bits[gate] |= wanted
		} else {
			bits[i] |= layout.IndexOff | layout.IndexOffChoice
		}
		if watched { // where there is one body, each marker's code tests its own word
			bits[gate] |= layout.IndexOff | layout.IndexKept
			bits[i] |= layout.IndexOff | layout.IndexKept | layout.IndexWatched
		}
		n, ok := line.Rate()
		if counted {
			n = conf.Sample
		}
		if rates && !watched && ok && n > 1 && n <= config.MaxRate && !line.IsPoint() {
			bits[i] |= layout.IndexOff | layout.IndexCounted
			if t.rates == nil {
				t.rates = make([]uint32, t.markers)
			}
			t.rates[i] = uint32(n)
		}
	})
	for i := range t.markers {
		m := t.at(uint32(i))
		shared.ClearBits(&m.index, ^uint32(layout.IndexMask))
		shared.SetBits(&m.index, bits[i]&^wanted)
		switch of := bits[t.gates[i]]; {
		case of&layout.IndexKept != 0:
			shared.Store(&m.Off, 0)
		case of&wanted != 0:
			shared.Store(&m.Off, off)
		default:
			shared.Store(&m.Off, layout.OffByChoice|layout.OffSettled)
		}
	}
	if conf.Wild {
		t.enter()
	}
}

// turnOn sets the first word of all markers of a table, which were off before there was a run, to
// off, which may be 0.
//
//go:norace
func (t *table) turnOn(off uint32) {
	for i := range t.markers {
		m := t.at(uint32(i))
		shared.ClearBits(&m.index, ^uint32(layout.IndexMask))
		shared.Store(&m.Off, off)
	}
}

// gate returns the gate of marker i. The caller holds the lock.
//
//go:norace
func (t *table) gate(i uint32) *Marker {
	if t.gates == nil {
		t.gates = make([]uint32, t.markers)
		t.scan(func(i uint32, line tabletext.Line) { t.gates[i] = line.Gate(i, t.markers) })
	}
	return t.at(t.gates[i])
}

// counting says when a counter counts.
type counting uint8

const (
	countsNever  counting = iota
	countsOn              // in states in which counters count
	countsAlways          // always: it is a cover block
)

// countIf turns the table's counters on or off. Cover blocks, which have no names, always count.
//
//go:norace
//go:nocheckptr
func (t *table) countIf(on bool) {
	if !hasCounters || t.counters == nil {
		return
	}
	cs := unsafe.Slice(t.counted, t.n)
	if on && !conf.chooses() && conf.Budget == 0 {
		for i := range cs {
			cs[i].P = t.counterAt(uintptr(i))
		}
		return
	}
	least := countsAlways
	if on {
		least = countsOn
	}
	if t.counting == nil {
		t.chooseCounters()
	}
	for i := range cs {
		var p unsafe.Pointer
		if t.counting[i] >= least {
			p = unsafe.Add(t.counters, 8*uintptr(i))
		}
		shared.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&cs[i].P)), p)
	}
}

// chooseCounters decides which of the table's counters count in the run, and writes the others to
// the data file.
//
//go:norace
//go:nocheckptr
func (t *table) chooseCounters() {
	t.counting = make([]counting, t.n)
	i := 0
	for line, rest := tabletext.Next(unpack(t.text)); line != "" && i < t.n; line, rest = tabletext.Next(rest) {
		switch line.Kind() {
		case tabletext.Counter:
			switch {
			case conf.Wild:
			case conf.wants(line.ID(), line.Name()):
				t.counting[i] = countsOn
			case conf.chooses():
				*t.counterAt(t.counterWords() + uintptr(i/64)) |= 1 << (i % 64)
			}
		case tabletext.Block:
			t.counting[i] = countsAlways
		default:
			continue
		}
		i++
	}
}

// isClosed reports whether m is off for the rest of the run, or until another process turns it on.
// A demoted marker is not closed.
//
//go:norace
func (m *Marker) isClosed() bool {
	const reasons = layout.IndexOffChoice | layout.IndexOffEnough | layout.IndexOffThrottled
	i, word := m.index, m.Off
	off := int32(i) > 0 && word != 0 && !isDemoted(word) || i&^(layout.IndexMask|reasons) == layout.IndexOff && i&reasons != 0 // its function may be on
	return off && hot.mode == modeOn
}

// unwanted is the second word of a marker that only or skip has excluded from the beginning: it has
// no index, and so no open scopes.
const unwanted = layout.IndexOff | layout.IndexOffChoice

// decide returns the index under which a scope of m is recorded, perhaps with wholeBits, or 0 if it is
// not, where the marker's words alone do not tell. A marker gets its index at its first scope, even if its table
// is not registered yet.
//
//go:norace
//go:noinline
func decide(m *Marker) uint32 {
	if atomic.LoadUint32(&hot.mode) == modeInert || m.isClosed() || lostOnSystemStack() {
		return 0
	}
	begin()
	if atomic.LoadUint32(&hot.mode) != modeOn {
		ready()
		if atomic.LoadUint32(&hot.mode) != modeOn {
			return 0
		}
	}
	w := shared.Load(&m.index)
	if w&layout.IndexControl != 0 {
		ackControl()
		w = shared.Load(&m.index)
	}
	on := State() == layout.StateProfiling
	if w&layout.IndexMask == 0 && (on || w&layout.IndexWatched != 0) {
		from := now()
		lock()
		// The run may have ended by now.
		if w = shared.Load(&m.index); w&layout.IndexMask == 0 && nextIndex() < maxIndex && hot.mode == modeOn {
			m.giveIndex()
		}
		n := nextIndex() - firstIndex
		unlock()
		warnNoFinish(n)
		discount(from)
		w = shared.Load(&m.index)
		if w&layout.IndexMask != 0 {
			traceTaken(w&layout.IndexMask, from)
		}
	}
	i := w & layout.IndexMask
	if i == 0 {
		return 0
	}
	if w&layout.IndexWatched != 0 {
		beginsAt(i)
		on = State() == layout.StateProfiling
	}
	off := shared.Load(&m.Off)
	if isDemoted(off) { // by other goroutines, during this first scope of the marker
		passDemoted(m)
		return 0
	}
	collected := collectsScope(off, w, on)
	if collected && w&layout.IndexCounted != 0 {
		i = sampledScope(i)
		collected = i != 0
	}
	if !collected {
		if w&layout.IndexWatched != 0 {
			endsAt(i, false)
		}
		return 0
	}
	return i
}

// collectsScope reports whether a scope of a marker with these words is collected; on says whether
// the run is profiling.
func collectsScope(off, w uint32, on bool) bool {
	if w&(layout.IndexWatched|layout.IndexKept) != 0 {
		off &^= layout.OffByState | layout.OffSettled // it may have been closed a moment ago
	}
	return on && off == 0 && w&(layout.IndexOffChoice|layout.IndexOffEnough|layout.IndexOffThrottled) == 0
}
