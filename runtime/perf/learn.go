//go:build !markgen_off

package perf

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
	latest  [batchSorts]latestBatches
	beside  besides            // those in whose windows scopes were timed with milestones beside
	scopes  float64            // how many have been passed in all batches in which scopes were timed
	counter estimate           // what counting once costs
	cost    estimate           // what scopes cost
	before  estimate           // and what they did by what was known before forget; 0: nothing was
	alone   uint64             // countingAlone; 0: it has not been measured
	batches uint64             // so many sorts were decided
	sorted  [batchSorts]uint64 // and how often each
	sort    batchSort
	decided bool // whether the sort is
	known   bool // whether it can be learned from
	marked  bool // whether milestones have shown what a scope costs
}

// latestBatches are the latest batches of one sort.
type latestBatches struct {
	ring [mostBatches]passedIn
	n    int // so many have been put there
}

const mostBatches = 512

// besides are batches in whose windows scopes were timed with milestones beside: the sums of all, since these are counted between all of them, too, and
// the latest, which tell how much batches differ.
type besides struct {
	latestBatches
	marks, scopes, left, counts float64
}

//go:norace
func (l *besides) add(b passedIn) {
	l.latestBatches.add(b)
	l.marks += float64(b.marks)
	l.scopes += float64(b.all)
	l.left += float64(b.left)
	l.counts += float64(b.counts)
}

// passedIn is how many scopes were passed in a batch: all of them, those that are passed in thin windows, too, and those of milestones; how much counters
// counted; for how many ticks of processors the program was under way in it, and those less what opening its windows took of them; and for how many it was to get on.
type passedIn struct{ some, all, marks, counts, ticks, left, need float32 }

// A density has how many scopes are passed in a tick of a processor in which the program gets on: of batches how many there are, the sums of
// their passages and of their ticks, and of the products of these.
type density struct{ batches, n, ticks, nn, nt, tt float64 }

const (
	// fewBatches is how many batches of each sort it takes to learn something from them, leastSpread how much they differ at least, though a
	// few may not: the square of a standard deviation, as a part.
	fewBatches  = 3
	leastSpread = 0.05 * 0.05

	// Where most of what was passed was in a few batches, as if there were no others, how much they differ is not known: they are taken to
	// differ by so much more as there are fewer of them.
	mostlyFew = 10

	// What a scope was found to cost with others passed in thin windows may be off by so much more.
	forgotten = 0.2

	// What milestones tell is taken as it is where its square error is so much less than that of what else there is.
	muchSurer = 4

	// One batch in so many is thin: until there are enoughThin, and from then on; where recording takes more than half as much as it leaves of
	// windows what it costs matters more.
	thinFirst, thinLater, thinDense = 3, 16, 6
	enoughThin                      = 16

	// What a scope and counting take in programs, of what they take where they are measured, and how far off that may be; and
	// what a passage in a thin window takes there of a scope, of the part that it takes where both are measured.
	scopeUsual, scopeUnsure = 0.9, 0.6
	scopeWider              = 0.25 // more each time twice as many markers are passed in a window, from fewMarkers on: less is in the nearest cache
	fewMarkers              = 4
	leastUnsure, mostSpread = 0.03, 0.2
	scopeMost               = 0.8 // of the time from one to the next, as long as little is known
	thinUsual, thinUnsure   = 0.9, 0.5
	thinWider               = 0.04 // more each time twice as many markers are passed, besides what scopes take more
	mostDearer              = 16   // times what it was thought to cost a scope costs at most
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
	each := s.thinEvery()
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
func (s *sampler) thinEvery() uint64 {
	l := &s.learned
	switch {
	case !l.known || hot.extras&extraUntimed != 0:
		return 0
	case l.latest[thinBatch].n >= enoughThin && 2*s.progress.lasted > 3*s.progress.got:
		return thinDense
	case l.latest[thinBatch].n >= enoughThin:
		return thinLater
	}
	return thinFirst
}

// learn takes in a batch of windows; marked says whether there were milestones. The caller holds the lock.
//
//go:norace
func (l *learned) learn(b passedIn, marked bool) {
	if l.known && b.ticks > 0 && b.need > 0 {
		l.latest[l.sort].add(b)
		if marked {
			l.beside.add(b)
		}
	}
}

//go:norace
func (l *latestBatches) add(b passedIn) {
	l.ring[l.n%mostBatches] = b
	l.n++
}

// forget is for when other scopes are passed in thin windows than before.
//
//go:norace
func (l *learned) forget() {
	if l.latest[timedBatch].n != 0 && l.latest[thinBatch].n >= fewBatches {
		l.before = l.cost
		l.before.unsure += forgotten * l.cost.v * forgotten * l.cost.v
	}
	for i := range l.latest {
		l.latest[i].n = 0
	}
}

// all are the batches.
func (l *latestBatches) all() []passedIn { return l.ring[:min(l.n, mostBatches)] }

// between is how far the program gets on from scope to scope where scopes are passed that of gives the number of, and how long that lasts with what
// recording takes, ticks: in a program that passes none for a while that is less than the mean. 0: neither is known.
//
//go:norace
func (l *latestBatches) between(of func(*passedIn) float32) (got, lasts float64) {
	var n, dense, slow float64
	for i := range l.all() {
		b := &l.ring[i]
		k := float64(of(b))
		n += k
		dense += k * k / float64(b.need)
		slow += k * k / float64(b.ticks)
	}
	if n == 0 {
		return 0, 0
	}
	return n / dense, n / slow
}

func allPassed(b *passedIn) float32  { return b.all }
func somePassed(b *passedIn) float32 { return b.some }

//go:norace
func (d *density) add(n, ticks float64) {
	d.batches++
	d.n += n
	d.ticks += ticks
	d.nn += n * n
	d.nt += n * ticks
	d.tt += ticks * ticks
}

// mean is how many are passed in a tick, and the square of the relative standard error.
//
//go:norace
func (d *density) mean() (mean, unsure float64) {
	return d.n / d.ticks, max(leastSpread, d.spread()) / (d.batches - 1) * (1 + mostlyFew*d.nn/(d.n*d.n))
}

// spread is how much batches differ: the square of a standard deviation, as a part (of a ratio of sums: Cochran, Sampling Techniques, 6.4).
//
//go:norace
func (d *density) spread() float64 {
	mean := d.n / d.ticks
	return d.batches * max(0, d.nn-2*mean*d.nt+mean*mean*d.tt) / (d.n * d.n)
}

// at is how many scopes would have been passed in the batches if the program had got on in them as it was to, where each of those that priced gives
// took so many ticks, and what it gives besides was taken by others; and by how much more for each tick of the price.
//
//go:norace
func (l *latestBatches) at(price float64, priced func(*passedIn) (n, others float64)) (d density, each float64) {
	for i := range l.all() {
		b := &l.ring[i]
		n, others := priced(b)
		some, need := float64(b.some), float64(b.need)
		got := float64(b.ticks) - others - n*price
		if got < need/mostSlower {
			got = need / mostSlower
		} else {
			each += some * need * n / (got * got)
		}
		d.add(some*need/got, need)
	}
	return d, each
}

// solve is the price at which so many scopes in a tick would have been passed in the batches; about is where it may be. unsure is the square of its
// standard error, that of want, which is relative, included, and spread how much the batches differ.
//
//go:norace
func (l *latestBatches) solve(want, unsure, about float64, priced func(*passedIn) (n, others float64)) (e estimate, spread float64, ok bool) {
	low, high := 0.0, mostDearer*about
	var d density
	var dearer float64
	e.v = about
	for range 20 { // Newton's method, in brackets
		if d, dearer = l.at(e.v, priced); d.n == 0 {
			return e, 0, false
		}
		missing := want*d.ticks - d.n
		if missing > 0 {
			low = e.v
		} else {
			high = e.v
		}
		next := e.v + missing/dearer // it may be beyond all bounds
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		change := next - e.v
		if e.v = next; change < e.v/1024 && change > -e.v/1024 {
			break
		}
	}
	_, more := d.mean()
	each := d.n / dearer // ticks
	e.unsure = (unsure + more) * each * each
	return e, d.spread(), dearer != 0
}

// An estimate is a figure and the square of its standard error.
type estimate struct{ v, unsure float64 }

// and is the mean of two estimates, each by how sure it is.
func (a estimate) and(b estimate) estimate {
	both := a.unsure + b.unsure
	return estimate{max(0, (a.v*b.unsure+b.v*a.unsure)/both), a.unsure * b.unsure / both}
}

// scopeCost is what a scope costs, ticks: by what it takes where it is measured, alone, by what thin batches show, and by milestones, of which so
// many are passed in a tick of a processor. thin is what a passage in thin batches takes where it is measured, markers how many are passed in a window. The caller
// holds the lock.
//
//go:norace
func (l *learned) scopeCost(alone, thin, markers, often float64, turns sharing) estimate {
	l.cost = l.costByThin(alone, thin, markers)
	seen, ok := l.costByMilestones(often, turns)
	switch l.marked = ok; {
	case ok && seen.unsure*muchSurer < l.cost.unsure:
		l.cost = seen // what is missing then is all that recording has cost
	case ok:
		l.cost = l.cost.and(seen)
	}
	return l.cost
}

// costByThin is that without milestones.
//
//go:norace
func (l *learned) costByThin(alone, thin, markers float64) estimate {
	about := l.cost.v
	cost := l.usualCost(alone * (1 + scopeWider*doublings(markers/fewMarkers)))
	if about == 0 {
		about = cost.v
	}
	if l.latest[thinBatch].n < fewBatches || l.latest[timedBatch].n < fewBatches {
		return cost
	}
	_, lasts := l.latest[thinBatch].between(somePassed)
	thin = min(thinShare(alone, thin, markers)*about, scopeMost*lasts)
	less, thinner := l.latest[thinBatch].at(thin, func(b *passedIn) (n, others float64) { return float64(b.some), 0 })
	if less.n == 0 {
		return cost
	}
	want, unsure := less.mean()
	off := thinUnsure * thin * thinner / less.n
	seen, spread, ok := l.latest[timedBatch].solve(want, unsure+off*off, about, func(b *passedIn) (n, others float64) { return float64(b.all), 0 })
	if !ok {
		return cost
	}
	cost = cost.and(seen)
	// Where more is passed in some windows than in others it may be that the program does other things in these, or that all
	// it does is slower, scopes included.
	off = max(leastUnsure, min(spread, mostSpread)/2) * cost.v
	cost.unsure = max(cost.unsure, off*off)
	return cost
}

// costByMilestones is what a scope costs by milestones alone, of which so many are passed in a tick of a processor: as much as makes what the program
// gets on in batches what it does between windows in which as many are passed, or fewer by what others take of processors there.
//
//go:norace
func (l *learned) costByMilestones(often float64, turns sharing) (e estimate, ok bool) {
	d := &l.beside
	often /= turns.part()
	if often == 0 || d.n < fewBatches || d.marks < fewMilestones || d.scopes == 0 {
		return e, false
	}
	took := d.left - d.counts*l.counter.v
	e.v = max((took-d.marks/often)/d.scopes, 0)
	expected := max(often*(took-d.scopes*l.cost.v), d.marks) // by chance few may have been passed, which then differ little, too
	missed := (1 + asMilestones*expected/d.marks/d.marks) / (1 + asMilestones/d.marks)
	// How far the program has got on in all of them is as unsure as the latest differ in how many milestones it passed while it was to get on equally far; what
	// scopes took in batches that are not among them, as batches differ in what each took.
	var marks, squares, need float64
	for i := range d.all() {
		b := &d.ring[i]
		marks += float64(b.marks)
		squares += float64(b.marks) * float64(b.marks)
		need += float64(b.need)
	}
	var chance, others float64
	for i := range d.all() {
		b := &d.ring[i]
		k := float64(b.marks)
		off := k - marks/need*float64(b.need)
		chance += off * off
		off = float64(b.left) - float64(b.counts)*l.counter.v - k/often - float64(b.all)*e.v
		others += off * off
	}
	besides := max(1-d.scopes/l.scopes, 0)
	more := float64(d.n) / float64(len(d.all()))
	few := 1 + mostlyFew*squares/max(marks*marks, 1)/more
	batches := float64(d.n)
	e.unsure = (chance*missed*missed/(often*often) + others*besides*besides) * more * batches / (batches - 1) * few / (d.scopes * d.scopes)
	shared := turns.unsure * d.marks / often / d.scopes
	e.unsure += shared * shared
	return e, true
}

// taught is whether batches have shown what a scope costs. The caller holds the lock.
//
//go:norace
func (l *learned) taught() bool {
	return l.marked || l.before.v != 0 || l.latest[thinBatch].n >= fewBatches && l.latest[timedBatch].n >= fewBatches
}

// doublings is how often 1 is to be doubled to reach v, about; 0 below that.
func doublings(v float64) (n float64) {
	for ; v >= 2; v /= 2 {
		n++
	}
	return n + max(v-1, 0)
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
	if _, lasts := l.latest[timedBatch].between(allPassed); scopeMost*lasts < usual.v && lasts != 0 {
		v := scopeMost * lasts
		usual = estimate{v, scopeUnsure * v * scopeUnsure * v}
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
	if l.latest[countedBatch].n < fewBatches || l.latest[timedBatch].n < fewBatches {
		return usual
	}
	scope := l.cost.v
	timed, _ := l.latest[timedBatch].at(scope, func(b *passedIn) (n, others float64) { return float64(b.all), 0 })
	if timed.n == 0 {
		return usual
	}
	want, unsure := timed.mean()
	seen, _, ok := l.latest[countedBatch].solve(want, unsure, usual.v, func(b *passedIn) (n, others float64) { return float64(b.counts), float64(b.all) * scope })
	if !ok {
		return usual
	}
	return usual.and(seen)
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
