//go:build !markgen_off

package perf

import (
	"math"
	"slices"
	"testing"
)

func TestCommonStep(t *testing.T) {
	for _, tt := range []struct {
		steps []uint64
		want  uint64
	}{
		{nil, 1},
		{[]uint64{1000}, 1000},
		{[]uint64{40, 60, 100}, 20},
		{[]uint64{52, 78, 52, 104, 78, 78, 52, 130}, 26},
		{[]uint64{1, 51, 52, 78, 78, 52, 52, 78, 104, 52, 78, 78, 52, 78, 52, 78}, 26}, // read twice within a step
		{[]uint64{52, 52, 52, 52, 52, 52, 52, 78, 78, 78, 52, 52}, 26},
		{[]uint64{50, 52, 54, 52, 58, 52, 50, 56}, 2},
		{[]uint64{50, 53, 51, 52, 58, 52, 47, 56}, 1},
	} {
		if got := commonStep(tt.steps); got != tt.want {
			t.Errorf("%d: %d, want %d", tt.steps, got, tt.want)
		}
	}
}

func TestRoundedStep(t *testing.T) {
	for _, tt := range []struct {
		steps       []uint64
		least, most float64
	}{
		{nil, 0, 0},
		{[]uint64{1, 2, 3, 4, 5, 6, 7, 1}, 0, 0},
		{[]uint64{24, 25, 24, 49, 25, 73, 49, 98}, 24.3, 24.6},
		{[]uint64{24, 1, 24, 49, 25, 73, 49, 98}, 24.3, 24.6}, // read twice within a step
		{[]uint64{26, 52, 26, 78, 52, 104, 26, 130}, 25.6, 26.4},
		{[]uint64{24, 25, 24, 49, 25, 73, 49, 1 << 40}, 24.3, 24.6}, // something else had the processor
		{[]uint64{50, 52, 54, 61, 58, 52, 47, 56, 44, 65, 71, 39, 40, 83, 77, 92}, 0, 0},
		{[]uint64{30, 34, 38, 42, 46, 50, 54, 58, 62, 66, 70, 74, 78, 82, 86, 90}, 0, 0},
	} {
		got := float64(roundedStep(slices.Clone(tt.steps))) / (1 << costBits)
		if got < tt.least || got > tt.most {
			t.Errorf("%d: %.2f, want %g to %g", tt.steps, got, tt.least, tt.most)
		}
	}
}

// Times of any length come to as many ticks as they are.
func TestFromNS(t *testing.T) {
	defer func(mult uint64) { hot.mult = mult }(hot.mult)
	for _, hz := range []uint64{1e6, 24e6, 1e9, 2_995_200_000, 5e9} {
		hot.mult = multFor(hz)
		for _, ns := range []uint64{0, 1000, 4_000_000_000, 5_000_000_000, 60_000_000_000, 10 * 365 * 24 * 3600 * 1_000_000_000} {
			if got, want := float64(fromNS(ns)), float64(ns)/1e9*float64(hz); math.Abs(got-want) > want/1e6+1 {
				t.Errorf("%d ns at %d Hz are %g ticks, want %g", ns, hz, got, want)
			}
		}
	}
	hot.mult = multFor(5e9)
	if got := fromNS(1<<64 - 1); got != 1<<64-1 {
		t.Errorf("the longest time is %d ticks", got)
	}
}
