package profile

import (
	"math"
	"strings"
	"testing"
)

// A run whose error is unknown increases the error of a sum in proportion to its weight.
func TestMeanOfUnsure(t *testing.T) {
	timed := func(n, each uint64) []Bucket {
		return []Bucket{{K: 12, Count: n, SumNS: n * each, SumSq: Uint128{Lo: n * each * each}}}
	}
	sure, unsure := Marker{Samples: 1000, Count: 10_000, Buckets: timed(10_000, 3000)}, Marker{Samples: 1, Count: 10, Buckets: timed(10, 3500)}
	sure.SetMeanVar(30 * 30)
	unsure.SetMeanVar(math.Inf(1))
	if se, ok := unsure.MeanSE(); ok {
		t.Errorf("of a single one: ± %g", se)
	}
	for _, order := range [][]*Marker{{&sure, &unsure}, {&unsure, &sure}, {&unsure, &sure, &unsure}} {
		var sum Marker
		for _, m := range order {
			sum.Add(m)
		}
		if se, ok := sum.MeanSE(); !ok || math.Abs(se-30) > 1 {
			t.Errorf("%d added up: ± %g, %v", len(order), se, ok)
		}
	}
	var sum Marker
	sum.Add(&unsure)
	sum.Add(&unsure)
	if se, ok := sum.MeanSE(); ok && se < 2000 {
		t.Errorf("of two that do not tell: ± %g", se)
	}
	// All calls were recorded before, and no window recorded any.
	spread := Marker{Samples: 2, Count: 2, Buckets: []Bucket{{K: 12, Count: 2, SumNS: 6000, SumSq: Uint128{Lo: 2500*2500 + 3500*3500}}}}
	if se, ok := spread.MeanSE(); !ok || math.Abs(se-500) > 10 {
		t.Errorf("of two of 2.5 and 3.5 µs: ± %g, %v", se, ok)
	}
}

// The total of a sampled recursive marker differs from that of its outermost calls.
func TestSampledRecursion(t *testing.T) {
	timed := []Bucket{{K: 8, Count: 2, SumNS: 600, SumSq: Uint128{Lo: 2 * 300 * 300}}}
	for _, nested := range []uint64{0, 300} {
		p := &Profile{Markers: []Marker{{Samples: 2, Count: 20, NestedNS: nested, Buckets: timed}, {Samples: 2, Count: 20, Buckets: timed}}}
		if got := strings.Join(p.Cautions(), "\n"); strings.Contains(got, "what calls itself") != (nested > 0) {
			t.Errorf("%d ns nested: %s", nested, got)
		}
	}
}

// The measured times of a sum are those of the samples, and those of runs that recorded all.
func TestMeasured(t *testing.T) {
	all := Marker{Count: 40, Buckets: []Bucket{{K: 6, Count: 40, SumNS: 4000}}}
	part := Marker{Sample: 10, Samples: 3, Seen: 30, Count: 30, Buckets: []Bucket{{K: 6, Count: 30, SumNS: 3000}}}
	none := Marker{Sample: 10, Seen: 2, Count: 2} // no call was timed
	for _, list := range [][]*Marker{{&all, &part, &none}, {&none, &part, &all}, {&part, &all, &none}} {
		var sum Marker
		for _, m := range list {
			sum.Add(m)
		}
		if got := sum.Measured(); got != 43 {
			t.Errorf("%d of %d times were measured, want 43 of 70", got, sum.Timed())
		}
	}
	var sum Marker
	sum.Add(&all)
	sum.Add(&all)
	if got := sum.Measured(); got != 80 {
		t.Errorf("of runs that recorded all: %d times were measured, want 80", got)
	}
}
