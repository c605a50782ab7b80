package profile

import (
	"math"
	"math/big"
	"strconv"

	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
)

// A Sampling says how the passages were chosen that were recorded, of a run in
// which not all were.
type Sampling struct {
	N       uint64 // sample=1:N
	Windows uint64 // windows in which markers were on
	OpenNS  uint64 // how long they lasted
	NetNS   uint64 // the same less what recording took from the program in them
	OfNS    uint64 // of how much time they are a sample, corrected in the same way
}

// factor is how many times as long the time is that the windows are a sample of; 0: nothing was sampled.
func (s *Sampling) factor() float64 {
	if s.OpenNS == 0 {
		return 0
	}
	return max(float64(s.OfNS)/float64(s.OpenNS), 1)
}

// batchSums are the sums of a BlockSample, or of a BlockTick, over the batches of windows, and what the
// header's words were when they began and, if they ended before the run, when they did.
type batchSums struct {
	n, nn, s, ss, ns float64
	x, xx            float64
	since, until     baseline
}

// A baseline is what words of the header were at some time. profiled is 0 for never.
type baseline struct{ profiled, taken, open, batches uint64 }

// stands is how many passages one that was recorded stands for in the windows themselves, where recording took a part of
// the time.
func (b *batchSums) stands() float64 {
	if b.n == 0 {
		return 1
	}
	return max(b.x/b.n, 1)
}

// taken is which part recording took of the windows in which the passages were.
func (b *batchSums) taken() float64 { return 1 - 1/b.stands() }

// mostTaken is the part of windows up to which an estimate is worth something: beyond it what a scope costs, which is
// measured elsewhere, makes more of it than the program does.
const mostRecording = 0.5

// baselineAt reads a baseline.
func (r *run) baselineAt(data []byte) baseline {
	word := func(i int) uint64 { return r.order.Uint64(data[8*i:]) }
	return baseline{word(0), word(1), word(2), word(3)}
}

// batches is how many batches the sums are of.
func (r *run) batches(b *batchSums) float64 {
	until := b.until.batches
	if b.until.profiled == 0 {
		until = r.header.word(layout.OffBatches)
	}
	return float64(until - min(b.since.batches, until))
}

// sampled takes in how a marker was sampled.
func (r *run) sampled(b block) error {
	data, err := r.content(b, layout.SampleSize)
	if err != nil {
		return err
	}
	var v [7]float64
	for i := range v {
		v[i] = math.Float64frombits(r.order.Uint64(data[layout.OffSampleSums+8*i:]))
		if !possible(v[i]) {
			return r.damaged(b.offset, "a sampled marker's sums that can't be; they are left out")
		}
	}
	r.samples[r.order.Uint64(data[layout.OffSampleMarker:])] = batchSums{
		n: v[0], nn: v[1], s: v[2], ss: v[3], ns: v[4], x: v[5], xx: v[6],
		since: r.baselineAt(data[layout.OffSampleSince:]), until: r.baselineAt(data[layout.OffSampleUntil:]),
	}
	return nil
}

// possible says whether a sum can be that.
func possible(v float64) bool { return v >= 0 && v <= 1e300 }

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

// estimate makes estimates of the figures that are of samples: what was recorded, times one over the
// share of the time that was recorded.
func (r *run) estimate() {
	h := r.header
	for _, f := range r.cells.all() {
		f.fromCountdown()
	}
	if h.word(layout.OffWindowWidth) == 1<<64-1 || h.word(layout.OffSampleN) < 2 && len(r.samples) == 0 { // N may have become 1
		return
	}
	r.Sampling = r.sampling(&batchSums{since: r.sampledSince()}, layout.OffWindowTicks)
	if len(r.samples) > 0 && r.Sampling.factor() == 0 {
		r.warn("no window of sample=1:%d fell into the run; run the program for longer, or sample more", r.Sampling.N)
	}
	once := r.calledOnce()
	numbers := map[uint64]uint64{}
	for _, a := range r.aliases {
		numbers[a.from] = a.to
	}
	for index, b := range r.samples {
		f := r.figures(index)
		if f.Count > 0 || !once[numbers[index]] {
			f.fromWindows(r.sampling(&b, layout.OffWindowTicks), &b, r.batches(&b))
			r.doubt(f, &b, numbers[index])
		}
	}
	for index, e := range r.edges { // in the same windows as their markers, and of them no sums are kept
		if b, ok := r.samples[e.marker]; ok {
			f := r.figures(index)
			n := float64(f.Count)
			of := batchSums{n: n, x: n * b.stands(), xx: n * b.stands() * n * b.stands(), since: b.since, until: b.until}
			f.fromWindows(r.sampling(&of, layout.OffWindowTicks), &of, 1)
		}
	}
	r.warnOfDoubts()
}

// calledOnce are the numbers of the markers of functions that Go's runtime calls and nothing else does: init functions, and func
// main, unless a test calls it. What windows show of calls says nothing of these.
func (r *run) calledOnce() map[uint64]bool {
	once := map[uint64]bool{}
	for _, t := range r.tables {
		for i, is := range t.Once {
			if is && t.Gates[i] == i {
				once[t.first+uint64(i)] = true
			}
		}
	}
	return once
}

// doubts are the markers of which recording took more than mostRecording of the windows in which they were passed.
type doubts struct {
	n      uint64
	most   float64 // the largest part
	marker uint64  // and the number of its marker
}

// doubt takes note of a marker if its estimate is one that is not to be believed.
func (r *run) doubt(m *Marker, b *batchSums, number uint64) {
	if taken := b.taken(); m.Count > 0 && taken > mostRecording {
		if r.doubts.n++; taken > r.doubts.most {
			r.doubts.most, r.doubts.marker = taken, number
		}
	}
}

// warnOfDoubts says how many there are.
func (r *run) warnOfDoubts() {
	d := &r.doubts
	if d.n == 0 {
		return
	}
	name := ""
	if m := r.named(d.marker); m != nil {
		name = m.Name
	}
	r.warn("the estimates of %s are not to be relied on: recording took more than half of the windows in which they were passed, %.0f %% of those of %s; count them (countdown), or leave out what is passed most (skip=)",
		units.Plural(d.n, "marker"), 100*d.most, name)
}

// windowsOf are the sums, by the gates of a table's markers, of one that was sampled: from then
// on were those behind its gate that have no figures, as no window showed them.
func (r *run) windowsOf(t *table) map[int]batchSums {
	if len(r.samples) == 0 {
		return nil
	}
	of := map[int]batchSums{}
	for i, gate := range t.Gates {
		if b, ok := r.sampledMarkers[t.first+uint64(i)]; ok && gate >= 0 {
			of[gate] = batchSums{since: b.since, until: b.until}
		}
	}
	return of
}

// sampling gives the windows of a period; open is the word of the header that says how long they were.
func (r *run) sampling(b *batchSums, open int) *Sampling {
	h, until := r.header, b.until
	if until.profiled == 0 {
		until = baseline{profiled: r.profiled(), taken: h.word(layout.OffWindowTaken), open: h.word(open)}
	}
	ns := func(from, to uint64) uint64 { return duration(0, to-min(from, to), r.Clock.Hz) }
	s := &Sampling{N: h.word(layout.OffSampleN), Windows: h.word(layout.OffWindows), OpenNS: ns(b.since.open, until.open)}
	taken := ns(b.since.taken, until.taken)
	s.NetNS = sub64(s.OpenNS, taken)
	s.OfNS = max(sub64(ns(b.since.profiled, until.profiled), taken), s.NetNS)
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
	if m.Seen == 0 {
		return
	}
	m.Samples = m.Timed()
	meanVar := m.simpleVar()
	if m.Samples > 0 {
		m.scale(new(big.Rat).SetFrac(new(big.Int).SetUint64(m.Seen), new(big.Int).SetUint64(m.Samples)))
	}
	m.Count = m.Seen
	m.setMeanVar(meanVar)
}

// fromWindows makes estimates where passages were recorded in windows, of which there were so many batches.
func (m *Marker) fromWindows(s *Sampling, b *batchSums, batches float64) {
	m.Sample = s.N
	m.Samples = max(m.Count, 1) // what no window has shown is an estimate, too
	meanVar := m.simpleVar()
	if batches > 1 && b.n > 0 {
		// The windows are the sample: passages within one are alike. Variance of a
		// ratio of two sums over independent batches (Cochran, Sampling Techniques, 6.4).
		mean := b.s / b.n
		meanVar = max(meanVar, batches/(batches-1)*max(0, b.ss-2*mean*b.ns+mean*mean*b.nn)/(b.n*b.n))
	}
	m.CountVar = toUint128(s.countVar(b, batches) * varUnit)
	rat := new(big.Rat)
	if rat.SetFloat64(s.factor()*b.stands()) == nil {
		rat = new(big.Rat)
	}
	m.scale(rat)
	m.Seen = m.Count
	m.setMeanVar(meanVar)
}

// varUnit is how many units of a variance make one: sums of whole numbers do not
// depend on their order.
const varUnit = 1024

// setMeanVar keeps the square of the mean's standard error, when the figures are those
// that it is of. Where nothing tells it they may be all off, of which little is left when others are added.
func (m *Marker) setMeanVar(v float64) {
	n := float64(m.Timed())
	if m.Unsure = math.IsInf(v, 0) && n > 0; m.Unsure {
		v = m.MeanNS() * m.MeanNS()
	}
	if n > 0 {
		m.SumVar = toUint128(v * n * n * varUnit)
	}
}

// countVar is the square of the standard error of an estimate from so many batches of windows: it is that of a sum of
// independent terms, and the estimate may be off by the part of the windows that recording took besides, since what that
// costs differs from place to place. Where nothing was seen one passage may have been missed.
func (s *Sampling) countVar(b *batchSums, batches float64) float64 {
	factor := max(s.factor(), 1)
	v := b.xx
	if batches > 1 {
		v = batches / (batches - 1) * max(0, b.xx-b.x*b.x/batches)
	}
	v = max(v, 1)
	off := b.x * b.taken()
	return (v + off*off) * factor * factor
}

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
	return min(n, add64(m.Samples, sub64(m.Count, m.Seen)))
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
func (m *Marker) CountSE() float64 { return math.Sqrt(m.CountVar.Float64() / varUnit) }

// MeanSE is the standard error of MeanNS; ok is false where there are fewer than
// two samples to tell it from.
func (m *Marker) MeanSE() (ns float64, ok bool) {
	n := m.Timed()
	if n == 0 {
		return 0, false
	}
	ns = math.Sqrt(m.SumVar.Float64()/varUnit) / float64(n)
	switch {
	case m.Unsure && ns > unknownPart*m.MeanNS():
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
	sum.SumVar = sum.SumVar.Add(m.SumVar)
	sum.CountVar = sum.CountVar.Add(m.CountVar)
	sum.Unsure = sum.Unsure || m.Unsure
	sum.Samples = add64(sum.Samples, m.Samples)
	sum.Seen = add64(sum.Seen, m.Seen)
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
