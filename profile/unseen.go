package profile

// A pace is how often a marker was passed before it was sampled: in all, and the latest passages with the ticks
// that they took.
type pace struct{ all, n, ticks uint64 }

// burstTimes is how many times as quickly as in windows passages have to follow each other before a marker is sampled
// for these to be a burst.
const burstTimes = 4

// recordedTimes is how many times as quickly at most passages are taken to follow each other as while they were recorded.
const recordedTimes = 8

// unrecordedTimes is how many times a scope's cost passages of which no time is known have to be apart for most of that time to be
// the program's.
const unrecordedTimes = 16

// leastApart is how much later the next passage of a counter may be, ns: an iteration of the shortest loop, a cycle or two of a processor.
const leastApart = 0.25

// fewWindows is how many windows in which something was not passed may all have missed what was passed for most of the time.
const fewWindows = 4

// paceTimes is how many times as long as it was seen a pace is taken to go on.
const paceTimes = 4

// together is how many passages come together, as far as is known: where they came much more quickly, when the marker
// became sampled, than n of them did in windows, they may come in bursts that no window needs to meet, and which
// bring as many as one did before or as a window shows. 1: they come one by one. Where there has been no window since, they may have
// gone on as they did before. One of those that were recorded before took so many ns, of which
// its own are so many, if no marked scopes are inside; 0: it is not known.
func (s *windows) together(p pace, n, hz, took, own float64) float64 {
	if p.ticks == 0 {
		return 1
	}
	each := float64(p.ticks) / float64(p.n) / hz * 1e9 // ns
	rate := 1 / each
	switch {
	case s.factor() == 0:
		return s.unseen(1 / s.least(p, each, took, own))
	case n == 0 && s.Windows < fewWindows:
		return max(1, s.unseen(1/s.least(p, each, took, own))/s.factor())
	case s.ended: // the latest passages may have taken longer, as the marker became sampled
		return max(1, max(s.unseen(1/s.least(p, each, took, own)), float64(p.all))/s.factor())
	case s.blind:
		return max(1, s.unseen(1/max(each-s.scope, each/recordedTimes))/s.factor())
	}
	if s.covered != 0 {
		n /= s.covered
	}
	if s.Windows == 0 || rate < burstTimes*n/s.net() {
		return 1
	}
	return max(1, min(float64(p.all), rate*float64(s.OpenNS)/float64(s.Windows)))
}

// least is how much later the next passage may be, ns, where no window tells. Before, passages were so far apart, and one of them took so
// much of that, of which its own is so much; 0: it is not known.
func (s *windows) least(p pace, each, took, own float64) float64 {
	switch {
	case own != 0 && took <= each: // what was in between may have been others' for once, where processors are busy; of a short one what is not recording's is not known
		each = max(own-2*s.scope, 1)
	case took != 0, each < unrecordedTimes*s.scope, each*float64(p.n)*paceTimes < float64(s.OfNS):
		each = leastApart // most of that may have been recording's, of this or of what is around it or inside, or what takes long once
	}
	return max(each, leastApart)
}

// unseen is how many passages no window has shown, if there was none, of what was passed so often a ns before; that is all
// that is known.
func (s *windows) unseen(rate float64) float64 { return max(1, rate*float64(s.OfNS)) }

// tellsTimes is how many times as many passages as before have to be in windows for these to tell: what came once before is not among them by
// chance one time in twenty then.
const tellsTimes = 3

// variedBefore takes in how much the passages varied that were recorded before, but for the first, where n in windows are too few to tell that
// what takes much longer than others, and was seen then, comes no more.
func (s *windows) variedBefore(exact []*Marker, n float64) {
	count, sum, squares := 0.0, 0.0, 0.0
	for _, m := range exact {
		mean, d := m.MeanNS(), m.StddevNS()
		k := float64(m.Timed())
		first := float64(m.First.Count())
		count += k - first
		sum += k*mean - first*m.First.MeanNS()
		squares += k*(d*d+mean*mean) - first*(m.First.StddevNS()*m.First.StddevNS()+m.First.MeanNS()*m.First.MeanNS())
	}
	if count < 2 || n >= tellsTimes*count {
		return
	}
	mean := sum / count
	s.varied = max(0, squares/count-mean*mean) * count / (count + n)
}
