//go:build !markgen_off

package perf

import "testing"

// The cost of scopes is the median over the latest rounds; with two in the middle, the lower one.
func TestTypical(t *testing.T) {
	defer func(n int, c [maxRounds]scopeCosts) { rounds, costs = n, c }(rounds, costs)
	for _, test := range []struct {
		measured []uint64
		want     uint64
	}{
		{[]uint64{50}, 50},
		{[]uint64{50, 28}, 28},
		{[]uint64{28, 50}, 28},
		{[]uint64{50, 52, 28}, 50},
		{[]uint64{50, 52, 28, 29, 27}, 29},
		{append(make([]uint64, 20), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 8},
	} {
		rounds, costs = 0, [maxRounds]scopeCosts{}
		for _, v := range test.measured {
			costs[rounds%maxRounds].inside = v
			rounds++
		}
		if got := typical(func(c *scopeCosts) uint64 { return c.inside }); got != test.want {
			t.Errorf("%d: %d, want %d", test.measured, got, test.want)
		}
	}
}
