//go:build !markgen_off

package runtime

// What recording costs a program is hard to tell in advance. A counter takes 2 ns where there is nothing else to do,
// nearly nothing where the program waits for something else, and 8 ns where two processors count with the same one; a
// scope half of what is measured where it ends before other work does, and twice as much in a recursion. So batches of
// windows are of three sorts, and the program is the same in all of them: how much less often scopes are passed
// in one sort than in another tells what makes the difference.
type batchSort uint8

const (
	timedBatch   batchSort = iota // scopes are timed
	countedBatch                  // and counters count
	thinBatch                     // scopes are counted and not timed (thin.go), counters do not count
	batchSorts
)

// learned is what batches have shown, and of which sort they are.
type learned struct {
	of      [batchSorts]density    // of scopes that are passed in thin windows, too
	all     [batchSorts]density    // of all
	counted density                // of what counters count, in the batches in which they do
	latest  estimate               // what scopes cost
	before  estimate               // and what they did by what was known before forget; 0: nothing was
	alone   uint64                 // countingAlone; 0: it has not been measured
	timed   [mostTimed]timedScopes // the latest batches in which scopes were timed, a ring
	timings int                    // so many have been put there
	batches uint64                 // so many sorts were decided
	sorted  [batchSorts]uint64     // and how often each
	sort    batchSort
	decided bool // whether the sort is
	known   bool // whether it can be learned from
}

// A density has how many scopes are passed in a tick of a processor: the batches, the sum, and the sum of the squares.
type density struct{ n, sum, squares float64 }

const (
	// fewBatches is how many batches of each sort it takes to learn something from them, leastSpread how much they differ at least, though a
	// few may not: the square of a standard deviation, as a part.
	fewBatches  = 3
	leastSpread = 0.05 * 0.05

	// Each batch weighs so much less than the one of its sort that follows: what the program does changes.
	fadeBatches = 1 - 1.0/1024

	// One batch in so many is thin: until there are enoughThin, and from then on.
	thinFirst, thinLater = 3, 16
	enoughThin           = 16

	// What a scope and counting take in programs, of what they take where they are measured, and how far off that may be; and
	// what a passage in a thin window takes there of a scope, of the part that it takes where both are measured.
	scopeUsual, scopeUnsure = 0.9, 0.6
	scopeWider              = 0.25 // more each time twice as many markers are passed in a window, from fewMarkers on: less is in the nearest cache
	fewMarkers              = 4
	leastUnsure, mostSpread = 0.03, 0.2
	scopeMost               = 0.8 // of the time from one to the next, as long as little is known
	thinUsual, thinUnsure   = 1.2, 0.4
	thinWider               = 0.04 // more each time twice as many markers are passed, besides what scopes take more
	thinMostly              = 0.4  // of a scope, at most: what else the machine does makes short measurements longer
	tickUsual, tickUnsure   = 0.5, 0.5
)

// sortNext says of which sort the window is that is opened next. All windows of a batch are alike.
//
//go:norace
func (s *sampler) sortNext() batchSort {
	l := &s.learned
	if l.decided {
		return l.sort
	}
	l.decided, l.known, l.sort = true, s.rate > 1, countedBatch
	if !l.known { // nearly every passage is asked for
		return l.sort
	}
	// Windows begin at random times: of which sort they are need not be random, too.
	each := l.thinEvery()
	l.batches++
	switch {
	case each != 0 && l.batches%each == each/2:
		l.sort = thinBatch
	case len(tickers) == 0 || l.sorted[timedBatch] < l.sorted[countedBatch]:
		l.sort = timedBatch
	}
	l.sorted[l.sort]++
	return l.sort
}

// thinEvery is of how many batches one is thin; 0: none is.
//
//go:norace
func (l *learned) thinEvery() uint64 {
	switch {
	case !l.known || hot.extras&extraUntimed != 0:
		return 0
	case l.of[thinBatch].n >= enoughThin:
		return thinLater
	}
	return thinFirst
}

// learn takes in a batch of windows of so many ticks of processors, in which scopes were passed, some that are passed in thin windows, too,
// of all, and so much was counted. The caller holds the lock.
//
//go:norace
func (l *learned) learn(ticks, some, all, counted float64) {
	if !l.known || ticks <= 0 {
		return
	}
	l.of[l.sort].add(some / ticks)
	l.all[l.sort].add(all / ticks)
	if l.sort == timedBatch {
		l.timed[l.timings%mostTimed] = timedScopes{all, ticks}
		l.timings++
	}
	if l.sort == countedBatch {
		l.counted.add(counted / ticks)
	}
}

// forget is for when other scopes are passed in thin windows than before.
//
//go:norace
func (l *learned) forget() {
	if l.of[timedBatch].n != 0 && l.of[thinBatch].n >= fewBatches {
		l.before = l.latest
	}
	l.of = [batchSorts]density{}
}

//go:norace
func (d *density) add(v float64) {
	d.n = d.n*fadeBatches + 1
	d.sum = d.sum*fadeBatches + v
	d.squares = d.squares*fadeBatches + v*v
}

// mean is the mean, and the square of its relative standard error.
//
//go:norace
func (d *density) mean() (mean, unsure float64) {
	mean = d.sum / d.n
	return mean, max(leastSpread, d.spread()) / (d.n - 1)
}

// spread is how much batches differ: the square of a standard deviation, as a part.
//
//go:norace
func (d *density) spread() float64 { return d.squares*d.n/(d.sum*d.sum) - 1 }

// longer is which part of the time that passes from scope to scope in batches of one sort does not in those of another,
// and the square of its standard error; ok is false where nothing can be said.
//
//go:norace
func (d *density) longer(than *density) (part, v float64, ok bool) {
	if d.n < fewBatches || than.n < fewBatches || d.sum == 0 || than.sum == 0 {
		return 0, 0, false
	}
	a, unsure := d.mean()
	b, more := than.mean()
	return 1 - a/b, a / b * (a / b) * (unsure + more), true
}

// between is how much time passes from scope to scope where scopes are passed, ticks: in a program that passes none for a
// while that is less than the mean.
//
//go:norace
func (d *density) between() float64 { return d.sum / d.squares }

// An estimate is a figure and the square of its standard error.
type estimate struct{ v, unsure float64 }

// and is the mean of two estimates, each by how sure it is.
func (a estimate) and(b estimate) estimate {
	both := a.unsure + b.unsure
	return estimate{max(0, (a.v*b.unsure+b.v*a.unsure)/both), a.unsure * b.unsure / both}
}

// scopeCost is what a scope costs, ticks: by what it takes where it is measured, alone, and by what thin batches show. thin is what a
// passage in those takes where it is measured, markers how many are passed in a window. The caller holds the lock.
//
//go:norace
func (l *learned) scopeCost(alone, thin, markers float64) estimate {
	l.latest = l.usualCost(alone * (1 + scopeWider*doublings(markers/fewMarkers)))
	timed, all := &l.of[timedBatch], &l.all[timedBatch]
	part, unsure, ok := timed.longer(&l.of[thinBatch])
	if !ok {
		return l.latest
	}
	more, between := l.price(part)
	// Of what those take that are passed in thin windows the price of passing them there is missing, which of what all take is a part.
	share := thinShare(alone, thin, markers) * min(timed.sum/timed.n*all.n/all.sum, 1)
	missing := max(0, more) * share / (1 - share)
	off := thinUnsure * missing / (1 - share)
	l.latest = l.latest.and(estimate{more + missing, unsure*between*between + off*off})
	// Where more is passed in some windows than in others it may be that the program does other things in these, or that all
	// it does is slower, scopes included.
	off = max(leastUnsure, min(all.spread(), mostSpread)/2) * l.latest.v
	l.latest.unsure = max(l.latest.unsure, off*off)
	return l.latest
}

// doublings is how often 1 is to be doubled to reach v, about; 0 below that.
func doublings(v float64) (n float64) {
	for ; v >= 2; v /= 2 {
		n++
	}
	return n + max(v-1, 0)
}

// timedScopes are how many scopes were passed in so many ticks of processors.
type timedScopes struct{ n, ticks float64 }

const (
	mostTimed  = 64
	mostDearer = 16 // what a scope costs where few are passed, at most, of how long it takes from one to the next where many are
)

// price is what a scope costs if as many more are passed where none is timed as that part says, in the latest batches, and by how
// much that changes with the part. Where scopes follow each other quickly one costs less than elsewhere, as what the
// program does between them takes less, too: recording is taken to leave no less than leastNet of what it leaves on average.
//
//go:norace
func (l *learned) price(part float64) (ticks, each float64) {
	batches := l.timed[:min(l.timings, mostTimed)]
	var n, dense float64 // dense: how many are passed in a tick, on average over scopes, times n
	for _, b := range batches {
		n += b.n
		dense += b.n * b.n / b.ticks
	}
	if n == 0 {
		return 0, 0
	}
	each = n / dense
	if part <= 0 {
		return part * each, each
	}
	low, high := 0.0, each*mostDearer
	for range 20 { // a millionth of what it can be at most
		ticks = (low + high) / 2
		without := 0.0 // as many would have been passed if none were timed
		for _, b := range batches {
			without += b.n / (1 - min(b.n*ticks/b.ticks, 1-leastNet*(1-part)))
		}
		if without*(1-part) < n {
			low = ticks
		} else {
			high = ticks
		}
	}
	return ticks, ticks / part
}

// thinShare is which part of a scope's price a passage in a thin window takes, by what both take where they are measured.
func thinShare(alone, thin, markers float64) float64 {
	return min(thinUsual*(1+thinWider*doublings(markers/fewMarkers))*thin/max(alone, 1), thinMostly)
}

// usualCost is what a scope costs by what it takes alone, or by what was known before.
//
//go:norace
func (l *learned) usualCost(alone float64) estimate {
	usual := estimate{scopeUsual * alone, scopeUnsure * alone * scopeUnsure * alone}
	if l.before.v != 0 {
		return l.before // which the usual is in
	}
	if all := &l.all[timedBatch]; all.sum > 0 {
		_, between := l.price(0)
		usual.v = min(usual.v, scopeMost*between)
	}
	return usual
}

// countingCost is what counting once costs, ticks: by what it takes alone, and by the batches in which counters do not count. The
// caller holds the lock.
//
//go:norace
func (l *learned) countingCost() estimate {
	if l.alone == 0 {
		l.alone = countingAlone()
	}
	alone := float64(l.alone) / (1 << costBits)
	usual := estimate{tickUsual * alone, tickUnsure * alone * tickUnsure * alone}
	part, unsure, ok := l.of[countedBatch].longer(&l.of[timedBatch])
	if !ok || l.counted.sum == 0 {
		return usual
	}
	each := l.all[countedBatch].between() * l.all[countedBatch].sum / l.counted.sum
	return usual.and(estimate{part * each, unsure * each * each})
}

// countingAlone is what counting takes where there is nothing else to do, ticks<<costBits.
//
//go:norace
func countingAlone() uint64 {
	c := Counter{P: &scratch.passes}
	best := uint64(1 << 62)
	for range 8 {
		a := now()
		for range batch {
			Tick(&c)
		}
		best = min(best, (now()-a)<<costBits/batch)
	}
	return max(best, 1)
}
