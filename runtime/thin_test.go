//go:build !markgen_off

package runtime

import "testing"

// The functions that run marked in thin windows are passed often enough, and else as seldom as can be.
func TestMostToPass(t *testing.T) {
	for _, tt := range []struct {
		functions    []float64 // how often each was passed, the seldom ones first
		enough, want float64
	}{
		{nil, 10, 0},
		{[]float64{1000}, 10, 1000},
		{[]float64{5, 100_000}, 10, 100_005}, // those passed seldom are too few: all
		{[]float64{20, 100_000}, 10, 20},
		{[]float64{1, 2, 3, 4, 5, 500, 100_000}, 10, 500},
		{[]float64{1, 2, 3, 4, 5, 2000, 100_000}, 10, 5},
		{[]float64{1, 2, 3, 4, 5, 2000, 100_000}, 100, 2000}, // all/32
		{[]float64{40_000, 100_000}, 10, 40_000},             // all/2
		{[]float64{60_000, 60_000}, 10, 60_000},
		{[]float64{30, 30, 30, 10_000}, 10, 30},
	} {
		var all float64
		for _, n := range tt.functions {
			all += n
		}
		if got := mostToPass(tt.functions, all, tt.enough); got != tt.want {
			t.Errorf("%g, of which %g are enough: %g, want %g", tt.functions, tt.enough, got, tt.want)
		}
	}
}
