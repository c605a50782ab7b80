package shape_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/shape"
)

// sampled is a marker of which what is known is one in 64 passages, scaled up as profile does.
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
	c.SetEstimate(profile.Estimate{Seen: c.Count})
	return &c
}

// A sample says as much as the passages that were recorded do, however many it stands for.
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
	if others > 4 { // some are just decided, or just not
		t.Errorf("%d of 400 orders are others", others)
	}
	m := sampled(marker(false, call{-1, 100}, call{-1, 100}))
	if s := shape.Of(m, shape.Options{}); s.Calls != 2 || s.Steady.Verdict != shape.Undecided || s.Steady.Calls != 2 {
		t.Errorf("two calls that stand for 128: %+v", s.Steady)
	}
}
