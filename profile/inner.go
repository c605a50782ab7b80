package profile

import layout "github.com/markgen/markgen/runtime"

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
	inWindow float64 // which part of them is in the windows in which calls begin
	weight   float64 // windows.weight for them; 0: as it is
	whole    bool    // what is inside is recorded after the windows' ends, too
}

// callsAround gives, by the indexes of markers that were sampled, the calls of the functions that they are in, and of those that they are of, where
// these choose once a call what is recorded and have been sampled with them. sampled are the indexes by the markers' numbers.
func (r *run) callsAround(sampled map[uint64]uint64) map[uint64]calls {
	var all float64
	for _, index := range sampled {
		if m := r.cells.at(index); m != nil {
			all += float64(m.Count)
		}
	}
	around := map[uint64]calls{}
	type group struct {
		function uint64
		inside   []uint64
		c        calls
	}
	var groups []group
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
			groups = append(groups, group{function, list, r.callsOf(function)})
		}
	}
	if !r.NoSelf { // what was recorded after the windows' ends took nothing of them
		for i := range groups {
			g := &groups[i]
			all -= r.countsOf(g.inside) * (1 - g.c.inWindow)
		}
	}
	for i := range groups {
		g := &groups[i]
		own := r.countsOf(g.inside)
		if !r.NoSelf {
			own *= g.c.inWindow
		}
		r.weigh(&g.c, own+r.countsOf([]uint64{g.function}), all)
		for _, index := range append(g.inside, g.function) {
			around[index] = g.c
		}
	}
	return around
}

// countsOf is how often windows showed the markers of these indexes.
func (r *run) countsOf(indexes []uint64) (n float64) {
	for _, index := range indexes {
		if m := r.cells.at(index); m != nil {
			n += float64(m.Count)
		}
	}
	return n
}

// callsOf are the calls of a function that was sampled.
func (r *run) callsOf(function uint64) calls {
	c := calls{known: true, function: function, inWindow: 1, whole: !r.NoSelf}
	s := r.windows(r.samples[function], scopeWords)
	m := r.cells.at(function)
	if m == nil || m.Timed() == 0 || s.Windows == 0 || s.OpenNS == 0 {
		return c
	}
	c.n = float64(m.Timed())
	width := float64(s.OpenNS) / float64(s.Windows)
	longer := 1.0 // with what recording what is inside took
	raw := float64(duration(0, m.Ticks, r.Clock.Hz))
	if total := m.TotalNS(); total > 0 {
		longer = max(1, raw/float64(total))
	}
	c.inWindow = covered(m.Buckets, func(d float64) float64 { return inWindow(d, width/longer) })
	c.covered = c.inWindow
	if !r.NoSelf {
		c.covered = covered(m.Buckets, func(d float64) float64 { return min(1, layout.LongestWhole/(d*longer)) })
	}
	return c
}

// weigh gives calls their weight, of which, with what is inside, windows showed own of all passages. What is inside is recorded from
// when the function begins. If it would last as long as what is left of the window anyway, others do not begin later for that.
func (r *run) weigh(c *calls, own, all float64) {
	s := r.windows(r.samples[c.function], scopeWords)
	if c.n == 0 || s.weight <= 1 {
		return
	}
	m := r.cells.at(c.function)
	after := own / max(all, own) * min(1, m.MeanNS()*float64(s.Windows)/float64(s.OpenNS))
	c.weight = 1 / (1 - (1-1/s.weight)*(1-after))
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

// mostCovered is the part from which on the windows of what is inside are those of its own passages.
const mostCovered = 0.9

// goBy has the estimate of the marker of an index go by the calls of its function.
func (s *windows) goBy(c calls, index uint64) {
	if !c.known {
		return
	}
	if c.n == 0 {
		s.blind = index != c.function
		return
	}
	if c.weight != 0 && (index == c.function || c.whole || c.covered < mostCovered) {
		s.weight = c.weight
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
