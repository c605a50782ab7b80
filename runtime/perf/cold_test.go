//go:build !markgen_off

package perf

import (
	"math"
	"math/rand/v2"
	"testing"
)

// How long programs take to get under way in a window shows in what is missing in the first halves.
func TestCold(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const (
		alone   = 70.0
		usual   = coldUsual * alone
		markers = 400.0
		ticks   = 3_000_000.0
	)
	for _, tt := range []struct {
		what        string
		windows     int
		cold        float64 // ticks for each marker
		noise       float64 // how much more or less is passed in windows, and in their halves half as much
		idle        float64 // part of the windows in which nothing is passed
		least, most float64
		unsure      float64 // at most, as a part
	}{
		{"few", 5, 1000, 0, 0, usual, usual, 0.7},
		{"steady", 30, 1000, 0.1, 0, 850, 1150, 0.15},
		{"cheap", 30, 10, 0.1, 0, 0, 200, 20},
		{"unsteady", 30, 1500, 0.6, 0, 800, 2100, 0.6},
		{"now and then", 60, 1000, 0.1, 0.5, 800, 1200, 0.2},
	} {
		c := coldStart{}
		for range tt.windows {
			first := ticks * (0.3 + 0.4*random.Float64())
			pace := 0.03 * math.Exp(tt.noise*random.NormFloat64())
			if random.Float64() < tt.idle {
				pace = 0
			}
			half := func(ticks float64) float64 {
				return math.Round(pace * math.Exp(tt.noise/2*random.NormFloat64()) * max(ticks, 0))
			}
			h := halves{ticks: [2]float64{first, ticks - first}, n: [2]float64{half(first - tt.cold*markers)}}
			c.half, c.halved = h, true
			c.saw(h.n[0]+half(ticks-first), markers)
		}
		got := c.each(alone)
		unsure := math.Sqrt(got.unsure) / got.v
		t.Logf("%s: %.0f ± %.2g", tt.what, got.v, unsure)
		if got.v < tt.least || got.v > tt.most || unsure > tt.unsure {
			t.Errorf("%s: %.0f ± %.2g, want %g to %g ± %g", tt.what, got.v, unsure, tt.least, tt.most, tt.unsure)
		}
		if c.n > 0 && (c.passed < 0.9*markers || c.passed > markers) {
			t.Errorf("%s: %g markers are passed in a window of %g", tt.what, c.passed, markers)
		}
	}
	if got := (&coldStart{}).each(alone); got.v != usual {
		t.Errorf("before any window: %g", got.v)
	}
}
