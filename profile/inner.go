package profile

// A function mostly chooses where it begins whether scopes in it are recorded, and goes on as it began. So scopes inside are recorded
// that begin in a window if the function has begun in it, too: of a call that takes longer than what is left of the window no more than
// how it begins. How much of the calls that is follows from how long they take, if passages inside are spread evenly over them.

// calls are those of a function that began in windows, for what is inside.
type calls struct {
	known    bool
	function uint64 // the index of its marker
	n        float64
	covered  float64 // which part of the passages inside is recorded
	weight   float64 // windows.weight for them; 0: as it is
}

// callsAround gives, by the indexes of markers that were sampled, the calls of the functions that they are in, and of those that they are of, where
// these choose once a call what is recorded and have been sampled with them.
func (r *run) callsAround() map[uint64]calls {
	sampled := map[uint64]uint64{} // by the numbers of markers, the index
	var all float64
	for _, a := range r.aliases {
		if _, ok := r.samples[a.from]; ok {
			sampled[a.to] = a.from
			if m := r.cells.at(a.from); m != nil {
				all += float64(m.Count)
			}
		}
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
			c := r.callsOf(function, list, all)
			for _, index := range append(list, function) {
				around[index] = c
			}
		}
	}
	return around
}

// callsOf are the calls of a function that was sampled, with what is inside it, of so many passages that windows showed of all markers.
func (r *run) callsOf(function uint64, inside []uint64, all float64) calls {
	c := calls{known: true, function: function}
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
	c.covered = covered(m.Buckets, width/longer)
	// What is inside is recorded from when the function begins. If it would last as long as what is left of the window anyway, others do not
	// begin later for that.
	own := float64(m.Count)
	for _, index := range inside {
		if m := r.cells.at(index); m != nil {
			own += float64(m.Count)
		}
	}
	if s.weight > 1 {
		after := own / max(all, own) * min(1, m.MeanNS()/width)
		c.weight = 1 / (1 - (1-1/s.weight)*(1-after))
	}
	return c
}

// covered is which part of the passages inside calls is recorded, by how long the calls take, ns, in windows of that width. At a random
// moment of a window, (w-t)+/w of it is left for what happens t later; the mean of that over a call that takes d is 1-d/2w, or w/2d where d is more than w.
func covered(times []Bucket, width float64) float64 {
	var all, in float64
	for _, b := range times {
		if b.Count == 0 {
			continue
		}
		d := float64(b.SumNS) / float64(b.Count)
		part := 1 - d/(2*width)
		if d > width {
			part = width / (2 * d)
		}
		all += float64(b.SumNS)
		in += float64(b.SumNS) * part
	}
	if all == 0 {
		return 1
	}
	return in / all
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
	if c.weight != 0 && (index == c.function || c.covered < mostCovered) {
		s.weight = c.weight
	}
	if index != c.function {
		s.covered, s.calls = c.covered, c.n
	}
}

// insideVar is the square of the relative standard error that this adds: calls need not be alike, nor pass evenly what is in them.
func (s *windows) insideVar() float64 {
	if s.covered == 0 || s.covered >= 1 {
		return 0
	}
	off := min((1/s.covered-1)/2, 1)
	return off*off + (1-s.covered)/max(s.calls, 1)
}
