//go:build !markgen_off

package perf

import (
	"math"
	"testing"

	"github.com/markgen/markgen/runtime/internal/random"
)

// seed=0 is a seed like any other, and different from no seed.
func TestSeed(t *testing.T) {
	var zero settings
	if zero.Set("seed=0"); random.Mix(zero.Seed) == 0 {
		t.Error("seed=0 is none")
	}
}

func TestGap(t *testing.T) {
	for _, n := range []uint64{1, 2, 10, 1000} {
		sum := uint64(0)
		for range 10_000 {
			for t := now(); now() == t; { // the clock may have a large step, and gap is the same within one step
			}
			g := gap(n)
			if g < 1 || g > 2*n-1 {
				t.Fatalf("1:%d: %d", n, g)
			}
			sum += g
		}
		if mean := float64(sum) / 10_000; math.Abs(mean/float64(n)-1) > 0.05 {
			t.Errorf("1:%d: mean %g", n, mean)
		}
	}
}

// A window that has not begun when the run ends is not counted: what was recorded in it would be a
// share of nothing.
func TestWindowNotBegun(t *testing.T) {
	collected(t)
	lock()
	defer unlock()
	s := sampler{rate: 100, width: 1000, since: profiledTicks() + 1<<40}
	if s.take(); s.count != 0 || s.pending != 0 {
		t.Errorf("%d windows of %d ticks", s.count, s.pending)
	}
}
