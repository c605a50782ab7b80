//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/cct"
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
// number before the first scope. costs has the results. Under the lock.
var (
	rounds int
	costs  costSeries
)

const enoughRounds = 2

// costSeries are the results of measurements, see scopeCosts.
type costSeries struct {
	read, inside, count overhead.Series
	cost                [kindOpened + 1]overhead.Series
}

// measureAt is the tick from which another round is due (measureAgain); until the first scope, none
// is.
var measureAt uint64

// The third round is made thirdRound ns after the run is ready, and each further one when the time
// since the start is moreRounds times as long.
const (
	moreRounds = 4
	thirdRound = 4_000_000
)

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
// that the program runs, apart from hooks that are not calibrated: one round when the run starts,
// which also warms up, and one before the first scope; measureAgain makes more. The caller has
// acquired starting, and nothing is recorded yet.
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

// measureAgain makes another round if one is due at tick at. Other load on the machine, such as on
// the sibling of a core, may double the cost of scopes for some ms, at the start or later. It is
// called after the end of a scope, by the sampler between windows and, in a run that only traces,
// before a record that is written slowly. The time that it takes is subtracted from the open
// scopes; if index is not 0, a trace record of that marker has it.
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
	p := ownSlot() // may acquire the lock
	if p == nil {
		return
	}
	lock()
	around := hot.window
	if run == atomic.LoadUint64(&runs) && atomic.LoadUint32(&hot.mode) == modeOn && hot.hooks&^calibrated == 0 && !conf.Countdown && !conf.Outermost && p.stack.scopes() == p.stack {
		open := atomic.LoadUint64(&around.width)
		if open == 0 { // between two windows; none can begin while the lock is held
			setWindow(around, &scratchWindow)
		}
		if open == 0 || open >= unending {
			kept := *p
			p.stack, p.mask = &scratchStack.stack, 0 // without the open scopes
			scratchStack.room, scratchStack.n = uint32(len(scratchStack.records)), 0
			scratchNodes[0].node, scratchStack.nodes.p = cct.Root, (*pathNodes)(unsafe.Pointer(&scratchNodes))
			measureCosts()
			*p = kept
			setCosts()
		}
		setWindow(&scratchWindow, around)
	}
	unlock()
	p.discount(from)
	if index != 0 && hot.hooks&hookUntimed == 0 {
		traceTaken(index, from)
	}
}

// scratchStack is the stack of calibration's scopes while other scopes are open.
var scratchStack struct {
	stack
	records [4]record
}

// scratchNodes are the nodes of its scopes.
var scratchNodes [len(scratchStack.records) + 1]pathNode

var _ = [1]struct{}{}[unsafe.Offsetof(scratchStack.records)-layout.OffStackData]

// setWindow replaces hot.window if it is still from: the run may end at any time.
//
//go:norace
func setWindow(from, to *window) {
	atomic.CompareAndSwapPointer((*unsafe.Pointer)(unsafe.Pointer(&hot.window)), unsafe.Pointer(from), unsafe.Pointer(to))
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
	rounds++
	readTicks, hot.inside, countTicks = costs.read.Add(c.read), costs.inside.Add(c.inside), costs.count.Add(c.count)
	for kind := range costs.cost {
		hot.cost[kind] = costs.cost[kind].Add(c.cost[kind])
	}
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
	shapes := [...]shape{depthScope: markedWork, depthValue: valueWork, kindOpened: usualWork, plainShape: plainWork}
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

// countScratch counts a scope of scratchMarker, in about the time that TallyUnit takes.
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

// plainWork is a function without a marker, markedWork the same with a Scope, valueWork with an
// Entered, pointWork with a point, and usualWork with a scope in the most frequent form.
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
func valueWork(m *Marker, x uint64, steps int) uint64 {
	if m.Off == 0 {
		e := enter(m, nil, depthValue)
		x = overhead.Chain(x, steps)
		e.Exit()
		return x
	}
	return overhead.Chain(x, steps)
}

//go:noinline
func pointWork(m *Marker, x uint64, steps int) uint64 {
	if m.Off == 0 {
		Pass(m)
	}
	return overhead.Chain(x, steps)
}
