//go:build !markgen_off

package runtime

// What counting costs a program is harder to tell in advance than what scopes do: a counter takes 2 ns where
// there is nothing else to do, nearly nothing where the program waits for something else, and 8 ns where two processors count with the same
// one. So in about half of the batches of windows counters do not count (countsNext), by chance, and how much
// less often scopes are passed in those in which they do tells what that has taken.
type counting struct {
	with, without   density // of batches in which counters counted, and did not
	ticks, n        float64 // of processors in the former, and what was counted in them
	alone           uint64  // countingAlone; 0: it has not been measured
	on              bool    // whether counters count in the batch
	decided, chosen bool    // whether that is decided, and by chance
}

// A density has how many scopes are passed in a tick of a processor: the batches, the sum, and the sum of the squares.
type density struct{ n, sum, squares float64 }

const (
	// fewBatches is how many batches of each sort it takes to learn something from them.
	fewBatches = 8

	// Each batch weighs so much less than the one that follows: what the program does changes.
	fadeBatches = 1 - 1.0/1024
)

// countsNext says whether counters count in the window that is opened next. All windows of a batch are alike.
//
//go:norace
func (s *sampler) countsNext() bool {
	c := &s.counts
	if !c.decided {
		c.decided, c.chosen = true, len(tickers) > 0 && s.rate > 1
		c.on = !c.chosen || s.random()>>63 == 0
	}
	return c.on
}

// learn takes in a batch of windows of so many ticks of processors, in which so many scopes were passed, and what was counted
// in the ticks in which counters were open, which are some more. The caller holds the lock.
//
//go:norace
func (c *counting) learn(ticks, scopes, open, counted float64) {
	if !c.chosen {
		return
	}
	of := &c.without
	if c.on {
		of = &c.with
		c.ticks = c.ticks*fadeBatches + open
		c.n = c.n*fadeBatches + counted
	}
	d := scopes / max(ticks, 1)
	of.n = of.n*fadeBatches + 1
	of.sum = of.sum*fadeBatches + d
	of.squares = of.squares*fadeBatches + d*d
}

// mean is the mean, and the square of its relative standard error.
//
//go:norace
func (d *density) mean() (mean, unsure float64) {
	mean = d.sum / d.n
	return mean, max(0, d.squares/d.n/(mean*mean)-1) / (d.n - 1)
}

// cost is what counting once costs, ticks: half of countingAlone, give or take as much, and what the
// batches show, each by how sure it is. The caller holds the lock.
//
//go:norace
func (c *counting) cost() float64 {
	if c.alone == 0 {
		c.alone = countingAlone()
	}
	own := float64(c.alone) / (2 << costBits)
	if c.with.n < fewBatches || c.without.n < fewBatches || c.with.sum == 0 || c.without.sum == 0 || c.n == 0 {
		return own
	}
	with, unsure := c.with.mean()
	without, more := c.without.mean()
	// A share of 1 - with/without of the time was not the program's.
	each := c.ticks / c.n
	shown := (1 - with/without) * each
	v := with / without * each
	v *= v * (unsure + more)
	return max(0, (shown*own*own+own*v)/(own*own+v))
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
