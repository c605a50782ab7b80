//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/layout"
)

// With collect=wild a process picks a few functions at random and collects at these
// only: what many such processes have found out on the machines of those who use the
// program adds up to a profile of all of it, and none of them has noticed (US 9,027,000,
// "in the wild"). All other markers are off by choice, at no cost.
//
// Each function has a random number, exponentially distributed with a rate that is its
// weight, 1/(1+the runs it was measured in so far), and the functions with the smallest
// numbers are picked, but none that shares a stack with one picked already (Efraimidis
// and Spirakis, Weighted random sampling with a reservoir, Information Processing
// Letters 97, 2006). The number follows from seed and ID, so that the choice
// does not depend on the order in which packages are initialised. Given the numbers of
// all others, a function is picked if its own is below a limit: with that, which is in
// the data, follows the probability by which it was picked, and an estimate over many
// runs that is free of bias (Cohen and Kaplan, Tighter estimation using bottom k
// sketches, VLDB 2008).

// A candidate is a function that can be picked.
type candidate struct {
	rank   uint64 // its random number, 32.32
	id     uint64
	number uint32 // as in its table
	runs   uint32 // it was measured in so far
}

func (c candidate) less(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.id < d.id
}

// wild is guarded by the lock, or by starting while nothing is collected.
var wild struct {
	seed   uint64
	known  known
	heap   []candidate // those not in order, the least first
	order  []candidate // the least of all, in order, as far as pick has looked
	picked []candidate // of these, in order
	worst  candidate   // only a new candidate that is less can change what is picked, or a limit
	enough bool        // there are so many that all picked have limits
	over   bool        // the table of package main was the last
	block  unsafe.Pointer
}

// beginWild makes ready to pick, or says why the process declines to. The data file is
// there. The caller has starting.
//
//go:norace
//go:nocheckptr
func beginWild(k known) (refused uint64) {
	load, knows := platform.Load()
	if !knows {
		load = layout.NoLoad
	}
	if knows && load >= conf.Busy {
		refused = layout.WildLoaded
	} else {
		refused = takePlace()
	}
	wild.known = k
	wild.heap, wild.order, wild.picked = nil, nil, nil
	wild.worst, wild.enough, wild.over = candidate{}, false, false
	wild.seed = random.Mix(conf.Seed)
	if wild.seed == 0 {
		wild.seed = random.Mix(ticks() ^ platform.WallNS()<<20 ^ uint64(syscall.Getpid()))
	}
	lock()
	defer unlock()
	if wild.block = newBlock(layout.BlockWild, 0, layout.OffWildData+uintptr(conf.Pick)*layout.WildSize); wild.block == nil {
		return layout.WildFull
	}
	*wildWord(layout.OffWildRefused) = refused
	*wildWord(layout.OffWildPick) = conf.Pick
	*wildWord(layout.OffWildLoad) = load
	publish(wild.block)
	return refused
}

func wildWord(off uintptr) *uint64 { return (*uint64)(unsafe.Add(wild.block, off)) }

// decline ends a run that is not to be, with nothing in its data but that. The caller has
// starting.
//
//go:norace
func decline() {
	lock()
	setHeader(layout.OffState, layout.StateStopped)
	setEnd()
	trouble := closeFile()
	unlock()
	forget()
	if trouble != "" {
		complain("the data file: " + trouble)
	}
}

// whyWild words the causes for declining, for a program that asks for a run itself.
var whyWild = [...]string{
	layout.WildLoaded:  "the machine is busy; try again later, or give a higher busy=",
	layout.WildFull:    "six processes collect already; try again later",
	layout.WildNoPlace: "whether other processes collect cannot be told; give a directory for temporary files that can be written to",
}

// enter makes the functions of a table candidates, and picks anew. The markers are off
// by choice, and none of them has an open scope. The caller holds the lock.
//
//go:norace
func (t *table) enter() {
	if wild.over {
		return
	}
	again := !wild.enough
	i := uint32(0)
	for rest := unpack(t.text); rest != ""; {
		var line string
		if line, rest = lite.Cut(rest, '\n'); line == "e" {
			wild.over = true
		}
		if kindOf(line) != 'm' || i >= uint32(t.markers) {
			continue
		}
		number := t.first + i
		i++
		id, ok := lite.ParseHex(lite.Field(line, markerID, markerName))
		if !ok || lite.Field(line, markerKind, markerName) != "func" || lite.Has(lite.Field(line, markerFlags, markerName), 'c') ||
			!conf.wants(lite.Field(line, markerID, markerName), lite.Field(line, markerName, markerName)) {
			continue
		}
		c := candidate{id: id, number: number, runs: uint32(wild.known.of(id))}
		c.rank = random.Exponential(random.Mix(wild.seed^random.Mix(id))) * uint64(c.runs+1)
		again = again || c.less(wild.worst)
		pushCandidate(c)
	}
	*wildWord(layout.OffWildOf) = uint64(len(wild.heap) + len(wild.order))
	if again {
		pick()
	}
}

// pick picks among the candidates, and turns markers off and on to agree.
//
//go:norace
func pick() {
	for _, c := range wild.order {
		pushCandidate(c)
	}
	wild.order = wild.order[:0]
	before := wild.picked
	wild.picked = nil
	for n := 0; uint64(len(wild.picked)) < conf.Pick; n++ {
		c, ok := nth(n)
		if !ok {
			break
		}
		if !meets(wild.picked, c) {
			wild.picked = append(wild.picked, c)
		}
	}
	for _, c := range before {
		if !isPicked(wild.picked, c) {
			c.turn(false)
		}
	}
	for _, c := range wild.picked {
		if !isPicked(before, c) {
			c.turn(true)
		}
	}
	atomic.StoreUint64(wildWord(layout.OffWildLen), 0)
	wild.enough = uint64(len(wild.picked)) == conf.Pick
	for i, c := range wild.picked {
		limit := limitOf(i)
		if limit == layout.NoLimit {
			wild.enough = false
		}
		at := layout.OffWildData + uintptr(i)*layout.WildSize
		*wildWord(at + layout.WildMarker) = uint64(c.number)
		*wildWord(at + layout.WildLimit) = limit
		*wildWord(at + layout.WildRuns) = uint64(c.runs)
	}
	atomic.StoreUint64(wildWord(layout.OffWildLen), uint64(len(wild.picked)))
	if n := len(wild.order); n > 0 {
		wild.worst = wild.order[n-1] // what is picked and all limits follow from these
	}
}

// limitOf is what the random number of a picked candidate could have been at most. All
// ones: anything.
//
//go:norace
func limitOf(picked int) uint64 {
	c := wild.picked[picked]
	others := append([]candidate(nil), wild.picked[:picked]...)
	from := 0 // those before c are picked with and without it
	for wild.order[from] != c {
		from++
	}
	for n := from + 1; ; n++ {
		other, ok := nth(n)
		if !ok {
			return layout.NoLimit
		}
		if meets(others, other) {
			continue
		}
		others = append(others, other)
		if uint64(len(others)) == conf.Pick || wild.known.share(c.id, other.id) {
			return other.rank
		}
	}
}

// nth is the candidate with the n-th smallest number, from 0; that before has been asked
// for.
//
//go:norace
func nth(n int) (c candidate, ok bool) {
	if n == len(wild.order) {
		if len(wild.heap) == 0 {
			return c, false
		}
		wild.order = append(wild.order, popCandidate())
	}
	return wild.order[n], true
}

// meets says whether a candidate shares a stack with one of some.
func meets(some []candidate, c candidate) bool {
	for _, other := range some {
		if wild.known.share(other.id, c.id) {
			return true
		}
	}
	return false
}

func isPicked(some []candidate, c candidate) bool {
	for _, other := range some {
		if other.number == c.number {
			return true
		}
	}
	return false
}

// turn turns a candidate's marker on or off.
//
//go:norace
func (c candidate) turn(on bool) {
	for k := range tables {
		t := &tables[k]
		i := c.number - t.first
		if c.number < t.first || i >= uint32(t.markers) {
			continue
		}
		m := t.at(i)
		gate := t.gate(i)
		switch kept := loadWord(&gate.index)&layout.IndexKept != 0; {
		case !on && kept: // for a trigger
			setBits(&m.index, layout.IndexOff|layout.IndexOffChoice)
			return
		case !on:
			turnOff(m, layout.IndexOffChoice)
			return
		}
		if k < len(tables)-1 { // it may have been passed before
			atomic.OrUint64(headerWord(layout.OffFlags), layout.FlagChosen)
		}
		if w := clearBits(&m.index, layout.IndexOffChoice) &^ layout.IndexOffChoice; w&^(layout.IndexMask|layout.IndexOff) == 0 {
			clearBits(&m.index, layout.IndexOff)
		}
		open := func(m *Marker) {
			if w := clearBits(&m.Off, layout.OffByChoice|layout.OffByLimit); w&^(layout.OffByChoice|layout.OffByLimit|layout.OffSettled) == 0 {
				clearBits(&m.Off, layout.OffSettled)
			}
		}
		open(m)
		open(gate)
		return
	}
}

// pushCandidate and popCandidate keep the heap.
func pushCandidate(c candidate) {
	h := append(wild.heap, c)
	for i := len(h) - 1; i > 0 && h[i].less(h[(i-1)/2]); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	wild.heap = h
}

func popCandidate() candidate {
	h := wild.heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		least := 2*i + 1
		if least >= last {
			break
		}
		if least+1 < last && h[least+1].less(h[least]) {
			least++
		}
		if !h[least].less(h[i]) {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	wild.heap = h
	return top
}
