package profile

import (
	"math"
	"strings"
	"testing"
)

// Where windows were nothing but overhead, as far as was measured, an estimate is unsure by as much as
// it is.
func TestAllOverhead(t *testing.T) {
	s := &windows{Sampling: Sampling{N: 10, Windows: 40, OpenNS: 64_000_000, NetNS: 1_000_000, OfNS: 200_000_000}, costSE: overheadSE}
	n := 1000.0
	if v, estimate := s.countVar(40*n, 40*n*n, 40, 0, 1), 40*n*s.factor(); v < 0.9*estimate*estimate {
		t.Errorf("variance %g of an estimate of %g", v, estimate)
	}
	s = &windows{Sampling: Sampling{N: 10, Windows: 4000, OpenNS: 64_000_000, NetNS: 63_900_000, OfNS: 640_000_000}, costSE: overheadSE}
	if v, estimate := s.countVar(40*n, 40*n*n, 40, 0, 1), 40*n*s.factor(); v > 0.01*estimate*0.01*estimate {
		t.Errorf("variance %g of an estimate of %g", v, estimate)
	}
}

// Where functions that are passed between windows, too, tell how far the program got on in these, an estimate is as sure as that is, and as the marker's windows
// are like those of these functions.
func TestToldWindows(t *testing.T) {
	of := func(slower float64) float64 {
		s := &windows{Sampling: Sampling{N: 20, Windows: 400, OpenNS: 150_000_000, NetNS: 7_500_000, OfNS: 2_500_000_000},
			slower: slower, costSE: 0.1, told: 0.05, with: 20}
		const n = 700
		return math.Sqrt(s.countVar(400*n, 400*n*n, 400, 0, 1)) / (400 * n * s.factor())
	}
	for _, tt := range []struct{ slower, least, most float64 }{{20, 0.05, 0.06}, {22, 0.2, 0.3}, {18, 0.2, 0.3}, {30, 1, 2.1}} {
		if e := of(tt.slower); e < tt.least || e > tt.most {
			t.Errorf("a standard error of %.3f where windows were %g times as long, want %g to %g", e, tt.slower, tt.least, tt.most)
		}
	}
}

// Of what reading collectors took only a little is not known, however much of the windows it is.
func TestReadInWindows(t *testing.T) {
	s := &windows{Sampling: Sampling{N: 10, Windows: 4000, OpenNS: 200_000_000, NetNS: 60_000_000, OfNS: 2_000_000_000}, costSE: overheadSE}
	const n = 700
	of := func(read float64) float64 {
		return math.Sqrt(s.countVar(40*n, 40*n*n, 40, read, 1)) / (40 * n * s.factor())
	}
	if e := of(139_000_000); e < 0.10 || e > 0.14 {
		t.Errorf("a standard error of %.3f, want a twentieth of 139/60", e)
	}
	if e := of(0); e < 0.9 {
		t.Errorf("a standard error of %.3f where all of it is an estimate", e)
	}
}

// What was passed in windows of which recording took much counts for more than what was passed in others.
func TestWeights(t *testing.T) {
	all := Sampling{N: 10, Windows: 40, OpenNS: 100_000_000, NetNS: 80_000_000, OfNS: 1_000_000_000}
	dense, sparse := &windows{Sampling: all, weight: 4}, &windows{Sampling: all, weight: 1}
	if f := dense.factor() / sparse.factor(); f != 4 {
		t.Errorf("a factor %g times as large, want 4", f)
	}
	if f, g := (&windows{Sampling: all}).factor(), (&windows{Sampling: all, weight: 1.25}).factor(); f != g {
		t.Errorf("%g where all windows are alike, and %g where their weight is not known", g, f)
	}
}

// A burst before a marker was sampled says that there may have been others; passages as quick as in windows do not.
func TestTogether(t *testing.T) {
	s := &windows{Sampling: Sampling{N: 10, Windows: 10, OpenNS: 5_000_000, NetNS: 5_000_000, OfNS: 50_000_000}}
	for _, tt := range []struct {
		pace     pace
		n        float64
		together float64
	}{
		{pace{}, 0, 1},
		{pace{1000, 100, 10_000}, 0, 1000},           // 100 in 10 µs
		{pace{1000, 100, 100_000}, 0, 500},           // a window shows no more
		{pace{1000, 100, 10_000}, 20_000, 1},         // as many in windows: 4 µs⁻¹
		{pace{1000, 1000, 100_000_000_000}, 0, 1},    // ten a second
		{pace{1000, 100, 10_000}, 5_000, 1000},       // ten times as many as in windows
		{pace{1 << 63, 1 << 63, 1}, 0, 4.6116860e24}, // nonsense is no worse than nonsense
	} {
		if got := s.together(tt.pace, tt.n, 1e9, 0, 0); math.Abs(got-tt.together) > 1e-6*tt.together && !(tt.pace.ticks == 1 && got >= 1) {
			t.Errorf("%v, %g in windows: %g, want %g", tt.pace, tt.n, got, tt.together)
		}
	}
}

// A run without a window since a marker was sampled tells how often it was passed before, and that much may be missing.
func TestUnseen(t *testing.T) {
	s := &windows{Sampling: Sampling{N: 20, OfNS: 50_000_000}}
	m := Marker{Count: 1000}
	m.fromWindows(s, 0, batchSums{}, 0, s.together(pace{1000, 1000, 20_000_000}, 0, 1e9, 0, 0))
	if se := m.CountSE(); math.Abs(se-2500) > 1 {
		t.Errorf("± %g, want 2500: 50 ms at one in 20 µs", se)
	}
	m = Marker{Count: 1000}
	m.fromWindows(s, 0, batchSums{}, 0, s.together(pace{1000, 1000, 1_000_000}, 0, 1e9, 0, 0))
	if se := m.CountSE(); math.Abs(se-200_000_000) > 1 {
		t.Errorf("± %g, want 200000000: what came in the first of 50 ms tells nothing of the others", se)
	}
	// Each took 1 µs: what was in between was the machine's.
	m = Marker{Count: 1000}
	m.fromWindows(s, 0, batchSums{}, 0, s.together(pace{1000, 1000, 10_000_000}, 0, 1e9, 1000, 1000))
	if se := m.CountSE(); math.Abs(se-50_000) > 10 {
		t.Errorf("± %g, want 50000: 50 ms at one in 1 µs", se)
	}
	// They were 100 ns apart, and recording one takes 40, of which twice as much may be in what is said of one.
	s.scope = 40
	for took, want := range map[float64]float64{0: 200_000_000, 1: 50_000_000, 5: 50_000_000, 90: 5_000_000} {
		m = Marker{Count: 1000}
		m.fromWindows(s, 0, batchSums{}, 0, s.together(pace{1000, 1000, 100_000}, 0, 1e9, took, took))
		if se := m.CountSE(); math.Abs(se-want) > 1e-3*want {
			t.Errorf("calls of %g ns: ± %g, want %g", took, se, want)
		}
	}
}

// A run that does not tell how far off its mean may be makes that of a sum as much less sure as there is of it.
func TestMeanOfUnsure(t *testing.T) {
	timed := func(n, each uint64) []Bucket {
		return []Bucket{{K: 12, Count: n, SumNS: n * each, SumSq: Uint128{Lo: n * each * each}}}
	}
	sure, unsure := Marker{Samples: 1000, Count: 10_000, Buckets: timed(10_000, 3000)}, Marker{Samples: 1, Count: 10, Buckets: timed(10, 3500)}
	sure.setMeanVar(30 * 30)
	unsure.setMeanVar(math.Inf(1))
	if se, ok := unsure.MeanSE(); ok {
		t.Errorf("of a single one: ± %g", se)
	}
	for _, order := range [][]*Marker{{&sure, &unsure}, {&unsure, &sure}, {&unsure, &sure, &unsure}} {
		var sum Marker
		for _, m := range order {
			sum.add(m)
		}
		if se, ok := sum.MeanSE(); !ok || math.Abs(se-30) > 1 {
			t.Errorf("%d added up: ± %g, %v", len(order), se, ok)
		}
	}
	var sum Marker
	sum.add(&unsure)
	sum.add(&unsure)
	if se, ok := sum.MeanSE(); ok && se < 2000 {
		t.Errorf("of two that do not tell: ± %g", se)
	}
	// Passages that were all recorded before, and a window that showed none.
	spread := Marker{Samples: 2, Count: 2, Buckets: []Bucket{{K: 12, Count: 2, SumNS: 6000, SumSq: Uint128{Lo: 2500*2500 + 3500*3500}}}}
	if se, ok := spread.MeanSE(); !ok || math.Abs(se-500) > 10 {
		t.Errorf("of two of 2.5 and 3.5 µs: ± %g, %v", se, ok)
	}
}

// The total of a sampled marker that calls itself is not that of its outermost calls.
func TestSampledRecursion(t *testing.T) {
	timed := []Bucket{{K: 8, Count: 2, SumNS: 600, SumSq: Uint128{Lo: 2 * 300 * 300}}}
	for _, nested := range []uint64{0, 300} {
		p := &Profile{Markers: []Marker{{Samples: 2, Count: 20, NestedNS: nested, Buckets: timed}, {Samples: 2, Count: 20, Buckets: timed}}}
		if got := strings.Join(p.Cautions(), "\n"); strings.Contains(got, "what calls itself") != (nested > 0) {
			t.Errorf("%d ns nested: %s", nested, got)
		}
	}
}

// The times of a sum are those of the sample, and of runs that recorded all.
func TestTaken(t *testing.T) {
	all := Marker{Count: 40, Buckets: []Bucket{{K: 6, Count: 40, SumNS: 4000}}}
	part := Marker{Sample: 10, Samples: 3, seen: 30, Count: 30, Buckets: []Bucket{{K: 6, Count: 30, SumNS: 3000}}}
	none := Marker{Sample: 10, seen: 2, Count: 2} // none of them was timed
	for _, list := range [][]*Marker{{&all, &part, &none}, {&none, &part, &all}, {&part, &all, &none}} {
		var sum Marker
		for _, m := range list {
			sum.add(m)
		}
		if got := sum.Taken(); got != 43 {
			t.Errorf("%d of %d times were taken, want 43 of 70", got, sum.Timed())
		}
	}
	var sum Marker
	sum.add(&all)
	sum.add(&all)
	if got := sum.Taken(); got != 80 {
		t.Errorf("of runs that recorded all: %d times were taken, want 80", got)
	}
}
