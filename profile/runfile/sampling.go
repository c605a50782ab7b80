package runfile

import (
	"math"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/estimate"
	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
)

// batchSums are the sums of a BlockSample, and the baseline at which they began.
type batchSums struct {
	estimate.Sums
	since baseline
}

// A baseline is a copy of words of the header at some time. profiled is 0 if there is none.
type baseline struct{ profiled, taken, stands, batches uint64 }

// maxRecording is the largest fraction of windows spent on recording at which an estimate is
// reliable. Above it, the estimate depends more on the calibrated cost of a scope than on the
// program.
const maxRecording = 0.5

// baselineAt parses a baseline.
func (r *run) baselineAt(data []byte) baseline {
	word := func(i int) uint64 { return r.order.Uint64(data[8*i:]) }
	return baseline{word(0), word(1), word(2), word(3)}
}

// batches returns the number of batches that the sums are over.
func (r *run) batches(b *batchSums) float64 {
	all := r.header.word(layout.OffBatches)
	return float64(all - min(b.since.batches, all))
}

// sampled reads the sums of a sampled marker.
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

// possible reports whether v is a valid sum.
func possible(v float64) bool { return v >= 0 && v <= 1e300 }

// sampledSince returns the earliest baseline of a sampled marker; data before it are exact. It may
// be long after the start of the run, if sampling was turned on from outside.
func (r *run) sampledSince() (first baseline) {
	for _, b := range r.samples {
		if first.profiled == 0 || b.since.profiled < first.profiled {
			first = b.since
		}
	}
	return first
}

// estimate scales sampled data up: what was recorded, divided by the fraction of time that was
// recorded.
func (r *run) estimate() {
	h := r.header
	r.countdown()
	if h.word(layout.OffWindowWidth) == 1<<64-1 || h.word(layout.OffSampleN) < 2 && len(r.samples) == 0 { // N may have become 1 later
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
		f := r.total(index)
		if f.Count > 0 || !once[numbers[index]] {
			estimate.Windows(f, r.rate(), r.times(b.since), &b.Sums, r.batches(&b))
			r.doubt(f, &b, numbers[index])
		}
	}
	for index, e := range r.edges { // sampled in the windows of their markers, without sums of their own
		if b, ok := r.samples[e.marker]; ok {
			f := r.total(index)
			estimate.Windows(f, r.rate(), r.times(b.since), b.Like(float64(f.Count)), 1)
		}
	}
	r.warnOfDoubts()
}

// calledOnce returns the numbers of the markers of functions that only Go's runtime calls: init
// functions, and main unless a test calls it. Windows say nothing about their calls.
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

// doubts are the markers for which recording took more than maxRecording of the windows in which
// they were called.
type doubts struct {
	n      uint64
	most   float64 // largest fraction
	marker uint64  // number of the marker with that fraction
}

// doubt records a marker whose estimate is unreliable.
func (r *run) doubt(m *profile.Marker, b *batchSums, number uint64) {
	if share := b.RecordingShare(); m.Count > 0 && share > maxRecording {
		if r.doubts.n++; share > r.doubts.most {
			r.doubts.most, r.doubts.marker = share, number
		}
	}
}

// warnOfDoubts warns about unreliable estimates.
func (r *run) warnOfDoubts() {
	d := &r.doubts
	if d.n == 0 {
		return
	}
	name := ""
	if m := r.named(d.marker); m != nil {
		name = m.Name
	}
	r.warn("the estimates of %s are unreliable: recording took more than half of the windows in which they ran, %.0f %% of those of %s; count them (countdown), or leave out what runs most often (skip=)",
		units.Plural(d.n, "marker"), 100*d.most, name)
}

// windowsOf returns baselines by gate for the sampled markers of a table. Markers behind the same
// gate were sampled from then on, too, even if no window recorded them.
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

// rate returns N of the latest rate 1:N.
func (r *run) rate() uint64 { return r.header.word(layout.OffSampleN) }

// sampling returns the sampling windows of the run and the time that they are a sample of.
func (r *run) sampling() *profile.Sampling {
	h, since := r.header, r.sampledSince()
	ns := func(ticks uint64) uint64 { return profile.Duration(0, ticks, r.Clock.Hz) }
	open, taken := h.word(layout.OffWindowTicks), h.word(layout.OffWindowTaken)
	s := &profile.Sampling{N: r.rate(), Windows: h.word(layout.OffWindows), OpenNS: ns(open), NetNS: ns(profile.Sub64(open, taken))}
	s.OfNS = max(ns(profile.Sub64(profile.Sub64(r.profiled(), since.profiled), profile.Sub64(taken, since.taken))), s.NetNS)
	return s
}

// times returns the profiled time since a baseline, without recording, divided by the time that
// windows stand for.
func (r *run) times(since baseline) float64 {
	in := profile.Sub64(r.header.word(layout.OffWindowStands), since.stands)
	if in == 0 {
		return 1
	}
	return float64(profile.Sub64(profile.Sub64(r.profiled(), since.profiled), profile.Sub64(r.header.word(layout.OffWindowTaken), since.taken))) / float64(in)
}

// profiled returns how long the run was profiling, in ticks.
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
