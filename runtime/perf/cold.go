//go:build !markgen_off

package perf

// What a program runs marked in a window it has not run marked since the window before: neither the code nor what that records to is in
// the processor's caches, and the words of the gates have just been written by another processor. So the first passage of each marker
// takes ten to twenty times as long as those that follow, and a program that passes hundreds of markers needs a tenth of a
// millisecond to get under way. How long shows in what is missing in the first halves of windows: how far the program gets on is the same in
// both but for that.
type coldStart struct {
	latest [mostHalves]halves // a ring
	n      int                // so many have been put there
	passed float64            // how many markers are passed in a window, an average of the latest
	told   uint64             // when halves were told apart last, monotonic, ns
	half   halves             // of the window before, of whose second half it is not known yet what was passed in it
	halved bool               // whether the halves of the window that is open, or was before, are told apart
}

// halves are how many ticks the halves of a window lasted and how many scopes were passed in each; they need not be alike. markers
// is how many were passed in all of it.
type halves struct {
	ticks, n [2]float64
	markers  float64
}

const (
	mostHalves = 32
	fewHalves  = 8 // it takes so many to learn something from them

	// What the first passage of a marker in a window takes besides, usually, of what a scope takes where it is measured, and how far off that may be.
	coldUsual, coldUnsure = 12, 8
	coldThin              = 0.6 // what it takes in a thin window, of that

	// Windows last so many times as long as that, all markers together, but no more than longestCold, ns.
	coldTimes   = 4
	longestCold = 2_000_000
	mostCold    = 0.4 // windows of which it is a larger part tell nothing about what else takes time
)

// each is what the first passage of a marker in a window takes besides, ticks, alone being what a scope takes where it is measured.
//
//go:norace
func (c *coldStart) each(alone float64) estimate {
	cost := estimate{coldUsual * alone, coldUnsure * alone * coldUnsure * alone}
	seen := c.latest[:min(c.n, mostHalves)]
	if len(seen) < fewHalves {
		return cost
	}
	var all halves
	for i := range seen {
		all.add(&seen[i], 1)
	}
	v, ok := all.cold()
	if !ok {
		return cost
	}
	// How much it depends on each of them tells how unsure it is (the jackknife: Efron and Stein, Annals of Statistics 9/3, 1981).
	var unsure float64
	for i := range seen {
		others := all
		others.add(&seen[i], -1)
		w, ok := others.cold()
		if !ok {
			return cost
		}
		unsure += (w - v) * (w - v)
	}
	return cost.and(estimate{v, unsure})
}

// add adds those of another window, times sign.
//
//go:norace
func (h *halves) add(more *halves, sign float64) {
	for i := range h.ticks {
		h.ticks[i] += sign * more.ticks[i]
		h.n[i] += sign * more.n[i]
	}
	h.markers += sign * more.markers
}

// cold is for how long nothing was passed in the first half if there was as much as in the second else, of each marker.
//
//go:norace
func (h *halves) cold() (ticks float64, ok bool) {
	if h.n[1] <= 0 || h.markers <= 0 {
		return 0, false
	}
	return (h.ticks[0] - h.n[0]*h.ticks[1]/h.n[1]) / h.markers, true
}

// saw takes note of how many scopes, and of how many markers, were passed in windows, each. Windows that are too short for all that
// the program passes in a row make place for longer ones at once.
//
//go:norace
func (c *coldStart) saw(scopes, markers float64) {
	switch {
	case markers > c.passed:
		c.passed = markers
	case markers > 0:
		c.passed += (markers - c.passed) / 16
	}
	if c.halved && scopes > 0 {
		c.half.n[1] = max(scopes-c.half.n[0], 0)
		c.half.markers = markers
		c.latest[c.n%mostHalves] = c.half
		c.n++
	}
	c.halved = false
}

// tellsHalves says whether the halves of the window are to be told apart that is opened next, of a batch of that sort: if it begins a batch,
// getting under way takes a part of it that matters, and adding it up alone takes less than a hundredth of the time. The caller holds the lock.
//
//go:norace
func (s *sampler) tellsHalves(sort batchSort) bool {
	s.cold.halved = s.count == 0 && s.rate > 1 && sort != thinBatch && s.coldNS() > shortestWindow && uint64(nanotime())-s.cold.told > 100*s.cost
	return s.cold.halved
}

// tellHalves takes note of the first half of a window that has lasted so many ticks.
//
//go:norace
func (s *sampler) tellHalves(lasted uint64, t uint64) {
	c, p := &s.cold, &s.progress
	if c.halved = c.halved && p.first != 0 && p.first < lasted; c.halved {
		c.half = halves{ticks: [2]float64{float64(p.first), float64(lasted - p.first)}, n: [2]float64{float64(p.inHalf)}}
		c.told = t
	}
}

// warm is how many ticks of the batch the program was under way, if getting there took it so many. ok: that was most of it.
//
//go:norace
func (s *sampler) warm(cold float64) (ticks float64, ok bool) {
	return float64(s.pending) - cold, cold < mostCold*float64(s.pending)
}

// coldTicks is how long it takes the program to get under way in a window, ticks.
//
//go:norace
func (s *sampler) coldTicks() float64 { return s.cold.passed * s.cold.each(scopeAlone()).v }

// coldNS is how long windows last at least for that, ns.
//
//go:norace
func (s *sampler) coldNS() uint64 {
	return min(longestCold, toNS(uint64(coldTimes*s.coldTicks())))
}

// scopeAlone is what a scope costs where that is measured, ticks.
//
//go:norace
func scopeAlone() float64 { return float64(hot.whole[kindOpened]) / (1 << costBits) }
