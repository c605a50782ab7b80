//go:build !markgen_off

package runtime

import "unsafe"

// What has been measured of the clock, for the header: its smallest step, ticks, and
// what reading it costs, ticks<<costBits.
var stepTicks, readTicks uint64

// rounds is how often what scopes cost has been measured in the run, enoughRounds
// what it takes. Guarded by starting.
var rounds int

const enoughRounds = 2

// scratch is the cell that calibration records to; scratchDirectory leads there. The
// window is no other's, since who opens windows may do that meanwhile.
var (
	scratchWindow    window
	scratch          cell
	scratchGroup     group
	scratchDirectory struct {
		n     uint64
		cells [scratchIndex + 1]*cell
	}
)

// calibrate measures what reading the clock and passing a scope cost, with the
// very code the program runs: a round when the run starts, which warms up, too, and
// one before the first scope. The second counts, unless other processes have
// disturbed it. What is measured is not an empty scope but what one
// adds to functions of some 4 to 24 ns: processors do part of a scope's work while
// other work waits for its results, and read the clock before all that stands
// before it is done. How much, differs from function to function, so the mean of
// several counts (works); medians of small batches, since the best is better than
// what programs get. The caller has starting, and nobody records yet.
//
//go:norace
//go:nocheckptr
func calibrate() {
	rounds++
	if hasG { // what takes the lock is done before
		if p := find(getg()); p != nil && p.stack.room == 0 {
			p.grow()
		}
	}
	lock()
	extras, around := hot.extras, hot.window
	hot.extras &= extraTrace | extraUntimed
	scratchWindow = window{width: noWindow}
	hot.window = &scratchWindow
	measureCosts()
	hot.extras, hot.window = extras, around
	unlock()
	hot.ticked = measureTicks()
	setCosts()
}

// measureCosts measures what scopes cost. The caller holds the lock, so nobody else
// makes a directory meanwhile.
//
//go:norace
//go:nocheckptr
func measureCosts() {
	scratchDirectory.n = scratchIndex + 1
	scratchDirectory.cells[scratchIndex] = &scratch
	for i := range scratch.groups {
		scratch.groups[i].p = &scratchGroup
	}
	scratch.k = NumBuckets
	m := Marker{index: scratchIndex}

	stepTicks = quantum()
	pid := procPin()
	if uint(pid) >= MaxShards {
		procUnpin()
		return
	}
	kept := shards[pid].dir
	shards[pid].dir = (*directory[cell])(unsafe.Pointer(&scratchDirectory))
	useScratchRing(pid)
	var c scopeCosts
	c.measure(&m)
	point, inner := uint64(0), uint64(0)
	if hot.extras&extraTrace != 0 {
		point = measurePoints(&m)
	}
	if conf.outermost {
		inner = measureInner(&m)
	}
	shards[pid].dir = kept
	leaveScratchRing(pid)
	procUnpin()
	readTicks = c.read.mean()
	if rounds == 1 {
		hot.inside, hot.whole, hot.opened = c.inside.mean(), c.whole.mean(), c.opened.mean()
	} else {
		hot.inside = undisturbed(c.inside.mean(), hot.inside)
		hot.whole, hot.opened = undisturbed(c.whole.mean(), hot.whole), undisturbed(c.opened.mean(), hot.opened)
	}
	setTraceCosts(point)
	hot.inner = inner
}

// setCosts says in the header what has been measured, by the clock's rate as it is
// known now.
func setCosts() {
	setHeader(OffQuantum, toPS(stepTicks))
	setHeader(OffRead, toPS(readTicks)>>costBits)
	setHeader(OffInside, toPS(hot.inside)>>costBits)
	setHeader(OffWhole, toPS(hot.opened)>>costBits)
}

// undisturbed is what was measured, or if that is much more than before what was
// measured before.
func undisturbed(now, before uint64) uint64 {
	if now > before+before/4 {
		return before
	}
	return now
}

// works are how many steps the functions take in which scopes are measured: from 4
// to 24 ns where a step takes 1. In short ones a scope costs more, as there is
// nothing to do it beside; in longer ones it says little.
var works = [...]int{4, 8, 12, 16, 20, 24}

// A cost is what was measured, ticks<<costBits: three times in each of the works.
type cost [len(works)][3]uint64

// batch is how often something is passed for one measurement.
const batch = 64

// measure fills c with what once measures in a work.
func (c *cost) measure(once func(steps int) uint64) {
	for t := range c[0] {
		for i, steps := range works {
			c[i][t] = once(steps)
		}
	}
}

// mean is that of the works' medians.
func (c *cost) mean() (sum uint64) {
	for _, of := range c {
		sum += max(min(of[0], of[1]), min(max(of[0], of[1]), of[2]))
	}
	return sum / uint64(len(c))
}

// scopeCosts are what a clock read, a Scope and an opened scope cost, and what of it
// a scope measures as its own.
type scopeCosts struct{ read, whole, opened, inside cost }

//go:norace
func (c *scopeCosts) measure(m *Marker) {
	x := uint64(1)
	for t := range c.read[0] {
		for i, steps := range works {
			a := now()
			for range batch {
				now()
			}
			b := now()
			c.read[i][t] = (b - a) << costBits / (batch + 1)

			a = now()
			for range batch {
				x = chain(x, steps)
			}
			b = now()
			work := b - a

			a = now()
			for range batch {
				x = plainWork(m, x, steps)
			}
			b = now()
			called := b - a

			before := scratch.ticks
			a = now()
			for range batch {
				x = openedWork(m, x, steps)
			}
			b = now()
			addTraced()
			c.opened[i][t] = less(b-a, called) << costBits / batch
			c.inside[i][t] = min(less(scratch.ticks-before, work)<<costBits/batch, c.opened[i][t])

			a = now()
			for range batch {
				x = markedWork(m, x, steps)
			}
			b = now()
			c.whole[i][t] = less(b-a, called) << costBits / batch
		}
	}
	scratch.last = x // or the work could be left out
}

// measureInner measures what a scope costs that is left out, as it is inside another
// of its marker.
//
//go:norace
func measureInner(m *Marker) uint64 {
	var around Scope
	around.Enter(m)
	inner := added(m, plainWork, openedWork)
	around.Exit()
	return inner
}

// added measures what a function with something planted in it costs more than
// without.
//
//go:norace
//go:noinline
func added(m *Marker, plain, planted func(*Marker, uint64, int) uint64) uint64 {
	var c cost
	x := uint64(1)
	c.measure(func(steps int) uint64 {
		a := now()
		for range batch {
			x = plain(m, x, steps)
		}
		b := now()
		called := b - a
		a = now()
		for range batch {
			x = planted(m, x, steps)
		}
		b = now()
		return less(b-a, called) << costBits / batch
	})
	scratch.last = x
	return c.mean()
}

// chain is work that no processor can shorten: each step waits for the one before.
func chain(x uint64, steps int) uint64 {
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// plainWork is a function, markedWork the same with a Scope, openedWork with one
// that ends explicitly, pointWork with a point.
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
func openedWork(m *Marker, x uint64, steps int) uint64 {
	if m.Off == 0 {
		Begin(m)
		x = chain(x, steps)
		End(m)
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
