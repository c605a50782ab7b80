package profile

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// simulate makes the sums of windows of a program that does something for a random time and something else for another, of which the
// first has n passages a window and recording each takes cost, as a part of a window.
func simulate(random *rand.Rand, batches int, n, cost float64) *Sums {
	b := &Sums{}
	for range batches {
		dense := 0.0
		if random.Float64() < 0.5 {
			dense = 1
		}
		longer := 1 + n*dense*cost // a window shows so much less
		seen := math.Floor(n*dense/longer + random.Float64())
		x := seen * longer
		b.N += seen
		b.NN += seen * seen
		b.X += x
		b.XX += x * x
	}
	return b
}

// An estimate is within two standard errors of what there is in 95 of 100 runs, whatever recording took of windows. In a thousand runs
// with this seed it is not by chance that it is in fewer than 93 of 100.
func TestEstimates(t *testing.T) {
	const windows, of, runs = 100, 100, 1000
	for _, tt := range []struct{ n, cost float64 }{{1, 0}, {100, 0}, {100, 0.001}, {1000, 0.01}} {
		random := rand.New(rand.NewPCG(1, 2))
		s := &Sampling{N: of, Windows: windows, OpenNS: 1e6, NetNS: 1e6, OfNS: of * 1e6}
		within, sum := 0, 0.0
		truth := windows * of * tt.n / 2
		for range runs {
			b := simulate(random, windows, tt.n, tt.cost)
			m := Marker{Count: uint64(b.N)}
			Windows(&m, s, b, windows)
			sum += float64(m.Count)
			if math.Abs(float64(m.Count)-truth) <= 2*m.CountSE() {
				within++
			}
		}
		if within < runs*93/100 {
			t.Errorf("%g passages a window of which each takes %g: %d of %d estimates within two standard errors", tt.n, tt.cost, within, runs)
		}
		if mean := sum / runs / truth; math.Abs(mean-1) > 0.02 {
			t.Errorf("%g passages a window of which each takes %g: %.3f of what there is, on average", tt.n, tt.cost, mean)
		}
	}
}

// The more recording takes of windows the less an estimate is sure, and what no window has shown may have come once.
func TestCountVar(t *testing.T) {
	s := &Sampling{N: 10, Windows: 4000, OpenNS: 64_000_000, NetNS: 64_000_000, OfNS: 640_000_000}
	alike := func(longer float64) *Sums {
		return &Sums{N: 1000, NN: 1000, X: 1000 * longer, XX: 1000 * longer * longer}
	}
	for longer, want := range map[float64]float64{1: 0, 1.25: 0.2, 2: 0.5, 10: 0.9} {
		b := alike(longer)
		if got := math.Sqrt(countVar(s, b, 1000)) / (b.X * Factor(s)); math.Abs(got-want) > 0.01 {
			t.Errorf("windows %g times as long as their net time: ± %.3f, want %g", longer, got, want)
		}
	}
	m := Marker{}
	Windows(&m, s, &Sums{}, 1000)
	if m.Count != 0 || m.CountSE() != 10 || !m.Sampled() {
		t.Errorf("in no window of a tenth of the time: %d ± %g", m.Count, m.CountSE())
	}
}

// Where recording took more than half of the windows in which a marker was passed its estimate is not to be relied on, and which it was most of is said.
func TestDoubts(t *testing.T) {
	r := &run{input: &input{name: "run.markgen"}, Profile: &Profile{}, ordered: []*table{{Table: &Table{Markers: []*Marker{{Name: "parse"}, {Name: "next"}, {Name: "peek"}}}}}}
	for number, longer := range []float64{1.5, 4, 3} {
		r.doubt(&Marker{Count: 10}, &batchSums{Sums: Sums{N: 10, X: 10 * longer}}, uint64(number))
	}
	r.doubt(&Marker{}, &batchSums{}, 0)
	r.warnOfDoubts()
	want := []string{"run.markgen: the estimates of 2 markers are not to be relied on: recording took more than half of the windows in which they were passed, " +
		"75 % of those of next; count them (countdown), or leave out what is passed most (skip=)"}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// A run that does not tell how far off its mean may be makes that of a sum as much less sure as there is of it.
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
	part := Marker{Sample: 10, Samples: 3, Seen: 30, Count: 30, Buckets: []Bucket{{K: 6, Count: 30, SumNS: 3000}}}
	none := Marker{Sample: 10, Seen: 2, Count: 2} // none of them was timed
	for _, list := range [][]*Marker{{&all, &part, &none}, {&none, &part, &all}, {&part, &all, &none}} {
		var sum Marker
		for _, m := range list {
			sum.Add(m)
		}
		if got := sum.Taken(); got != 43 {
			t.Errorf("%d of %d times were taken, want 43 of 70", got, sum.Timed())
		}
	}
	var sum Marker
	sum.Add(&all)
	sum.Add(&all)
	if got := sum.Taken(); got != 80 {
		t.Errorf("of runs that recorded all: %d times were taken, want 80", got)
	}
}
