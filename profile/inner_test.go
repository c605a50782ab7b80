package profile

import (
	"math"
	"testing"
)

// Of calls that take longer than a window no more than their beginnings are recorded, and so of what is inside.
func TestCovered(t *testing.T) {
	within := func(d float64) float64 { return inWindow(d, 1000) }
	for _, tt := range []struct {
		ns, want float64
	}{{1, 0.9995}, {500, 0.75}, {1000, 0.5}, {10_000, 0.05}, {1e6, 0.0005}} {
		k := uint8(math.Log2(tt.ns))
		if got := covered([]Bucket{{K: k, Count: 7, SumNS: 7 * uint64(tt.ns)}}, within); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("calls of %g ns: %g of what is inside, want %g", tt.ns, got, tt.want)
		}
	}
	if got := covered(nil, within); got != 1 {
		t.Errorf("no calls: %g", got)
	}
	s := &windows{Sampling: Sampling{N: 20, Windows: 10, OpenNS: 10_000, NetNS: 10_000, OfNS: 200_000}}
	s.goBy(calls{known: true, n: 10, covered: 0.05}, 1)
	if f := s.factor(); math.Abs(f-400) > 1e-9 {
		t.Errorf("calls of ten times a window: %g for each passage, want 400", f)
	}
	if se := math.Sqrt(s.countVar(1, 1, 0, 0, 1)); se < 400 {
		t.Errorf("calls of ten times a window: 400 ± %g", se)
	}
	s.goBy(calls{known: true}, 1)
	if together := s.together(pace{1000, 1000, 1_000_000}, 1, 1e9, 0, 0); together*s.factor() < 199 {
		t.Errorf("no call in a window: %g passages may be missing of one every µs", together*s.factor())
	}
}

// What took long before, and few passages were in windows to tell that it came no more, is in what a mean is unsure by; but for the first.
func TestVariedBefore(t *testing.T) {
	passages := func(n, each, long uint64) *Marker {
		m := &Marker{Count: n, Buckets: []Bucket{{K: bucketOf(each), Count: n - 1, SumNS: (n - 1) * each, SumSq: Uint128{Lo: (n - 1) * each * each}}}}
		m.Buckets = append(m.Buckets, Bucket{K: bucketOf(long), Count: 1, SumNS: long, SumSq: Square(long)})
		return m
	}
	for _, tt := range []struct {
		name  string
		first bool
		n     float64
		want  float64 // part of the standard error of one passage, as by those before alone
	}{
		{"few", false, 500, math.Sqrt(1000.0 / 1500)},
		{"enough", false, 3000, 0},
		{"the first", true, 500, 0},
	} {
		m := passages(1000, 100, 60_000_000)
		if tt.first {
			m.First = Firsts{60_000_000, 60_000_000, m.Buckets[1:]}
		}
		var s windows
		s.variedBefore([]*Marker{m}, tt.n)
		if got := math.Sqrt(s.varied) / m.StddevNS(); math.Abs(got-tt.want) > 0.01 {
			t.Errorf("%s: %.3g of the standard deviation before, want %.3g", tt.name, got, tt.want)
		}
	}
}
