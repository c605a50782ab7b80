//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/cell"
	"github.com/markgen/markgen/runtime/internal/clock"
	"github.com/markgen/markgen/runtime/internal/directory"
	"github.com/markgen/markgen/runtime/internal/overhead"
	"github.com/markgen/markgen/runtime/layout"
)

// Measured for the header: the clock's smallest step, the cost of reading it, and the cost of an
// execution that is only counted, ticks<<costBits.
var stepTicks, readTicks, countTicks uint64

// rounds is the number of times that the cost of scopes was measured in the run, enoughRounds the
// number before the first scope. Under the lock.
var rounds int

const enoughRounds = 2

// Calibration records to the cell scratch and, by caller, to scratchEdge; scratchDirectory has
// these two. It has a window of its own, since the sampler may open the run's meanwhile.
var (
	scratchWindow    window
	scratchMarker    = Marker{index: scratchIndex}
	scratch          cell.Cell
	scratchEdge      cell.Cell
	scratchGroup     cell.Group
	scratchDirectory *directory.Of[cell.Cell]
)

// calibrate measures the cost of reading the clock and of a scope (package overhead), with the code
// that the program runs, apart from hooks that are not calibrated, in two rounds: when the run
// starts, which also warms up, and before the first scope. The lower values count, since other load
// only increases them. The caller has acquired starting, and nothing is recorded yet.
//
//go:norace
func calibrate() {
	var p *slot
	if hasG {
		p = find(getg()) // may acquire the lock
	}
	lock()
	if p != nil && p.stack.room == 0 && !p.makeRoom() {
		unlock()
		return
	}
	hooks, around := hot.hooks, hot.window
	hot.hooks &= calibrated
	scratchWindow = window{width: noWindow}
	hot.window = &scratchWindow
	stepTicks = clock.Step(now)
	measureCosts()
	hot.hooks, hot.window = hooks, around
	unlock()
	setCosts()
}

// aside is the first processor's directory while the scratch directory replaces it: code on other
// processors may look up cells in it.
var aside unsafe.Pointer

// measureCosts makes one round. The caller holds the lock, so no directory is made meanwhile.
//
//go:norace
func measureCosts() {
	directory.Make(&scratchDirectory, &arena, scratchIndex, scratchIndex+1, func() *cell.Cell { return &scratch })
	directory.Make(&scratchDirectory, &arena, scratchEdgeIndex, scratchIndex+1, func() *cell.Cell { return &scratchEdge })
	for i := range scratch.Groups {
		scratch.Groups[i].P, scratchEdge.Groups[i].P = &scratchGroup, &scratchGroup
	}
	scratch.Least, scratchEdge.Least = 0, 0

	pid := procPin()
	if uint(pid) >= layout.MaxShards {
		procUnpin()
		return
	}
	kept := shards[pid].cells
	if pid == 0 {
		atomic.StorePointer(&aside, unsafe.Pointer(kept))
	}
	shards[pid].cells = scratchDirectory
	tracing.rings.UseScratch(pid)
	calibratePaths(pid)
	var c scopeCosts
	c.measure(&scratchMarker)
	point, inner := uint64(0), uint64(0)
	if hot.hooks&hookTrace != 0 {
		point = overhead.Added(now, &scratchMarker, plainWork, pointWork)
	}
	if conf.Outermost {
		inner = measureInner(&scratchMarker)
	}
	shards[pid].cells = kept
	tracing.rings.LeaveScratch(pid)
	procUnpin()
	if rounds > 0 {
		c.read, c.inside, c.count = min(c.read, readTicks), min(c.inside, hot.inside), min(c.count, countTicks)
		for kind := range c.cost {
			c.cost[kind] = min(c.cost[kind], hot.cost[kind])
		}
	}
	rounds++
	readTicks, hot.inside, countTicks = c.read, c.inside, c.count
	copy(hot.cost[:], c.cost[:])
	setTraceCosts(point)
	hot.inner = inner
}

// setCosts writes the measured costs to the header, converted with the current estimate of the
// clock's rate.
func setCosts() {
	setHeader(layout.OffQuantum, toPS(stepTicks)>>costBits)
	setHeader(layout.OffRead, toPS(readTicks)>>costBits)
	setHeader(layout.OffScopeInside, toPS(hot.inside)>>costBits)
	setHeader(layout.OffScopeCost, toPS(hot.cost[kindOpened])>>costBits)
	setHeader(layout.OffCount, toPS(countTicks)>>costBits)
}

// A shape is a function that computes steps, with or without a marker.
type shape = overhead.Shape[*Marker]

// scopeCosts are the costs of a clock read, of a scope of each kind and of an execution that is
// only counted, and inside, the part of a scope's cost that is in its own measured duration,
// ticks<<costBits.
type scopeCosts struct {
	read, inside, count uint64
	cost                [kindOpened + 1]uint64 // by record.kind
}

// plainShape is a shape besides the kinds of scopes.
const plainShape = kindOpened + 1

// measure fills c with the costs of scopes of m.
//
//go:norace
func (c *scopeCosts) measure(m *Marker) {
	shapes := [...]shape{kindScope: markedWork, kindOpened: usualWork, plainShape: plainWork}
	var took [len(shapes)]overhead.Batches
	var reads, counts, inside, alone overhead.Batches
	before := scratch.Ticks
	overhead.Measure(now, m, shapes[:], func(shape, work, try int, ticks uint64) {
		took[shape][work][try] = ticks
		switch shape {
		case kindOpened:
			addTraced()
			inside[work][try] = scratch.Ticks - before
		case plainShape:
			reads[work][try], counts[work][try], alone[work][try] = readAlone(), countAlone(), overhead.Alone(now, work)
		}
		before = scratch.Ticks
	})
	for kind := range kindOpened + 1 {
		c.cost[kind] = took[kind].Over(&took[plainShape])
	}
	c.read, c.count = reads.Over(&overhead.Batches{}), counts.Over(&overhead.Batches{})
	c.inside = min(inside.Over(&alone), c.cost[kindOpened])
}

// readAlone returns the duration of a batch of clock reads, in ticks.
//
//go:norace
func readAlone() uint64 {
	a := now()
	for range overhead.Batch {
		now()
	}
	return (now() - a) * overhead.Batch / (overhead.Batch + 1)
}

// countAlone returns the duration of a batch of executions that are only counted, in ticks: with
// countdown, of scopes that are not due. They
// overlap with nothing: in the short loops that count most often there is little else. The caller
// is pinned.
//
//go:norace
func countAlone() uint64 {
	pid := procPin()
	defer procUnpin()
	a := now()
	if conf.Countdown {
		scratch.Rate, scratch.Left = 1<<62, 1<<62
		for range overhead.Batch {
			if !countsDown(scratchMarker.index) {
				sampledScope(scratchIndex)
			}
		}
		return now() - a
	}
	for range overhead.Batch {
		countScratch(pid)
	}
	return now() - a
}

// countScratch counts a scope of scratchMarker, in about the time that tally takes.
//
//go:norace
//go:noinline
func countScratch(pid int) {
	if m := &scratchMarker; m.Off == 0 {
		if c := cellOf(pid, m.index); c != nil {
			c.Passes++
		}
	}
}

// measureInner returns the cost of a scope that is left out because it is inside another of its
// marker (outermost), ticks<<costBits.
//
//go:norace
func measureInner(m *Marker) uint64 {
	var around Scope
	around.Enter(m)
	inner := overhead.Added(now, m, plainWork, usualWork)
	around.Exit()
	return inner
}

// plainWork is a function without a marker, markedWork the same with a Scope, pointWork
// with a point, and usualWork with a scope in the most frequent form.
//
//go:noinline
func plainWork(m *Marker, x uint64, steps int) uint64 { return overhead.Chain(x, steps) }

//go:noinline
func markedWork(m *Marker, x uint64, steps int) uint64 {
	var s [1]Scope
	defer Close(s[:])
	s[0].Enter(m)
	return overhead.Chain(x, steps)
}

//go:noinline
func pointWork(m *Marker, x uint64, steps int) uint64 {
	if m.Off == 0 {
		Pass(m)
	}
	return overhead.Chain(x, steps)
}
