//go:build !markgen_off

package perf

import (
	"slices"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/layout"
)

// In thin windows marked functions run as in others, but their scopes are not opened: that they are passed is
// counted, of all markers together. That costs a fraction of what a scope does, so a program does
// more in a thin window than in one of the others, and how much more tells what scopes cost it (scopeCost). Functions that
// are passed most often run unmarked there, if there are others that tell how much more the program does (chooseThin).

// A marker whose word has IndexOff and no reason for it is passed in a thin window.
func isThin(word uint32) bool { return word&^layout.IndexMask == layout.IndexOff }

// thinEach is how many passages in thin windows share one reading of the clock: thinMost, or 1 where few functions run marked
// there. It tells whether that one was in the window; where it was so many are counted.
var thinEach uint64 = thinMost

const (
	thinMost = 8
	thinFew  = 1.0 / 64 // of all passages
)

// The first thinShards shards have counted passages in thin windows, perhaps.
var thinShards uint32

// thinned is whether the markers of gates have IndexOff for a thin window. Under the lock.
var thinned bool

// setThin has windows be thin or not: those to come, and if one is open the rest of it. The caller holds the lock.
//
//go:norace
func setThin(on bool) {
	if on == thinned {
		return
	}
	thinned = on
	for i := range gates {
		if !gates[i].closed {
			gates[i].setThin(on)
		}
	}
}

// setThin has the marker be passed thinly or not.
//
//go:norace
func (g *windowGate) setThin(on bool) {
	for m := g.Marker; ; {
		w := loadWord(&m.index)
		if on && w&^layout.IndexMask != 0 || !on && !isThin(w) || swapWord(&m.index, w, w^layout.IndexOff) {
			return
		}
	}
}

// passThinly counts a passage of a marker that is thin, but on processors that have no shard of their own.
//
//go:norace
//go:nocheckptr
func passThinly() {
	pid := procPin()
	if uint(pid) >= layout.MaxShards {
		procUnpin()
		return
	}
	s := &shards[pid]
	s.thin++
	if s.thin&(atomic.LoadUint64(&thinEach)-1) == 0 {
		readThin(pid)
		return
	}
	procUnpin()
}

// readThin reads the clock for the latest thinEach passages on a processor, which the caller is pinned to, and unpins it.
//
//go:norace
//go:nocheckptr
//go:noinline
func readThin(pid int) {
	w, t := hot.window, now()
	from, width := atomic.LoadUint64(&w.from), w.widthAt(t)
	if width == noWindow || t-from > width {
		procUnpin()
		if !w.late(t) {
			return
		}
		if pid = procPin(); uint(pid) >= layout.MaxShards {
			procUnpin()
			return
		}
	}
	s := &shards[pid]
	atomic.StoreUint64(&s.in, s.in+atomic.LoadUint64(&thinEach))
	if n := uint32(pid + 1); n > atomic.LoadUint32(&thinShards) { // of two at once one may be lost, until it comes again
		atomic.StoreUint32(&thinShards, n)
	}
	procUnpin()
}

// thinPassages is how many passages there were in thin windows since it was asked last, and on how many processors. The
// caller holds the lock.
//
//go:norace
func thinPassages() (n, processors uint64) {
	for i := range atomic.LoadUint32(&thinShards) {
		s := &shards[i]
		if more := uint32(atomic.LoadUint64(&s.in)) - s.known; more != 0 {
			n += uint64(more)
			s.known += more
			processors++
		}
	}
	return n, processors
}

const (
	// Which functions run marked in thin windows is chosen after so many windows, and again each time there have been nextChoice times as many.
	firstChoice = 8
	nextChoice  = 4

	// The choice stays where another one would be about less than so much of what is passed: what has been learned is lost with it.
	leastChange = 0.3

	// Those that do are passed so often, or they tell nothing. Passages come together: so many of them tell as much as one alone.
	fewestPassed = 8
	atATime      = 4
)

// chooseThin chooses which functions run marked in thin windows: such that they tell best what scopes cost. It says whether that is
// another choice. markers is how many are passed in a window. The caller holds the lock.
//
//go:norace
func (l *learned) chooseThin(markers float64) (changed bool) {
	for k := range tables {
		tables[k].often = nil
	}
	var in *table // markers mostly stand beside others of their table
	often := func(m *Marker) *float64 {
		i, ok := uint32(0), false
		if in != nil {
			i, ok = in.place(m)
		}
		if !ok {
			if in, i = findTable(m); in == nil {
				return nil
			}
		}
		in.gate(i)
		if in.often == nil {
			in.often = make([]float64, in.markers)
		}
		return &in.often[in.gates[i]]
	}
	var all, passed, other float64
	for i := range rated {
		if n := often(live[rated[i].index-firstIndex]); n != nil {
			*n += rated[i].n
			all += rated[i].n
		}
	}
	var functions []float64
	for k := range tables {
		for _, n := range tables[k].often {
			if n != 0 {
				functions = append(functions, n)
			}
		}
	}
	slices.Sort(functions)
	between, _ := l.latest[timedBatch].between(allPassed)
	share := thinShare(float64(hot.whole[kindOpened]), float64(thinCost), markers)
	most := mostToPass(functions, all, between, thinUnsure*share*l.cost.v)
	closed := func(m *Marker) bool {
		n := often(m)
		return n != nil && *n > most
	}
	for i := range rated {
		r := &rated[i]
		if !r.closed {
			passed += r.n
		}
		if !r.milestone && closed(live[r.index-firstIndex]) != r.closed {
			other += r.n
		}
	}
	if other <= leastChange*passed {
		return false
	}
	passed = 0
	for i := range rated {
		r := &rated[i]
		if r.runThin(r.milestone || !closed(live[r.index-firstIndex])); !r.closed {
			passed += r.n
		}
	}
	for i := range gates {
		gates[i].closed = !gates[i].milestone && closed(gates[i].Marker)
	}
	atomic.StoreUint64(&thinEach, thinMost)
	if passed < thinFew*all {
		atomic.StoreUint64(&thinEach, 1)
	}
	return true
}

// mostToPass is how often a function may have been passed that runs marked in thin windows, by how often each has been, the seldom
// ones first, and all together. Of the time between two scopes, net ticks without what they cost, chance makes what is seen
// through n passages the more unsure the fewer they are, and what a passage in a thin window costs, unsure by thin ticks, the more they are
// of all. The sum is to be the least. Where all together are too few to tell anything yet, all do.
func mostToPass(functions []float64, all, net, thin float64) (most float64) {
	if len(functions) > 0 {
		most = functions[len(functions)-1]
	}
	var sum float64
	least := 1e300
	for _, n := range functions {
		sum += n
		byThin := thin * sum / all
		if off := atATime*net*net/sum + byThin*byThin; sum >= fewestPassed && off < least {
			least, most = off, n
		}
	}
	return most
}
