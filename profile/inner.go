package profile

import "github.com/markgen/markgen/runtime/layout"

// A function mostly chooses where it begins whether scopes in it are recorded, and goes on as it began. A call that begins in a window is
// recorded whole, for layout.LongestWhole. So scopes inside are as large a part of all as calls are, but those that begin later: how many these
// are follows from how long calls take, if passages inside are spread evenly over them. Where it is not known what
// is open around a scope (noself), those are recorded that begin in the window: of a call that takes longer than what is left of
// it no more than how it begins.

// calls are those of a function that began in windows, for what is inside.
type calls struct {
	known    bool
	function uint64 // the index of its marker
	n        float64
	covered  float64 // which part of the passages inside is recorded
	alone    float64 // which part of what was recorded in windows these calls are that last as long as those, with what is in them
	whole    bool    // what is inside is recorded after the windows' ends, too
}

// callsAround gives, by the indexes of markers that were sampled, the calls of the functions that they are in, and of those that they are of, where
// these choose once a call what is recorded and have been sampled with them. sampled are the indexes by the markers' numbers.
func (r *run) callsAround(sampled map[uint64]uint64) map[uint64]calls {
	var all float64
	for _, index := range sampled {
		all += r.countsOf(index)
	}
	around := map[uint64]calls{}
	for _, t := range r.tables {
		inside := map[int][]uint64{} // by gates, the indexes of what is inside
		for i, gate := range t.gates {
			if index, ok := sampled[t.first+uint64(i)]; ok && t.atTop[i] && gate >= 0 && gate < len(t.markers) {
				inside[gate] = append(inside[gate], index)
			}
		}
		for gate, list := range inside {
			function, ok := sampled[t.first+uint64(gate)]
			if m := t.markers[gate]; !ok || m == nil || m.Kind != "func" {
				continue
			}
			c, own := r.callsOf(function), 0.0
			list = append(list, function)
			for _, index := range list {
				own += r.countsOf(index)
			}
			c.alone *= own / max(all, 1)
			for _, index := range list {
				around[index] = c
			}
		}
	}
	return around
}

// countsOf is how often windows showed the marker of an index.
func (r *run) countsOf(index uint64) float64 {
	if m := r.cells.at(index); m != nil {
		return float64(m.Count)
	}
	return 0
}

// callsOf are the calls of a function that was sampled.
func (r *run) callsOf(function uint64) calls {
	c := calls{known: true, function: function, whole: !r.NoSelf}
	s := r.windows(r.samples[function], scopeWords)
	m := r.cells.at(function)
	if m == nil || m.Timed() == 0 || s.Windows == 0 || s.OpenNS == 0 {
		return c
	}
	c.n = float64(m.Timed())
	all := r.windows(batchSums{}, scopeWords)
	width := float64(all.OpenNS) / float64(all.Windows) * s.net() / float64(s.OpenNS) // as far as the program gets on
	c.alone = min(1, m.MeanNS()/width)
	if r.NoSelf {
		c.covered = covered(m.Buckets, func(d float64) float64 { return inWindow(d, width) })
		return c
	}
	longer := 1.0 // with what recording what is inside took
	raw := float64(duration(0, m.Ticks, r.Clock.Hz))
	if total := m.TotalNS(); total > 0 {
		longer = max(1, raw/float64(total))
	}
	c.covered = covered(m.Buckets, func(d float64) float64 { return min(1, layout.LongestWhole/(d*longer)) })
	return c
}

// covered is which part of the passages inside calls is recorded, by how long the calls take, ns, if part is what is of one that takes d.
func covered(times []Bucket, part func(d float64) float64) float64 {
	var all, in float64
	for _, b := range times {
		if b.Count == 0 {
			continue
		}
		all += float64(b.SumNS)
		in += float64(b.SumNS) * part(float64(b.SumNS)/float64(b.Count))
	}
	if all == 0 {
		return 1
	}
	return in / all
}

// inWindow is which part of a call that takes d and begins in a window of that width is in it. At a random moment of a window, (w-t)+/w of it is
// left for what happens t later; the mean of that over the call is 1-d/2w, or w/2d where d is more than w.
func inWindow(d, width float64) float64 {
	if d > width {
		return width / (2 * d)
	}
	return 1 - d/(2*width)
}

// goBy has the estimate of the marker of an index go by the calls of its function.
func (s *windows) goBy(c calls, index uint64) {
	if !c.known {
		return
	}
	if c.n == 0 {
		s.blind = index != c.function
		return
	}
	if index == c.function || c.whole { // what is recorded of a call comes after that began
		s.slower = 1 + (s.slower-1)*(1-c.alone)
	}
	if index != c.function {
		s.covered, s.calls, s.whole = c.covered, c.n, c.whole
	}
}

// insideVar is the square of the relative standard error that this adds: calls need not be alike, nor pass evenly what is in them, and what is
// in one comes together.
func (s *windows) insideVar() float64 {
	if s.covered == 0 {
		return 0
	}
	off := min((1/s.covered-1)/2, 1)
	part := 1 - s.covered
	if s.whole {
		part = 1
	}
	return off*off + part/max(s.calls, 1)
}
