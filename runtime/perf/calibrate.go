//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/clock"
	"github.com/markgen/markgen/runtime/layout"
)

// What has been measured for the header: the clock's smallest step, and what reading it and a
// passage that is only counted cost, ticks<<costBits.
var stepTicks, readTicks, countTicks uint64

// rounds is how often what scopes cost has been measured in the run, enoughRounds
// what it takes before the first scope. costs are what it was in the latest mostRounds. Under the lock.
var (
	rounds int
	costs  [mostRounds]scopeCosts
)

const (
	enoughRounds = 2
	mostRounds   = 15
)

// measureAt is the tick from which on what scopes cost is to be measured again; before the first scope it never comes.
var measureAt uint64

// Rounds follow each other in this many times the time that has passed since the start, from the first such time
// on, ns.
const (
	moreRounds = 4
	thirdRound = 4_000_000
)

// scratch is the cell that calibration records to, scratchEdge that of its edge; scratchDirectory leads there. The
// window is no other's, since who opens windows may do that meanwhile.
var (
	scratchWindow    window
	scratchMarker    = Marker{index: scratchIndex}
	scratch          cell
	scratchEdge      cell
	scratchGroup     group
	scratchDirectory struct {
		n     uint64
		cells [scratchIndex + 1]*cell
	}
)

// calibrate measures what reading the clock and passing a scope cost, with the
// very code the program runs, but for extras that are not among calibrated: a round
// when the run starts, which warms up, too, and one before the first scope. measureAgain makes more. What is measured is not an empty scope but what one
// adds to functions of some 4 to 22 ns: processors do part of a scope's work while
// other work waits for its results, and read the clock before all that stands
// before it is done. How much, differs from function to function, so the mean of
// several counts (works); medians of small batches, since the best is better than
// what programs get. The caller has starting, and nobody records yet.
//
//go:norace
//go:nocheckptr
func calibrate() {
	var p *slot
	if hasG {
		p = find(getg()) // may take the lock
	}
	lock()
	if p != nil && p.stack.room == 0 && !p.makeRoom() {
		unlock()
		return
	}
	extras, around := hot.extras, hot.window
	hot.extras &= calibrated
	scratchWindow = window{width: noWindow}
	hot.window = &scratchWindow
	stepTicks = clock.Step(now)
	measureCosts()
	hot.extras, hot.window = extras, around
	unlock()
	setCosts()
}

// measureAgain makes another round if it is time to. What else the machine does, on the other half of the same
// core for one, may double what scopes cost for some ms, at the start as well as at any other
// time. It is called when a scope has ended and nothing of it is left to be done, where there are windows by who opens
// them, and where nothing is timed before a record is written that takes longer than others anyway. Scopes that are open around
// have nothing of it, and where what they take is in records, too, one says so of the marker of that index, if it is one.
//
//go:norace
//go:nocheckptr
//go:noinline
func measureAgain(at uint64, index uint32) {
	due := atomic.LoadUint64(&measureAt)
	if int64(at-due) < 0 || !atomic.CompareAndSwapUint64(&measureAt, due, at+(at-began.Tick)*(moreRounds-1)) {
		return
	}
	from := now()
	run := atomic.LoadUint64(&runs)
	p := ownSlot() // this may take the lock
	if p == nil {
		return
	}
	lock()
	around := hot.window
	if run == atomic.LoadUint64(&runs) && atomic.LoadUint32(&hot.mode) == modeOn && hot.extras&^calibrated == 0 && !conf.Countdown && !conf.Outermost && p.stack.scopes() == p.stack {
		open := atomic.LoadUint64(&around.width)
		if open == 0 { // between two windows, and none can begin before the lock is free
			setWindow(around, &scratchWindow)
		}
		if open == 0 || open == noWindow {
			kept := *p
			p.stack, p.mask, p.active = &scratchStack.stack, 0, nil // what is open has no part in it
			scratchStack.room, scratchStack.n = uint32(len(scratchStack.records)), 0
			measureCosts()
			*p = kept
			setCosts()
		}
		setWindow(&scratchWindow, around)
	}
	unlock()
	p.overlook(from)
	if index != 0 && hot.extras&extraUntimed == 0 {
		traceTaken(index, from)
	}
}

// scratchStack is where calibration has its scopes while others are open.
var scratchStack struct {
	stack
	records [4]record
}

var _ = [1]struct{}{}[unsafe.Offsetof(scratchStack.records)-layout.OffStackData]

// setWindow has scopes go by another window, if that is the one they go by: the run may end at any time.
//
//go:norace
func setWindow(from, to *window) {
	atomic.CompareAndSwapPointer((*unsafe.Pointer)(unsafe.Pointer(&hot.window)), unsafe.Pointer(from), unsafe.Pointer(to))
}

// aside is the directory of the first processor while it has the scratch directory in its place, and the one that it had then: other
// processors may look into it.
var aside unsafe.Pointer

// measureCosts measures what scopes cost. The caller holds the lock, so nobody else
// makes a directory meanwhile.
//
//go:norace
//go:nocheckptr
func measureCosts() {
	scratchDirectory.n = scratchIndex + 1
	scratchDirectory.cells[scratchIndex], scratchDirectory.cells[scratchEdgeIndex] = &scratch, &scratchEdge
	for i := range scratch.groups {
		scratch.groups[i].p, scratchEdge.groups[i].p = &scratchGroup, &scratchGroup
	}
	scratch.least, scratchEdge.least = 0, 0

	pid := procPin()
	if uint(pid) >= layout.MaxShards {
		procUnpin()
		return
	}
	kept := shards[pid].dir
	if pid == 0 {
		atomic.StorePointer(&aside, unsafe.Pointer(kept))
	}
	shards[pid].dir = (*directory[cell])(unsafe.Pointer(&scratchDirectory))
	useScratchRing(pid)
	var c scopeCosts
	c.measure(&scratchMarker)
	point, inner := uint64(0), uint64(0)
	if hot.extras&extraTrace != 0 {
		point = measurePoints(&scratchMarker)
	}
	if conf.Outermost {
		inner = measureInner(&scratchMarker)
	}
	shards[pid].dir = kept
	leaveScratchRing(pid)
	procUnpin()
	costs[rounds%mostRounds] = c
	rounds++
	readTicks = typical(func(c *scopeCosts) uint64 { return c.read })
	hot.inside = typical(func(c *scopeCosts) uint64 { return c.inside })
	countTicks = typical(func(c *scopeCosts) uint64 { return c.count })
	for kind := range hot.whole {
		hot.whole[kind] = typical(func(c *scopeCosts) uint64 { return c.whole[kind] })
	}
	setTraceCosts(point)
	hot.inner = inner
}

// typical is the median of a figure of the rounds so far; of two in the middle the lower one, since what disturbs
// makes them larger.
//
//go:norace
func typical(figure func(*scopeCosts) uint64) uint64 {
	var all [mostRounds]uint64
	n := min(rounds, mostRounds)
	for i := range n {
		k, v := i, figure(&costs[i])
		for ; k > 0 && all[k-1] > v; k-- {
			all[k] = all[k-1]
		}
		all[k] = v
	}
	return all[(n-1)/2]
}

// setCosts says in the header what has been measured, by the clock's rate as it is
// known now.
func setCosts() {
	setHeader(layout.OffQuantum, toPS(stepTicks)>>costBits)
	setHeader(layout.OffRead, toPS(readTicks)>>costBits)
	setHeader(layout.OffInside, toPS(hot.inside)>>costBits)
	setHeader(layout.OffWhole, toPS(hot.whole[kindOpened])>>costBits)
	setHeader(layout.OffCount, toPS(countTicks)>>costBits)
}

// works are how many steps the functions take in which scopes are measured: from 4
// to 22 ns where a step takes 1. In short ones a scope costs more, as there is
// nothing to do it beside; in longer ones it says little.
var works = [...]int{4, 10, 16, 22}

// batch is how often something is passed for one measurement, and tries how often each is made.
const (
	batch = 64
	tries = 3
)

// batches are how long batches took in each of the works, ticks.
type batches [len(works)][tries]uint64

// over is what one passage took longer than one of plain, ticks<<costBits: the mean of the works. What
// is planted takes as long as the middle of the tries, what is plain as the shortest: other processes can but
// make it longer.
func (b *batches) over(plain *batches) (sum uint64) {
	for i, of := range b {
		middle := max(min(of[0], of[1]), min(max(of[0], of[1]), of[2]))
		base := plain[i]
		sum += less(middle, min(base[0], base[1], base[2])) << costBits / batch
	}
	return sum / uint64(len(works))
}

// A shape is a function that takes steps, with something planted in it, or nothing.
type shape func(m *Marker, x uint64, steps int) uint64

// measureShapes measures batches of shapes, all in turn. done is called after each. Each try begins with
// another work: what disturbs again and again meets them all.
//
//go:norace
func measureShapes(m *Marker, shapes []shape, done func(shape, work, try int, took uint64)) {
	x := uint64(1)
	for try := range tries {
		for k := range works {
			work := (k + try*len(works)/tries) % len(works)
			for i, f := range shapes {
				a := now()
				for range batch {
					x = f(m, x, works[work])
				}
				done(i, work, try, now()-a)
			}
		}
	}
	scratch.last = x // or the work could be left out
}

// scopeCosts are what a clock read and a scope of each kind cost, what of it a scope measures as
// its own, and what a passage costs that is only counted, ticks<<costBits.
type scopeCosts struct {
	read, inside, count uint64
	whole               [4]uint64 // by record.kind
}

// Shapes that are measured besides those of the kinds of scopes.
const (
	plainShape = kindOpened + 1 + iota
	countShape
)

// measure measures scopes of m.
//
//go:norace
func (c *scopeCosts) measure(m *Marker) {
	shapes := [...]shape{depthScope: markedWork, depthValue: valueWork, kindOpened: usualWork, plainShape: plainWork, countShape: pointWork}
	var took [len(shapes)]batches
	var reads, inside, alone batches
	before := scratch.ticks
	measureShapes(m, shapes[:], func(shape, work, try int, ticks uint64) {
		took[shape][work][try] = ticks
		switch shape {
		case kindOpened:
			addTraced()
			inside[work][try] = scratch.ticks - before
		case plainShape:
			reads[work][try], alone[work][try] = readAlone(), chainAlone(works[work])
		}
		before = scratch.ticks
	})
	for kind := range kindOpened + 1 {
		c.whole[kind] = took[kind].over(&took[plainShape])
	}
	c.count = took[countShape].over(&took[plainShape])
	c.read = reads.over(&batches{})
	c.inside = min(inside.over(&alone), c.whole[kindOpened])
}

// readAlone is how long a batch of clock reads takes, ticks.
//
//go:norace
func readAlone() uint64 {
	a := now()
	for range batch {
		now()
	}
	return (now() - a) * batch / (batch + 1)
}

// chainAlone is how long a batch of works takes, ticks.
//
//go:norace
func chainAlone(steps int) uint64 {
	x := scratch.last
	a := now()
	for range batch {
		x = chain(x, steps)
	}
	d := now() - a
	scratch.last = x
	return d
}

// measureInner measures what a scope costs that is left out, as it is inside another
// of its marker.
//
//go:norace
func measureInner(m *Marker) uint64 {
	var around Scope
	around.Enter(m)
	inner := added(m, usualWork)
	around.Exit()
	return inner
}

// added measures what a function with something planted in it costs more than
// without, ticks<<costBits.
//
//go:norace
//go:noinline
func added(m *Marker, marked shape) uint64 {
	var took [2]batches
	measureShapes(m, []shape{plainWork, marked}, func(shape, work, try int, ticks uint64) { took[shape][work][try] = ticks })
	return took[1].over(&took[0])
}

// chain is work that no processor can shorten: each step waits for the one before.
func chain(x uint64, steps int) uint64 {
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// plainWork is a function, markedWork the same with a Scope, valueWork with one that is a value,
// pointWork with a point, and usualWork with a scope as most are planted.
//
//go:noinline
func plainWork(m *Marker, x uint64, steps int) uint64 { return chain(x, steps) }

//go:noinline
func markedWork(m *Marker, x uint64, steps int) uint64 {
	var s [1]Scope
	defer Close(s[:])
	s[0].Enter(m)
	return chain(x, steps)
}

//go:noinline
func valueWork(m *Marker, x uint64, steps int) uint64 {
	if m.Off == 0 {
		e := enter(m, nil, depthValue)
		x = chain(x, steps)
		e.Exit()
		return x
	}
	return chain(x, steps)
}

//go:noinline
func pointWork(m *Marker, x uint64, steps int) uint64 {
	if m.Off == 0 {
		Pass(m)
	}
	return chain(x, steps)
}
