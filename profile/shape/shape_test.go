package shape_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/shape"
)

// drawn returns calls without a size, with times from a distribution.
func drawn(n int, ns func() float64) (list []call) {
	for range n {
		list = append(list, call{-1, ns()})
	}
	return list
}

// rate returns the fraction of samples in which a property is found.
func rate(samples int, found func(r *rand.Rand) bool) float64 {
	n := 0
	for i := range samples {
		if found(rand.New(rand.NewPCG(uint64(i), 99))) {
			n++
		}
	}
	return float64(n) / float64(samples)
}

func lognormal(r *rand.Rand, median, sigma float64) func() float64 {
	return func() float64 { return median * math.Exp(sigma*r.NormFloat64()) }
}

// One mode is rarely split, however wide, and two modes are found from a factor of about three, if
// few calls lie between.
func TestModes(t *testing.T) {
	two := func(r *rand.Rand, n int, far, share, sigma float64) []call {
		quick, slow := lognormal(r, 300, sigma), lognormal(r, 300*far, sigma)
		return drawn(n, func() float64 {
			if r.Float64() < share {
				return slow()
			}
			return quick()
		})
	}
	for _, tt := range []struct {
		name        string
		draw        func(r *rand.Rand) []call
		least, most float64
	}{
		{"narrow", func(r *rand.Rand) []call { return drawn(5000, lognormal(r, 300, 0.05)) }, 0, 0},
		{"lognormal", func(r *rand.Rand) []call { return drawn(5000, lognormal(r, 1000*(1+r.Float64()), 0.5)) }, 0, 0.01},
		{"wide", func(r *rand.Rand) []call { return drawn(5000, lognormal(r, 1000*(1+r.Float64()), 1.5)) }, 0, 0.01},
		{"few", func(r *rand.Rand) []call { return drawn(100, lognormal(r, 1000*(1+r.Float64()), 1)) }, 0, 0.01},
		{"exponential", func(r *rand.Rand) []call { return drawn(5000, func() float64 { return 1e5 * r.ExpFloat64() }) }, 0, 0.01},
		{"even", func(r *rand.Rand) []call { return drawn(5000, func() float64 { return 1e6 * r.Float64() }) }, 0, 0.01},
		{"short, in steps of a clock", func(r *rand.Rand) []call { return drawn(5000, func() float64 { return 19 * float64(r.IntN(3)) }) }, 0, 0},
		{"far apart", func(r *rand.Rand) []call { return two(r, 2000, 100, 0.1, 0.4) }, 1, 1},
		{"five times", func(r *rand.Rand) []call { return two(r, 2000, 5, 0.3, 0.15) }, 0.99, 1},
		{"three times, narrow", func(r *rand.Rand) []call { return two(r, 2000, 3, 0.5, 0.03) }, 0.95, 1},
		{"a rare kind", func(r *rand.Rand) []call { return two(r, 20_000, 50, 0.02, 0.3) }, 0.99, 1},
		{"one that is too rare", func(r *rand.Rand) []call { return two(r, 20_000, 50, 0.002, 0.3) }, 0, 0},
	} {
		got := rate(200, func(r *rand.Rand) bool {
			v := shape.Of(marker(false, tt.draw(r)...), shape.Options{QuantumNS: 1}).Modes
			if (v.Verdict == shape.Yes) != (len(v.List) > 1) {
				t.Fatalf("%s: %+v", tt.name, v)
			}
			return v.Verdict == shape.Yes
		})
		if got < tt.least || got > tt.most {
			t.Errorf("%s: two modes in %v of the samples, want from %v to %v", tt.name, got, tt.least, tt.most)
		}
	}
}

// Modes agree with the distribution of the data.
func TestModesShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	list := slices.Concat(drawn(9000, lognormal(r, 200, 0.1)), drawn(1000, lognormal(r, 20_000, 0.1)))
	v := shape.Of(marker(false, list...), shape.Options{}).Modes
	if len(v.List) != 2 || v.List[0].Calls != 9000 || v.List[1].Share != 0.1 || math.Abs(v.List[1].MedianNS/20_000-1) > 0.1 || v.List[0].Valley != 0 {
		t.Fatalf("%+v", v)
	}
	if !strings.HasPrefix(v.Evidence, "90 % of calls about ") || !strings.Contains(v.Evidence, "10 % of calls about ") {
		t.Error(v.Evidence)
	}
}

func TestTail(t *testing.T) {
	pareto := func(r *rand.Rand, a float64) func() float64 {
		return func() float64 { return 1000 * math.Pow(1-r.Float64(), -1/a) }
	}
	for _, tt := range []struct {
		name        string
		ns          func(r *rand.Rand) func() float64
		n           int
		least, most float64
	}{
		{"exponential", func(r *rand.Rand) func() float64 { return func() float64 { return 5000 * r.ExpFloat64() } }, 10_000, 0, 0},
		{"lognormal", func(r *rand.Rand) func() float64 { return lognormal(r, 5000, 0.8) }, 10_000, 0, 0},
		{"even", func(r *rand.Rand) func() float64 { return func() float64 { return 5000 + 1000*r.Float64() } }, 10_000, 0, 0},
		{"pareto, no mean", func(r *rand.Rand) func() float64 { return pareto(r, 0.9) }, 10_000, 1, 1},
		{"pareto, no variance", func(r *rand.Rand) func() float64 { return pareto(r, 1.3) }, 10_000, 0.99, 1},
		{"too few", func(r *rand.Rand) func() float64 { return pareto(r, 0.9) }, 1000, 0, 0},
		{"of short calls", func(r *rand.Rand) func() float64 {
			return func() float64 {
				if r.Float64() < 0.005 {
					return 1000
				}
				return 20
			}
		}, 10_000, 0, 0},
	} {
		got := rate(100, func(r *rand.Rand) bool {
			return shape.Of(marker(false, drawn(tt.n, tt.ns(r))...), shape.Options{}).Tail.Verdict == shape.Yes
		})
		if got < tt.least || got > tt.most {
			t.Errorf("%s: heavy in %v of the samples, want from %v to %v", tt.name, got, tt.least, tt.most)
		}
	}

	// The index agrees with the law, and its interval has the promised coverage.
	for _, a := range []float64{0.8, 1.5, 2.5} {
		if got := rate(200, func(r *rand.Rand) bool {
			v := shape.Of(marker(false, drawn(10_000, pareto(r, a))...), shape.Options{}).Tail
			return v.IndexLo <= a && a <= v.IndexHi && v.IndexLo < v.Index && v.Index < v.IndexHi
		}); got < 0.9 {
			t.Errorf("an index of %v is within its bounds in %v", a, got)
		}
	}
}

// Delays that hit all markers of a program are not reported as a heavy tail of any.
func TestNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	waits := func(ns float64) float64 { // once in 5 ms of running for 2 ms
		if r.Float64() < ns/5e6 {
			return ns + 2e6*r.ExpFloat64()
		}
		return ns
	}
	p := &profile.Profile{}
	for i := range 8 {
		p.Markers = append(p.Markers, *marker(false, drawn(20_000, func() float64 { return waits(3000 * float64(i+3)) })...))
	}
	own := *marker(false, drawn(20_000, func() float64 {
		if r.Float64() < 0.005 {
			return 1e6
		}
		return waits(3000)
	})...)
	p.Markers = append(p.Markers, own)
	for i := range p.Markers {
		m := &p.Markers[i]
		alone, among := shape.Of(m, shape.Options{}).Tail, shape.Of(m, shape.For(p)).Tail
		if alone.Verdict != shape.Yes || (among.Verdict == shape.Yes) != (i == 8) {
			t.Errorf("marker %d: %+v, and among the others %+v", i, alone, among)
		}
	}
}

func TestSteady(t *testing.T) {
	for _, tt := range []struct {
		name string
		ns   func(r *rand.Rand) func() float64
		n    int
		want shape.Verdict
	}{
		{"alike", func(r *rand.Rand) func() float64 { return lognormal(r, 5000, 0.05) }, 1000, shape.Yes},
		{"with a few that wait", func(r *rand.Rand) func() float64 {
			return func() float64 {
				if r.Float64() < 0.01 {
					return 1e6
				}
				return 5000 + 100*r.Float64()
			}
		}, 1000, shape.Yes},
		{"by what a clock tells", func(r *rand.Rand) func() float64 { return func() float64 { return float64(r.IntN(5)) } }, 1000, shape.Yes},
		{"different", func(r *rand.Rand) func() float64 { return lognormal(r, 5000, 0.5) }, 1000, shape.No},
		{"few", func(r *rand.Rand) func() float64 { return lognormal(r, 5000, 0.05) }, 50, shape.Undecided},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		v := shape.Of(marker(false, drawn(tt.n, tt.ns(r))...), shape.Options{}).Steady
		if v.Verdict != tt.want || (v.Need == "") != (v.Verdict != shape.Undecided) {
			t.Errorf("%s: %+v, want %s", tt.name, v, tt.want)
		}
	}
}

// runs returns a sum of runs with first and later calls.
func runs(firsts []float64, later func() float64, n int) *profile.Marker {
	sum := &profile.Profile{}
	for _, ns := range firsts {
		m := marker(true, append([]call{{-1, ns}}, drawn(n, later)...)...)
		m.ID, m.Kind, m.Name = 1, "func", "p.F"
		sum = profile.Merge([]*profile.Profile{sum, {Runs: 1, Markers: []profile.Marker{*m}}})
	}
	return &sum.Markers[0]
}

func TestStartup(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	usual := lognormal(r, 200, 0.5)
	for _, tt := range []struct {
		name   string
		firsts []float64
		later  func() float64
		n      int
		want   shape.Verdict
		says   string
	}{
		{"built once", []float64{3e6}, usual, 1000, shape.Yes, "first call 3ms, later ones "},
		{"in each run", []float64{3e6, 2e6, 4e6, 3e6}, usual, 1000, shape.Yes, "(median of 4 runs, from 2ms)"},
		{"few later calls, many runs", []float64{3e6, 2e6, 4e6, 3e6, 3e6}, usual, 5, shape.Yes, "times as long"},
		{"few later calls, one run", []float64{3e6}, usual, 20, shape.Undecided, "; 0 later calls of 20 were as long"},
		{"cold", []float64{20_000, 30_000}, usual, 1000, shape.No, "cold code and caches"},
		{"like the others", []float64{210, 190}, usual, 1000, shape.No, ""},
		{"all are long", []float64{3e6}, lognormal(r, 3e6, 0.3), 1000, shape.No, ""},
		{"others are as long", []float64{3e6}, func() float64 {
			if r.Float64() < 0.05 {
				return 3e6
			}
			return usual()
		}, 1000, shape.Undecided, "later calls of 1,000 were as long"},
	} {
		v := shape.Of(runs(tt.firsts, tt.later, tt.n), shape.Options{}).Startup
		if v.Verdict != tt.want || !strings.Contains(v.Evidence, tt.says) || v.Runs != uint64(len(tt.firsts)) || v.Later != uint64(tt.n*len(tt.firsts)) {
			t.Errorf("%s: %+v", tt.name, v)
		}
	}
	if v := shape.Of(runs([]float64{3e6}, usual, 0), shape.Options{}).Startup; v.Verdict != shape.Undecided || v.Need != "calls after the first" {
		t.Errorf("only first calls: %+v", v)
	}
	if s := shape.Of(marker(false, drawn(500, usual)...), shape.Options{}); s.Startup != nil || !slices.Contains(s.Warnings, "what the first call took is not known") {
		t.Errorf("%+v", s)
	}

	// Even an absurd number of first calls is handled quickly.
	const n = 1 << 58
	huge := &profile.Marker{Count: 10 * n, MaxNS: 3, Buckets: []profile.Bucket{{K: 0, Count: 3 * n}, {K: 1, Count: 7 * n, SumNS: 2}}}
	huge.First = profile.Firsts{MaxNS: 3, Buckets: []profile.Bucket{{K: 0, Count: n/4 - 1}, {K: 1, Count: 3*n/4 + 1, SumNS: 2}}}
	shape.Of(huge, shape.Options{})

	// If calls are long now and then, a first call like the others is rarely reported as a start-up
	// cost.
	got := rate(2000, func(r *rand.Rand) bool {
		ns := func() float64 {
			if r.Float64() < 0.02 {
				return 1e6
			}
			return 500
		}
		return shape.Of(runs([]float64{ns()}, ns, 300), shape.Options{}).Startup.Verdict == shape.Yes
	})
	if got > 0.01 {
		t.Errorf("a start-up is found by chance in %v", got)
	}
}

func TestAlloc(t *testing.T) {
	for _, tt := range []struct {
		collector                      string
		scopes, objects, bytes, sparse uint64 // sparse: of the calls that allocate nothing
		want                           shape.Verdict
		label                          string
	}{
		{profile.Alloc, 10_000, 0, 0, 10_000, shape.No, "allocation-free"},
		{profile.Alloc, 50, 0, 0, 50, shape.Undecided, ""},
		{profile.Alloc, 10_000, 20_000, 640_000, 0, shape.Yes, "allocates 2 objects"},
		{profile.Alloc, 10_000, 10_000, 640_000, 0, shape.Yes, "allocates 1 object"},
		{profile.Alloc, 10_000, 20_000, 640_000, 9900, shape.Yes, "allocates now and then"},
		{profile.ProcessAlloc, 10_000, 0, 0, 10_000, shape.Undecided, ""},
		{profile.ProcessAlloc, 10_000, 10, 4096, 9999, shape.Undecided, ""},
	} {
		m := marker(false, drawn(int(tt.scopes), func() float64 { return 100 })...)
		objects := profile.Value{Name: profile.AllocObjects, Sum: tt.objects, Self: tt.objects / 2}
		if tt.sparse > 0 {
			objects.Buckets = append(objects.Buckets, profile.ValueBucket{K: 0, Count: tt.sparse})
		}
		if n := tt.scopes - tt.sparse; n > 0 {
			objects.Buckets = append(objects.Buckets, profile.ValueBucket{K: 2, Count: n, Sum: tt.objects})
		}
		m.Readings = []profile.Reading{{Collector: tt.collector, Scopes: tt.scopes, Values: []profile.Value{
			{Name: profile.AllocBytes, Sum: tt.bytes, Self: tt.bytes / 2}, objects}}}
		s := shape.Of(m, shape.Options{})
		if s.Alloc.Verdict != tt.want || tt.label != "" && !slices.Contains(s.Labels(), tt.label) || (s.Alloc.Need != "") != (tt.want == shape.Undecided) {
			t.Errorf("%+v: %+v, %q", tt, s.Alloc, s.Labels())
		}
	}
	if a := shape.Of(marker(false, call{-1, 5}), shape.Options{}).Alloc; a != nil {
		t.Errorf("%+v, and nothing was read", a)
	}
}

// Several properties can hold together.
func TestLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list := append([]call{{100, 9e6}}, grown(r, func(n float64) float64 { return 20 + 2*n }, noise{scatter: 0.1}, 8, 1<<12, 200)...)
	s := shape.Of(marker(true, list...), shape.Options{})
	if got := fmt.Sprint(s.Labels()); got != "[O(n) start-up cost]" {
		t.Error(got)
	}
	for _, line := range s.Evidence() {
		if (line.Verdict == shape.Undecided) != (line.Need != "") {
			t.Errorf("%+v", line)
		}
	}
	if s := shape.Of(&profile.Marker{Count: 5, CountOnly: true}, shape.Options{}); len(s.Labels()) != 0 || len(s.Warnings) != 1 {
		t.Errorf("%+v", s)
	}
	if s := shape.Of(&profile.Marker{}, shape.Options{}); len(s.Labels()) != 0 || len(s.Warnings) != 0 {
		t.Errorf("never reached: %+v", s)
	}
}
