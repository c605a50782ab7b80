package profile

import (
	"math"

	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
)

// batchSums are the sums of a BlockSample, or of a BlockTick, with what the
// header's words were when they began and, if they ended before the run, when they did.
type batchSums struct {
	Sums
	since, until baseline
}

// A baseline is what words of the header were at some time. profiled is 0 for never.
type baseline struct{ profiled, taken, open, batches uint64 }

// mostRecording is the part of windows up to which an estimate is worth something: beyond it what a scope costs, which is
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
		Sums:  Sums{N: v[0], NN: v[1], S: v[2], SS: v[3], NS: v[4], X: v[5], XX: v[6]},
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
		Countdown(f)
	}
	if h.word(layout.OffWindowWidth) == 1<<64-1 || h.word(layout.OffSampleN) < 2 && len(r.samples) == 0 { // N may have become 1
		return
	}
	r.Sampling = r.sampling(&batchSums{since: r.sampledSince()}, layout.OffWindowTicks)
	if len(r.samples) > 0 && Factor(r.Sampling) == 0 {
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
			Windows(f, r.sampling(&b, layout.OffWindowTicks), &b.Sums, r.batches(&b))
			r.doubt(f, &b, numbers[index])
		}
	}
	for index, e := range r.edges { // in the same windows as their markers, and of them no sums are kept
		if b, ok := r.samples[e.marker]; ok {
			f := r.figures(index)
			n := float64(f.Count)
			x := n * b.Stands()
			Windows(f, r.sampling(&b, layout.OffWindowTicks), &Sums{N: n, X: x, XX: x * x}, 1)
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
	if taken := b.Taken(); m.Count > 0 && taken > mostRecording {
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
	ns := func(from, to uint64) uint64 { return Duration(0, to-min(from, to), r.Clock.Hz) }
	s := &Sampling{N: h.word(layout.OffSampleN), Windows: h.word(layout.OffWindows), OpenNS: ns(b.since.open, until.open)}
	taken := ns(b.since.taken, until.taken)
	s.NetNS = Sub64(s.OpenNS, taken)
	s.OfNS = max(Sub64(ns(b.since.profiled, until.profiled), taken), s.NetNS)
	return s
}

// profiled is how many ticks the run was profiling.
func (r *run) profiled() uint64 {
	h := r.header
	ticks := h.word(layout.OffProfiled)
	if h.word(layout.OffState) == layout.StateProfiling {
		if d := r.last - h.word(layout.OffSince); int64(d) > 0 {
			ticks = Add64(ticks, d)
		}
	}
	return ticks
}
