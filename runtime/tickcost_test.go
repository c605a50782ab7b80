//go:build !markgen_off

package runtime

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What counting costs shows in how much less often scopes are passed in the windows in which counters count.
func TestCounting(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const (
		own     = 6.0 // ticks, half of what it takes alone
		cost    = 2.0
		counts  = 64.0 // for each scope
		scope   = 300.0
		windows = 100_000.0
	)
	for _, tt := range []struct {
		what        string
		batches     int
		noise       float64 // of how often scopes are passed, from batch to batch
		least, most float64
	}{
		{"few batches", 10, 0, own, own},
		{"steady", 200, 0.05, 1.8, 2.2},
		{"long", 5000, 0.5, 1.5, 2.6},
		{"unsteady", 40, 1, 1, own},
	} {
		c := counting{alone: own * (2 << costBits), chosen: true}
		for i := range tt.batches {
			c.on = i%2 == 0
			took := scope * math.Exp(tt.noise*random.NormFloat64())
			var counted float64
			if c.on {
				took += counts * cost
				counted = windows / took * counts
			}
			c.learn(windows, windows/took, windows, counted)
		}
		if got := c.cost(); got < tt.least || got > tt.most {
			t.Errorf("%s: counting costs %.2f, want %g to %g", tt.what, got, tt.least, tt.most)
		}
	}
	c := counting{alone: own * (2 << costBits), chosen: true}
	for i := range 1000 {
		c.on = i%2 == 0
		c.learn(windows, 0, windows, 1000) // of nothing but counters
	}
	if got := c.cost(); got != own {
		t.Errorf("where no scope is passed counting costs %g", got)
	}
}
