package shape_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/shape"
	"github.com/markgen/markgen/tier"
)

// Good data decide for the right order; bad data rarely decide for a wrong one. The seeds are
// fixed, so the rates are reproducible.
func TestGrowth(t *testing.T) {
	laws := []struct {
		order string // "" if it is none of shape.Orders
		f     law
		c     float64 // its exponent; 0 if it has none
	}{
		{"O(1)", func(float64) float64 { return 50 }, 0},
		{"O(log n)", func(n float64) float64 { return 10 + 8*math.Log2(n) }, 0},
		{"O(n)", func(n float64) float64 { return 20 + 0.6*n }, 1},
		{"O(n log n)", func(n float64) float64 { return 20 + 1.5*n*math.Log2(n) }, 0},
		{"O(n²)", func(n float64) float64 { return 30 + 0.4*n*n }, 2},
		{"", func(n float64) float64 { return 30 + 0.4*math.Pow(n, 1.5) }, 1.5},
		{"", func(n float64) float64 { return 30 + 0.1*n*n*n }, 3},
	}
	for _, tt := range []struct {
		name    string
		noise   noise
		most    int     // largest size
		decided float64 // minimum fraction of samples decided correctly
		wrong   float64 // maximum fraction decided wrongly
	}{
		{"clean", noise{scatter: 0.1}, 1 << 12, 0.98, 0},
		{"clean, wide", noise{scatter: 0.1}, 1 << 16, 0.98, 0},
		{"clean, narrow", noise{scatter: 0.1}, 1 << 8, 0, 0},
		{"noisy", noise{0.3, 0.001, 1e5, 0.05}, 1 << 12, 0.85, 0.02},
		{"noisy, wide", noise{0.3, 0.001, 1e5, 0.05}, 1 << 16, 0.95, 0.02},
		{"noisy, narrow", noise{0.3, 0.001, 1e6, 0.1}, 1 << 8, 0, 0.2},
		{"uneven", noise{0.1, 0.0001, 4e6, 0.2}, 1 << 16, 0, 0.05},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, l := range laws {
				samples := 60
				if !tier.InCorpus() {
					samples = 20
				}
				right, wrong, covered := 0, 0, 0
				for i := range samples {
					r := rand.New(rand.NewPCG(uint64(i), 1))
					g := shape.Of(marker(false, grown(r, l.f, tt.noise, 8, tt.most, 200)...), shape.Options{}).Growth
					switch {
					case g.Order == "" && g.Need == "":
						t.Fatalf("%s: undecided, and nothing is needed: %+v", l.order, g)
					case g.Order == l.order:
						right++
					case g.Order != "":
						wrong++
					}
					if g.ExponentLo <= l.c && l.c <= g.ExponentHi {
						covered++
					}
					if (g.Order != "") != (g.Verdict != shape.Undecided) || (g.Verdict == shape.No) != (g.Order == "O(1)") {
						t.Fatalf("%s and %s", g.Verdict, g.Order)
					}
				}
				if l.order == "" {
					right = samples - wrong
				}
				if float64(right) < tt.decided*float64(samples) || float64(wrong) > tt.wrong*float64(samples) {
					t.Errorf("%s, exponent %v: %d of %d are right and %d wrong", l.order, l.c, right, samples, wrong)
				}
				if l.c > 0 && covered < samples*85/100 {
					t.Errorf("exponent %v is within its bounds in %d of %d", l.c, covered, samples)
				}
			}
		})
	}
}

// The formula agrees with the law of the data.
func TestGrowthFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	g := shape.Of(marker(false, grown(r, func(n float64) float64 { return 200 + 3*n }, noise{scatter: 0.05}, 8, 1<<14, 300)...), shape.Options{}).Growth
	if g.Order != "O(n)" || g.PerNS < 2.85 || g.PerNS > 3.15 || g.PerLoNS > 3 || g.PerHiNS < 3 || g.ConstNS < 180 || g.ConstNS > 220 || g.RatioLo < 50 || g.RatioHi < g.RatioLo {
		t.Errorf("%+v", g)
	}
	if want := "ns · n ± 5 %; exponent 1.00 (0.98 to 1.02); from 12 sizes from 11.5 to 24,454, 3,600 calls"; !strings.HasPrefix(g.Evidence, "O(n), ") || !strings.HasSuffix(g.Evidence, want) {
		t.Errorf("%s", g.Evidence)
	}
}

// If small inputs are handled differently, the formula is that of large ones.
func TestGrowthOfLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	f := func(n float64) float64 {
		if n < 64 {
			return 4 * n
		}
		return 12 * n * math.Log2(n)
	}
	g := shape.Of(marker(false, grown(r, f, noise{scatter: 0.1}, 4, 1<<15, 200)...), shape.Options{}).Growth
	if g.Order != "O(n log n)" || g.FromN < 32 || g.FromN > 256 || !strings.Contains(g.Evidence, "smaller ones left out") {
		t.Errorf("%+v", g)
	}
}

// With too few data, Need names what is missing.
func TestGrowthMissing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	linear := func(n float64) float64 { return 10 * n }
	for _, tt := range []struct {
		list []call
		need string
	}{
		{[]call{{0, 10}, {0, 12}}, "inputs that are not empty"},
		{[]call{{5, 10}, {5, 12}}, "which is a factor of 16; there is one of 1"},
		{grown(r, linear, noise{}, 16, 64, 50), "which is a factor of 16; there is one of 4."},
		{slices.Concat(grown(r, linear, noise{}, 4, 4, 50), grown(r, linear, noise{}, 1024, 1024, 50)), "5 sizes, each twice as large as the one before; there are 2"},
	} {
		g := shape.Of(marker(false, tt.list...), shape.Options{}).Growth
		if g.Verdict != shape.Undecided || g.Order != "" || !strings.Contains(g.Need, tt.need) {
			t.Errorf("%+v, want %q", g, tt.need)
		}
	}
	s := shape.Of(marker(false, call{-1, 10}), shape.Options{})
	if s.Growth != nil || !strings.Contains(strings.Join(s.Warnings, "\n"), "build with -sizes") {
		t.Errorf("%+v", s)
	}
}

// Old data without typical times are used as they are.
func TestGrowthWithoutTypical(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	m := marker(false, grown(r, func(n float64) float64 { return 20 + 2*n }, noise{scatter: 0.1}, 8, 1<<13, 100)...)
	for i := range m.Sizes {
		m.Sizes[i].Logged, m.Sizes[i].SumLog, m.Sizes[i].SumLogSq = 0, 0, 0
	}
	if g := shape.Of(m, shape.Options{}).Growth; g.Order != "O(n)" {
		t.Errorf("%+v", g)
	}
}

// Any input gives an answer.
func TestAny(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		m := &profile.Marker{Count: r.Uint64() >> r.IntN(64)}
		for k := range uint8(64) {
			if r.IntN(4) == 0 {
				n := r.Uint64()>>r.IntN(64) | 1
				m.Buckets = append(m.Buckets, profile.Bucket{K: k, Count: n, SumNS: r.Uint64() >> r.IntN(64), SumSq: profile.Uint128{Hi: r.Uint64() >> r.IntN(64), Lo: r.Uint64()}})
				m.Sizes = append(m.Sizes, profile.SizeBucket{K: k, Count: n, SumSize: profile.Uint128{Lo: r.Uint64() >> r.IntN(64)}, SumNS: r.Uint64() >> r.IntN(64),
					SumSq: profile.Uint128{Hi: r.Uint64() >> r.IntN(64), Lo: r.Uint64()}, Logged: n, SumLog: r.Uint64() >> r.IntN(64), SumLogSq: r.Uint64() >> r.IntN(64)})
			}
		}
		if r.IntN(2) == 0 && len(m.Buckets) > 0 {
			b := m.Buckets[0]
			m.First = profile.Firsts{MinNS: b.LoNS(), MaxNS: b.HiNS() - 1, Buckets: m.Buckets[:1]}
		}
		m.MaxNS = r.Uint64() >> r.IntN(64)
		s := shape.Of(m, shape.For(&profile.Profile{Markers: []profile.Marker{*m, *m, *m, *m}}))
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("%v: %+v %+v %+v %+v %+v", err, s.Growth, s.Steady, s.Startup, s.Modes, s.Tail)
		}
		for _, line := range s.Evidence() {
			if line.Evidence == "" || strings.Contains(line.Evidence, "NaN") || strings.Contains(line.Evidence, "Inf") {
				t.Fatalf("%+v of %s", line, text)
			}
		}
	}
}
