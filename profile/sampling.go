package profile

import (
	"math"
	"math/big"
	"strconv"

	"github.com/markgen/markgen/runtime/layout"
)

// A Sampling says how the passages were chosen that were recorded, of a run in
// which not all were.
type Sampling struct {
	N       uint64 // sample=1:N
	Windows uint64 // windows in which markers were on
	OpenNS  uint64 // how long they lasted, without what opening them took from the program
	NetNS   uint64 // the same less what recording cost the program in them
	OfNS    uint64 // of how much time they are a sample, corrected in the same way
}

// windows are those in which a marker was sampled.
type windows struct {
	Sampling
	weight    float64 // how many times as long windows were as the program got on in those in which it was passed; 0: as in all
	slower    float64 // how many times as long as what recording left of them windows were in which it was passed, or all, if that is more; 0: not known
	scope     float64 // what a scope costs, ns
	covered   float64 // which part of what was passed in calls that began in windows was recorded; 0: all
	calls     float64 // how many of these there were
	whole     bool    // they are recorded after the windows' ends, too
	blind     bool    // there was none
	ended     bool    // there can be none: its function's only call has ended, which OfNS is the time of
	costSE    float64 // how far off what recording took may be: a standard error, as a part of that
	told      float64 // how far off net may be for all markers where functions that are passed between windows, too, tell what it is; 0: none does
	varied    float64 // the variance of the passages before, if those in windows are too few to tell that what was seen then comes no more, ns²
	contended float64 // which part of the time that the program could run others had its processors
	with      float64 // how many times as long as that windows were in which these were passed, of which costSE is not then
	hz        float64 // the clock's ticks a second
}

// net is how far the program got on in the windows if all were like those in which the marker was passed, ns.
func (s *windows) net() float64 {
	if s.weight != 0 {
		return float64(s.OpenNS) / s.weight
	}
	return float64(s.NetNS)
}

// factor is what figures are multiplied by; 0: nothing was sampled.
func (s *windows) factor() float64 {
	net := s.net()
	if net == 0 {
		return 0
	}
	factor := float64(s.OfNS) / net
	if s.covered != 0 {
		factor /= s.covered
	}
	return factor
}

// overheadSE is the standard error of what recording is said to take of windows, as a part of that, in files that do not tell. It
// makes what the program did in a window less than what it does in as much time without,
// so this is what estimates of counts are unsure by, besides chance.
const overheadSE = 0.5

// batchSums are the sums of a BlockSample over the batches of windows, and what the
// header's words were when they began and, if they ended before the run, when they did.
type batchSums struct {
	n, nn, s, ss, ns float64
	passed           [layout.Paces]float64 // n by how far the program was to get on in the windows
	slower           float64               // the sum over n of how many times as long windows were as what recording left of them
	since, until     baseline
	before           pace // of a counter; that of a marker is told elsewhere
}

// A baseline is what words of the header were at some time. profiled is 0 for never.
type baseline struct{ profiled, net, ticks, batches uint64 }

// passedAt reads how often something was passed in windows of each of Paces, and what follows that, how much longer these were than what recording
// left of them; none of it if something can't be.
func (r *run) passedAt(data []byte) (passed [layout.Paces]float64, slower float64) {
	float := func(i int) float64 { return math.Float64frombits(r.order.Uint64(data[8*i:])) }
	for i := range layout.Paces + 1 {
		if n := float(i); !(n >= 0 && n <= 1e300) {
			return [layout.Paces]float64{}, 0
		}
	}
	for i := range passed {
		passed[i] = float(i)
	}
	return passed, float(layout.Paces)
}

// weight is how many times as long windows were, in which something was passed so often, as the program got on in
// them, by these words of the header; 0: it is not known.
func (r *run) weight(passed [layout.Paces]float64, of windowWords) float64 {
	var all float64
	for i := range passed {
		all += float64(r.header.word(of.paces + 16*i))
	}
	var n, weighted float64
	for i, k := range passed {
		lasted := float64(r.header.word(of.paces+16*i)) / max(all, 1) * float64(r.header.word(of.open))
		if k != 0 && lasted != 0 {
			n += k
			weighted += k * lasted / max(float64(r.header.word(of.paces+16*i+8)), lasted/layout.MostPace)
		}
	}
	if n == 0 {
		return 0
	}
	return weighted / n
}

// baselineAt reads a baseline.
func (r *run) baselineAt(data []byte) baseline {
	word := func(i int) uint64 { return r.order.Uint64(data[8*i:]) }
	return baseline{word(0), word(1), word(2), word(3)}
}

// batches is how many batches the sums are of, by the word of the header that counts these.
func (r *run) batches(b batchSums, word int) float64 {
	until := b.until.batches
	if b.until.profiled == 0 {
		until = r.header.word(word)
	}
	return float64(until - b.since.batches)
}

// sampled takes in how a marker was sampled.
func (r *run) sampled(b block) error {
	data, err := r.content(b, layout.SampleSize)
	if err != nil {
		return err
	}
	float := func(i int) float64 {
		return math.Float64frombits(r.order.Uint64(data[layout.OffSampleSums+8*i:]))
	}
	s := batchSums{
		n: float(0), nn: float(1), s: float(2), ss: float(3), ns: float(4),
		since: r.baselineAt(data[layout.OffSampleSince:]), until: r.baselineAt(data[layout.OffSampleUntil:]),
	}
	s.passed, s.slower = r.passedAt(data[layout.OffSamplePassed:])
	for _, v := range []float64{s.n, s.nn, s.s, s.ss, s.ns} {
		if math.IsNaN(v) || v < 0 || v > 1e300 {
			return r.damaged(b.offset, "a sampled marker's sums that can't be; they are left out")
		}
	}
	r.samples[r.order.Uint64(data[layout.OffSampleMarker:])] = s
	return nil
}

// sampledSince is when the first of the markers was sampled that were: what was before is exact. It may be long after the beginning of a run, where
// somebody has had it sampled then.
func (r *run) sampledSince() (first baseline) {
	for _, b := range r.samples {
		if first.profiled == 0 || b.since.profiled < first.profiled {
			first = b.since
		}
	}
	return first
}

// estimate makes estimates of the figures that are of samples. They are unbiased:
// what was recorded, times one over the share that was recorded.
func (r *run) estimate() {
	h := r.header
	for _, f := range r.cells.all() {
		f.fromCountdown()
	}
	if h.word(layout.OffWindowWidth) == 1<<64-1 || h.word(layout.OffSampleN) < 2 && len(r.samples) == 0 { // N may have become 1
		return
	}
	all := r.windows(batchSums{since: r.sampledSince()}, scopeWords)
	r.Sampling = &all.Sampling
	if len(r.samples) > 0 && all.factor() == 0 {
		r.warn("no window of sample=1:%d fell into the run; run the program for longer, or sample more", r.Sampling.N)
	}
	sampled := r.sampledIndexes()
	exact := r.exact()
	around, only := r.callsAround(sampled), r.onlyCalls(sampled, exact)
	took, own := map[uint64]float64{}, map[uint64]float64{}
	before := map[uint64][]*Marker{}
	for marker, index := range sampled {
		before[index] = exact[marker]
		for _, m := range exact[marker] {
			if n := float64(m.Timed()); n > 0 {
				took[index] = max(m.QuantileNS(0.5), 1)
				if !r.NoSelf && float64(m.SelfNS) > leafPart*m.MeanNS()*n {
					own[index] = took[index]
				}
			}
		}
	}
	windowsFor := func(index uint64, b batchSums) *windows {
		s := r.windows(b, scopeWords)
		s.goBy(around[index], index)
		s.goOn(only[index])
		return s
	}
	for index, b := range r.samples {
		f := r.figures(index)
		if c := only[index]; c.known && c.own && f.Count == 0 {
			continue // what is recorded is exact
		}
		s := windowsFor(index, b)
		s.variedBefore(before[index], float64(f.Timed()))
		f.fromWindows(s, r.readIn(s), b, r.batches(b, layout.OffBatches), s.together(r.paces[index], float64(f.Count), float64(r.Clock.Hz), took[index], own[index]))
	}
	for index, e := range r.edges { // in the same windows as their markers, and of them no sums are kept
		if b, ok := r.samples[e.marker]; ok {
			s := windowsFor(e.marker, b)
			r.figures(index).fromWindows(s, r.readIn(s), batchSums{}, 0, 1)
		}
	}
}

// windowsOf are the sums, by the gates of a table's markers, of one that was sampled: from then
// on were those behind its gate that have no figures, as no window showed them.
func (r *run) windowsOf(t *table) map[int]batchSums {
	if len(r.samples) == 0 {
		return nil
	}
	of := map[int]batchSums{}
	for i, gate := range t.gates {
		if b, ok := r.sampledMarkers[t.first+uint64(i)]; ok && gate >= 0 {
			of[gate] = b
		}
	}
	return of
}

// windowWords are where the header tells of windows how long they were, and how much of that recording took.
type windowWords struct{ open, net, paces, unsure, told, with int }

var (
	scopeWords = windowWords{layout.OffWindowTicks, layout.OffWindowNet, layout.OffWindowPaces, layout.OffWindowUnsure, layout.OffWindowTold, layout.OffWindowWith}
	tickWords  = windowWords{layout.OffTickTicks, layout.OffTickNet, layout.OffTickPaces, layout.OffTickUnsure, layout.OffTickTold, layout.OffTickWith}
)

// windows gives the windows in which a marker was sampled, by these words.
func (r *run) windows(b batchSums, of windowWords) *windows {
	h, until := r.header, b.until
	if until.profiled == 0 {
		until = baseline{profiled: r.profiled(), net: h.word(of.net), ticks: h.word(of.open)}
	}
	ns := func(ticks uint64) uint64 { return duration(0, ticks, r.Clock.Hz) }
	s := &windows{Sampling: Sampling{
		N:       h.word(layout.OffSampleN),
		Windows: h.word(layout.OffWindows),
		OpenNS:  ns(until.ticks - b.since.ticks),
		NetNS:   ns(until.net - b.since.net),
	}, weight: r.weight(b.passed, of), costSE: overheadSE, hz: r.Clock.Hz}
	if v := h.word(of.unsure); v != 0 {
		s.costSE = math.Sqrt(float64(v) / layout.UnsureUnit)
	}
	s.told = math.Sqrt(float64(h.word(of.told)) / layout.UnsureUnit)
	s.with = float64(h.word(of.with)) / layout.UnsureUnit
	s.NetNS = min(s.NetNS, s.OpenNS)
	if net := s.net(); net > 0 { // windows in which much was passed before might have shown this, too
		s.slower = max(1, float64(s.OpenNS)/net)
	}
	if b.n > 0 {
		s.slower = min(max(s.slower, b.slower/b.n), layout.MostPace)
	}
	s.scope = float64(h.word(layout.OffWhole)) / 1000
	profiled := ns(until.profiled - b.since.profiled)
	after := uint64(float64(ns(h.word(layout.OffWindowAfter))) * float64(profiled) / max(float64(ns(r.profiled())), 1))
	s.OfNS = max(sub64(profiled, add64(s.OpenNS-s.NetNS, after)), s.NetNS)
	s.OfNS = max(uint64(float64(s.OfNS)*r.shared(float64(profiled), s.told != 0)), s.NetNS)
	s.contended = r.contended(float64(profiled))
	return s
}

// profiled is how many ticks the run was profiling.
func (r *run) profiled() uint64 {
	h := r.header
	ticks := h.word(layout.OffProfiled)
	if h.word(layout.OffState) == layout.StateProfiling {
		if d := r.last - h.word(layout.OffSince); int64(d) > 0 {
			ticks = add64(ticks, d)
		}
	}
	return ticks
}

// fromCountdown makes estimates where all passages were counted and some timed.
func (m *Marker) fromCountdown() {
	if m.seen == 0 {
		return
	}
	m.Samples = m.Timed()
	meanVar := m.simpleVar()
	if m.Samples > 0 {
		m.scale(new(big.Rat).SetFrac(new(big.Int).SetUint64(m.seen), new(big.Int).SetUint64(m.Samples)))
	}
	m.Count = m.seen
	m.setMeanVar(meanVar)
}

// fromWindows makes estimates where passages were recorded in windows, of which reading collectors took so many ns, and so
// many come together.
func (m *Marker) fromWindows(s *windows, read float64, b batchSums, batches, together float64) {
	m.Sample = s.N
	m.Samples = max(m.Count, 1) // what no window has shown is an estimate, too
	factor := s.factor()
	meanVar := m.simpleVar()
	if batches > 1 && b.n > 0 {
		// The windows are the sample: passages within one are alike. Variance of a
		// ratio of two sums over independent batches (Cochran, Sampling Techniques, 6.4).
		mean := b.s / b.n
		meanVar = max(meanVar, batches/(batches-1)*max(0, b.ss-2*mean*b.ns+mean*mean*b.nn)/(b.n*b.n))
	}
	if n := float64(m.Timed()); n > 0 {
		meanVar = max(meanVar, s.varied/n)
		off := s.costSE * m.takenNS(s.hz) / n
		meanVar += off * off
	}
	m.countVar = toUint128(s.countVar(float64(m.Count), b.nn, batches, read, together) * varUnit)
	rat := new(big.Rat)
	if rat.SetFloat64(factor) == nil {
		rat = new(big.Rat)
	}
	m.scale(rat)
	m.seen = m.Count
	m.setMeanVar(meanVar)
}

// varUnit is how many units of a variance make one: sums of whole numbers do not
// depend on their order.
const varUnit = 1024

// setMeanVar keeps the square of the mean's standard error, when the figures are those
// that it is of. Where nothing tells it they may be all off, of which little is left when others are added.
func (m *Marker) setMeanVar(v float64) {
	n := float64(m.Timed())
	if m.unsure = math.IsInf(v, 0) && n > 0; m.unsure {
		v = m.MeanNS() * m.MeanNS()
	}
	if n > 0 {
		m.sumVar = toUint128(v * n * n * varUnit)
	}
}

// readIn is how many ns reading collectors took in windows: the same part of what recording took as in all windows
// of the run.
func (r *run) readIn(s *windows) float64 {
	h := r.header
	all := float64(h.word(layout.OffWindowTicks)) - float64(h.word(layout.OffWindowNet))
	if all <= 0 {
		return 0
	}
	return (float64(s.OpenNS) - s.net()) * min(float64(h.word(layout.OffWindowRead))/all, 1)
}

// countVar is the square of the standard error of an estimate that n passages in
// windows are for, nn being the sum of the squares of those in each batch. Reading collectors took so many ns of them, and
// so many come together.
func (s *windows) countVar(n, nn, batches, read, together float64) float64 {
	factor := s.factor()
	if factor == 0 {
		return together * together
	}
	v := n * n
	if batches > 1 {
		v = batches / (batches - 1) * max(0, nn-n*n/batches)
	}
	v = max(v, together*together) * factor * factor // nothing seen does not mean that nothing was
	// What recording takes in a window is estimated, too, but for what was measured each time: the program has got on the farther the less that is.
	open, net := float64(s.OpenNS), s.net()
	if s.slower != 0 {
		net = open / s.slower
	}
	longer := (open - read - net) / max(net, 1)
	if s.told != 0 {
		longer = math.Abs(longer - max(s.with-1, 0))
	}
	off := math.Hypot(s.costSE*max(longer, 0), s.told) // how far off net may be, as a part
	off = n * factor * min(off*(1+off), max(layout.MostPace*net/max(open, 1), 1))
	unread := n * factor * readMost * read / max(net, 1)
	unread = math.Hypot(unread, n*factor*sharedMost*s.contended)
	few := 0.0
	if w := float64(s.Windows); w > 0 {
		few = n * factor * (firstWindows / w) * (firstWindows / w)
	}
	return v + off*off + unread*unread + few*few + n*factor*n*factor*s.insideVar()
}

// firstWindows is how many windows it takes for an estimate to be off by no more than itself for their being a run's first, which have been seen to show a tenth of
// what there is and less. Why is not known; the square is a rule of thumb.
const firstWindows = 32

// leafPart is which part of a scope's time is its own, at least, if no marked scopes to speak of are inside.
const leafPart = 0.9

// readMost is which part of what reading collectors is measured to take it may take besides: before and after the clock
// is read, and in what the program does next.
const readMost = 0.05

// simpleVar is the variance of the mean of the passages as independent samples;
// infinite if there are too few to tell.
func (m *Marker) simpleVar() float64 {
	n := float64(m.Timed())
	if n < 2 {
		return math.Inf(1)
	}
	d := m.StddevNS()
	return d * d / (n - 1)
}

// Sampled says whether figures of the marker are estimates from a sample.
func (m *Marker) Sampled() bool { return m.Samples > 0 && !m.Demoted() || m.Sample > 1 }

// Taken is how many times of the marker were really taken: all, or of a sample the sample's, and those of other runs and of before it
// was sampled. Counts and sums of times are estimates from that.
func (m *Marker) Taken() uint64 {
	n := m.Timed()
	if !m.Sampled() && !m.Demoted() {
		return n
	}
	return min(n, add64(m.Samples, sub64(m.Count, m.seen)))
}

// Rate is the latest rate at which the marker was sampled, 1:N; "" where figures are no estimates. It is 1:1 where sampling
// ended before the run did.
func (m *Marker) Rate() string {
	if !m.Sampled() {
		return ""
	}
	return "1:" + strconv.FormatUint(max(m.Sample, 1), 10)
}

// CountSE is the standard error of Count; 0 where all passages were counted.
func (m *Marker) CountSE() float64 { return math.Sqrt(m.countVar.Float64() / varUnit) }

// MeanSE is the standard error of MeanNS; ok is false where there are fewer than
// two samples to tell it from.
func (m *Marker) MeanSE() (ns float64, ok bool) {
	n := m.Timed()
	if n == 0 {
		return 0, false
	}
	ns = math.Sqrt(m.sumVar.Float64()/varUnit) / float64(n)
	switch {
	case m.unsure && ns > unknownPart*m.MeanNS():
		return 0, false
	case ns == 0 && m.Samples > 1: // no window has shown any: those that were recorded before are all the sample there is
		ns = math.Sqrt(m.simpleVar())
	}
	return ns, m.Samples > 1 && !math.IsInf(ns, 0)
}

// unknownPart is which part of a sum of runs may be from runs of which it is not known how far off they are, for that of the sum to be known.
const unknownPart = 0.9

// addSampling adds up how far off the estimates may be.
func (sum *Marker) addSampling(m *Marker) {
	sum.sumVar = sum.sumVar.Add(m.sumVar)
	sum.countVar = sum.countVar.Add(m.countVar)
	sum.unsure = sum.unsure || m.unsure
	sum.Samples = add64(sum.Samples, m.Samples)
	sum.seen = add64(sum.seen, m.seen)
	sum.Sample = max(sum.Sample, m.Sample)
}

// add adds what another run was a sample of. Runs with different rates have none
// in common.
func (s *Sampling) add(t *Sampling) *Sampling {
	switch {
	case s == nil && t == nil:
		return nil
	case s == nil:
		sum := *t
		return &sum
	case t == nil:
		return s
	}
	sum := *s
	sum.N = max(s.N, t.N)
	sum.Windows = add64(s.Windows, t.Windows)
	sum.OpenNS = add64(s.OpenNS, t.OpenNS)
	sum.NetNS = add64(s.NetNS, t.NetNS)
	sum.OfNS = add64(s.OfNS, t.OfNS)
	return &sum
}
