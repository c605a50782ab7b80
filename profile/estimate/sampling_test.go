package estimate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/markgen/markgen/profile"
)

// simulate returns the sums of windows of a program that alternates between two activities of
// random duration. The first has n calls per window, and recording each takes cost, as a fraction
// of a window.
func simulate(random *rand.Rand, batches int, n, cost float64) *Sums {
	const rate = 100
	b := &Sums{}
	for range batches {
		dense := 0.0
		if random.Float64() < 0.5 {
			dense = 1
		}
		longer := 1 + n*dense*cost // by how much a window shows less
		seen := math.Floor(n*dense/longer + random.Float64())
		x := seen * rate * longer
		b.N += seen
		b.W += seen * rate
		b.NN += seen * seen
		b.X += x
		b.XX += x * x
	}
	return b
}

// An estimate is within two standard errors of the true value in at least 93 of 100 runs, whatever
// fraction of windows recording took. The seed is fixed, so a failure is never by chance.
func TestEstimates(t *testing.T) {
	const windows, of, runs = 100, 100, 1000
	for _, tt := range []struct{ n, cost float64 }{{1, 0}, {100, 0}, {100, 0.001}, {1000, 0.01}} {
		random := rand.New(rand.NewPCG(1, 2))
		within, sum := 0, 0.0
		truth := windows * of * tt.n / 2
		for range runs {
			b := simulate(random, windows, tt.n, tt.cost)
			m := profile.Marker{Count: uint64(b.N)}
			Windows(&m, of, 1, b, windows)
			sum += float64(m.Count)
			if math.Abs(float64(m.Count)-truth) <= 2*m.CountSE() {
				within++
			}
		}
		if within < runs*93/100 {
			t.Errorf("%g scopes a window of which each takes %g: %d of %d estimates within two standard errors", tt.n, tt.cost, within, runs)
		}
		if mean := sum / runs / truth; math.Abs(mean-1) > 0.02 {
			t.Errorf("%g scopes a window of which each takes %g: %.3f of what there is, on average", tt.n, tt.cost, mean)
		}
	}
}

// The uncertainty grows with the fraction of windows that recording took, and includes one missed
// call if no window had any.
func TestCountVar(t *testing.T) {
	alike := func(longer float64) *Sums {
		x := 10_000 * longer
		return &Sums{N: 1000, NN: 1000, W: 10_000, X: x, XX: x * x / 1000}
	}
	for longer, want := range map[float64]float64{1: 0, 1.25: 0.2, 2: 0.5, 10: 0.9} {
		b := alike(longer)
		if got := math.Sqrt(countVar(10, 1, b, 1000)) / b.X; math.Abs(got-want) > 0.01 {
			t.Errorf("windows %g times as long as their net time: ± %.3f, want %g", longer, got, want)
		}
	}
	m := profile.Marker{}
	Windows(&m, 10, 1, &Sums{}, 1000)
	if m.Count != 0 || m.CountSE() != 10 || !m.Sampled() {
		t.Errorf("in no window of a tenth of the time: %d ± %g", m.Count, m.CountSE())
	}
}
