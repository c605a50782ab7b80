//go:build !markgen_off

package perf

import "testing"

// The functions that run marked in thin windows are those that are passed seldom, if they are passed often enough to tell more than
// all do, whose passages cost something, too.
func TestMostToPass(t *testing.T) {
	for _, tt := range []struct {
		functions       []float64 // how often each was passed, the seldom ones first
		net, thin, want float64
	}{
		{nil, 10, 10, 0},
		{[]float64{1000}, 10, 10, 1000},
		{[]float64{2, 5}, 10, 10, 5},
		{[]float64{5, 100_000}, 10, 10, 100_000}, // those passed seldom are too few: all
		{[]float64{20, 100_000}, 2, 10, 20},
		{[]float64{9, 100_000}, 20, 10, 100_000}, // they would tell less
		{[]float64{2000, 100_000}, 20, 10, 2000},
		{[]float64{1, 2, 3, 4, 5, 2000, 100_000}, 20, 10, 2000},
		{[]float64{300, 300, 10_000, 100_000}, 20, 10, 10_000},
		{[]float64{300, 300, 50_000, 100_000}, 20, 30, 300},
	} {
		var all float64
		for _, n := range tt.functions {
			all += n
		}
		if got := mostToPass(tt.functions, all, tt.net, tt.thin); got != tt.want {
			t.Errorf("%g, %g ticks net and %g unsure: %g, want %g", tt.functions, tt.net, tt.thin, got, tt.want)
		}
	}
}
