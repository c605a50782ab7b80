package runfile

import (
	"math"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/estimate"
	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
)

// batchSums are the sums of a BlockSample, or of a BlockTick, with what the
// header's words were when they began.
type batchSums struct {
	estimate.Sums
	since baseline
}

// A baseline is what words of the header were at some time. profiled is 0 for never.
type baseline struct{ profiled, taken, stands, batches uint64 }

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
	all := r.header.word(layout.OffBatches)
	return float64(all - min(b.since.batches, all))
}

// sampled takes in how a marker was sampled.
func (r *run) sampled(b block) error {
	data, err := r.content(b, layout.SampleSize)
	if err != nil {
		return err
	}
	var v [8]float64
	for i := range v {
		v[i] = math.Float64frombits(r.order.Uint64(data[layout.OffSampleSums+8*i:]))
		if !possible(v[i]) {
			return r.damaged(b.offset, "a sampled marker's sums that can't be; they are left out")
		}
	}
	r.samples[r.order.Uint64(data[layout.OffSampleMarker:])] = batchSums{
		Sums:  estimate.Sums{N: v[0], NN: v[1], S: v[2], SS: v[3], NS: v[4], W: v[5], X: v[6], XX: v[7]},
		since: r.baselineAt(data[layout.OffSampleSince:]),
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
		estimate.Countdown(f)
	}
	if h.word(layout.OffWindowWidth) == 1<<64-1 || h.word(layout.OffSampleN) < 2 && len(r.samples) == 0 { // N may have become 1
		return
	}
	r.Sampling = r.sampling()
	if len(r.samples) > 0 && r.Sampling.OpenNS == 0 {
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
			estimate.Windows(f, r.rate(), r.times(b.since, layout.OffWindowStands), &b.Sums, r.batches(&b))
			r.doubt(f, &b, numbers[index])
		}
	}
	for index, e := range r.edges { // in the same windows as their markers, and of them no sums are kept
		if b, ok := r.samples[e.marker]; ok {
			f := r.figures(index)
			estimate.Windows(f, r.rate(), r.times(b.since, layout.OffWindowStands), b.Like(float64(f.Count)), 1)
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
func (r *run) doubt(m *profile.Marker, b *batchSums, number uint64) {
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
func (r *run) windowsOf(t *unitTable) map[int]batchSums {
	if len(r.samples) == 0 {
		return nil
	}
	of := map[int]batchSums{}
	for i, gate := range t.Gates {
		if b, ok := r.sampledMarkers[t.first+uint64(i)]; ok && gate >= 0 {
			of[gate] = batchSums{since: b.since}
		}
	}
	return of
}

// rate is the N of the latest 1:N.
func (r *run) rate() uint64 { return r.header.word(layout.OffSampleN) }

// sampling gives the windows of the run, and of how much time they are a sample.
func (r *run) sampling() *profile.Sampling {
	h, since := r.header, r.sampledSince()
	ns := func(ticks uint64) uint64 { return profile.Duration(0, ticks, r.Clock.Hz) }
	open, taken := h.word(layout.OffWindowTicks), h.word(layout.OffWindowTaken)
	s := &profile.Sampling{N: r.rate(), Windows: h.word(layout.OffWindows), OpenNS: ns(open), NetNS: ns(profile.Sub64(open, taken))}
	s.OfNS = max(ns(profile.Sub64(profile.Sub64(r.profiled(), since.profiled), profile.Sub64(taken, since.taken))), s.NetNS)
	return s
}

// times is how many times as long the time since then is, less what recording took, as that for which windows stand by a word of the header.
func (r *run) times(since baseline, stands int) float64 {
	in := profile.Sub64(r.header.word(stands), since.stands)
	if in == 0 {
		return 1
	}
	return float64(profile.Sub64(profile.Sub64(r.profiled(), since.profiled), profile.Sub64(r.header.word(layout.OffWindowTaken), since.taken))) / float64(in)
}

// profiled is how many ticks the run was profiling.
func (r *run) profiled() uint64 {
	h := r.header
	ticks := h.word(layout.OffProfiled)
	if h.word(layout.OffState) == layout.StateProfiling {
		if d := r.last - h.word(layout.OffSince); int64(d) > 0 {
			ticks = profile.Add64(ticks, d)
		}
	}
	return ticks
}
