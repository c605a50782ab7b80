package shape_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/shape"
)

// sampled returns a marker of which one in 64 calls was recorded and scaled up as profile does.
func sampled(m *profile.Marker) *profile.Marker {
	const doublings = 6
	c := *m
	c.Sample, c.Samples, c.Count = 1<<doublings, m.Timed(), m.Count<<doublings
	c.Buckets, c.Sizes = slices.Clone(m.Buckets), slices.Clone(m.Sizes)
	for range doublings {
		for i := range c.Buckets {
			b := &c.Buckets[i]
			b.Count, b.SumNS, b.SumSq = 2*b.Count, 2*b.SumNS, b.SumSq.Add(b.SumSq)
		}
		for i := range c.Sizes {
			b := &c.Sizes[i]
			b.Count, b.SumNS, b.SumSq, b.SumSize = 2*b.Count, 2*b.SumNS, b.SumSq.Add(b.SumSq), b.SumSize.Add(b.SumSize)
			b.Logged, b.SumLog, b.SumLogSq = 2*b.Logged, 2*b.SumLog, 2*b.SumLogSq
		}
	}
	c.Seen = c.Count
	return &c
}

// A sample is as conclusive as its recorded calls, however many calls it stands for.
func TestSampled(t *testing.T) {
	laws := []law{
		func(float64) float64 { return 50 },
		func(n float64) float64 { return 20 + 0.6*n },
		func(n float64) float64 { return 30 + 0.4*n*n },
	}
	others := 0
	for i := range 400 {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		m := marker(false, grown(r, laws[i%len(laws)], noise{0.3, 0.01, 1e4, 0.05}, 8, 1<<12, 2+i%60)...)
		want, got := shape.Of(m, shape.Options{}), shape.Of(sampled(m), shape.Options{})
		if want.Calls != got.Calls || want.Growth.Calls != got.Growth.Calls || want.Tail.Calls != got.Tail.Calls {
			t.Fatalf("%d calls are said to be %d", want.Calls, got.Calls)
		}
		if want.Growth.Order != got.Growth.Order || want.Growth.Verdict != got.Growth.Verdict || math.Abs(want.Growth.ExponentHi-got.Growth.ExponentHi) > 0.1 {
			others++
			t.Logf("the calls themselves, and a sample of such: %+v\n%+v", want.Growth, got.Growth)
		}
		if want.Modes.Verdict != got.Modes.Verdict || want.Steady.Verdict != got.Steady.Verdict || want.Tail.Verdict != got.Tail.Verdict {
			t.Errorf("the calls themselves, and a sample of such: %+v\n%+v", want, got)
		}
	}
	if others > 4 { // some are borderline
		t.Errorf("%d of 400 orders are others", others)
	}
	m := sampled(marker(false, call{-1, 100}, call{-1, 100}))
	if s := shape.Of(m, shape.Options{}); s.Calls != 2 || s.Steady.Verdict != shape.Undecided || s.Steady.Calls != 2 {
		t.Errorf("two calls that stand for 128: %+v", s.Steady)
	}
}

// The same is true for the tail index, first calls and noise.
func TestSampledTimes(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) }
	for i := range 30 {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		pareto := func() float64 { return 1000 * math.Pow(1-r.Float64(), -1/(0.8+float64(i%10)/5)) }
		m := marker(false, drawn(6000, pareto)...)
		want, got := shape.Of(m, shape.Options{}).Tail, shape.Of(sampled(m), shape.Options{}).Tail
		if want.Index == 0 || !near(want.Index, got.Index) || !near(want.IndexLo, got.IndexLo) || !near(want.IndexHi, got.IndexHi) || want.FromNS != got.FromNS {
			t.Errorf("the calls themselves, and a sample of such: %+v\n%+v", want, got)
		}

		first := 1e5 * math.Exp(3*r.Float64())
		m = marker(true, append([]call{{-1, first}}, drawn(20+r.IntN(400), pareto)...)...)
		start, of := shape.Of(m, shape.Options{}).Startup, shape.Of(sampled(m), shape.Options{}).Startup
		if start.Runs != of.Runs || !near(start.FirstNS, of.FirstNS) || start.Verdict == shape.No && of.Verdict == shape.Yes {
			t.Errorf("the calls themselves, and a sample of such: %+v\n%+v", start, of)
		}
		if of.Later+1 != uint64(m.Timed()) && of.Later != m.Timed() { // the sample may or may not include the first call
			t.Errorf("%d later calls of %d", of.Later, m.Timed())
		}

		p, of64 := &profile.Profile{}, &profile.Profile{}
		for range 6 {
			m := marker(false, drawn(6000, func() float64 {
				ns := 3000 + 1000*r.Float64()
				if r.Float64() < 0.004 {
					ns += 1e6 * r.ExpFloat64()
				}
				return ns
			})...)
			p.Markers, of64.Markers = append(p.Markers, *m), append(of64.Markers, *sampled(m))
		}
		for j := range p.Markers {
			if want, got := shape.Of(&p.Markers[j], shape.For(p)).Tail, shape.Of(&of64.Markers[j], shape.For(of64)).Tail; want.Verdict != got.Verdict {
				t.Errorf("among others that wait: %+v, and a sample of such: %+v", want, got)
			}
		}
	}
}
