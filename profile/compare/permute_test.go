package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCombinations(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for k := 1; k <= n; k++ {
			all := combinations(n, k, false)
			if float64(len(all)) != choices(n, k) {
				t.Errorf("%d sets of %d of %d, want %v", len(all), k, n, choices(n, k))
			}
			seen := map[string]bool{}
			for _, set := range all {
				if !slices.IsSorted(set) || seen[fmt.Sprint(set)] {
					t.Errorf("%d of %d: %v", k, n, set)
				}
				seen[fmt.Sprint(set)] = true
			}
		}
		if half := combinations(2*n, n, true); float64(len(half)) != choices(2*n, n)/2 {
			t.Errorf("%d halves of %d", len(half), 2*n)
		}
	}
}

// Small comparisons use all permutations, large ones a fixed sample; the p-value of the largest
// difference is the smallest possible.
func TestPermute(t *testing.T) {
	for _, tt := range []struct {
		old, fresh int
		sets       int
		all        bool
		smallest   float64
	}{
		{1, 1, 1, true, 1}, {4, 4, 35, true, 1.0 / 35}, {3, 5, 56, true, 1.0 / 56}, {1, 19, 20, true, 1.0 / 20},
		{8, 8, 6435, true, 1.0 / 6435}, {10, 10, maxPermutations, false, 1.0 / (maxPermutations + 1)},
	} {
		perms := permute(tt.old, tt.fresh, 10)
		if len(perms.sets) != tt.sets || perms.all != tt.all || math.Abs(perms.smallest()-tt.smallest) > 1e-12 {
			t.Errorf("%d and %d: %d sets, all %v, smallest %v", tt.old, tt.fresh, len(perms.sets), perms.all, perms.smallest())
		}
		if again := permute(tt.old, tt.fresh, 10); !slices.EqualFunc(perms.sets, again.sets, slices.Equal) {
			t.Errorf("%d and %d: other permutations the second time", tt.old, tt.fresh)
		}
		row := standard(append(make([]float64, tt.old), slices.Repeat([]float64{1}, tt.fresh)...))
		if p := perms.pValue(reached(perms.largest([][]float32{row}), difference(row, tt.old))); tt.all && math.Abs(p-tt.smallest) > 1e-12 {
			t.Errorf("%d and %d that are all different: p %v, want %v", tt.old, tt.fresh, p, tt.smallest)
		}
	}
	if perms := permute(10, 10, 1e6); len(perms.sets) != minPermutations {
		t.Errorf("a million rows: %d sets", len(perms.sets))
	}
}

// The critical difference has a p-value below alpha, and the next smaller one does not.
func TestCritical(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, runs := range []int{2, 4, 6, 10} {
		var rows [][]float32
		for range 20 {
			values := make([]float64, 2*runs)
			for i := range values {
				values[i] = r.NormFloat64()
			}
			rows = append(rows, standard(values))
		}
		perms := permute(runs, runs, len(rows))
		largest := perms.largest(rows)
		critical := float32(perms.critical(largest, 0.05))
		if runs == 2 {
			if !math.IsInf(float64(critical), 1) {
				t.Errorf("two runs: %v", critical)
			}
			continue
		}
		if p := perms.pValue(reached(largest, critical)); p >= 0.05 {
			t.Errorf("%d runs: the critical difference has p %v", runs, p)
		}
		k, _ := slices.BinarySearch(largest, critical)
		if p := perms.pValue(reached(largest, largest[k-1])); p < 0.05 {
			t.Errorf("%d runs: a smaller difference has p %v", runs, p)
		}
	}
}

func TestFewestRuns(t *testing.T) {
	for alpha, want := range map[float64]int{0.05: 4, 0.04: 4, 0.01: 5, 0.001: 7} {
		if n := fewestRuns(alpha); n != want {
			t.Errorf("alpha %v: %d runs, want %d", alpha, n, want)
		}
	}
}

// Coverage of the interval in ten thousand comparisons of samples of one distribution, shifted by
// 0.3.
func TestShift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range [][2]int{{4, 4}, {5, 9}, {10, 10}, {60, 60}} {
		trials := 2000
		if n[0] > 10 {
			trials = 200
		}
		held := 0
		for range trials {
			old, fresh := make([]float64, n[0]), make([]float64, n[1])
			for i := range old {
				old[i] = r.ExpFloat64()
			}
			for i := range fresh {
				fresh[i] = r.ExpFloat64() + 0.3
			}
			estimate, lo, hi := shift(old, fresh)
			if !(lo <= estimate && estimate <= hi) {
				t.Fatalf("%v is not from %v to %v", estimate, lo, hi)
			}
			if lo <= 0.3 && 0.3 <= hi {
				held++
			}
		}
		if share := float64(held) / float64(trials); share < 0.94 || share > 0.99 {
			t.Errorf("%v: the interval of 95 %% holds the shift in %.3f", n, share)
		}
	}
	if _, lo, hi := shift([]float64{1, 2, 3}, []float64{1, 2, 3}); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("three values have an interval from %v to %v", lo, hi)
	}
}

// The mean of the slowest is exact at bucket boundaries, and accurate elsewhere.
func TestSlowest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, share := range []float64{0.01, 0.1, 0.5, 1} {
		var list []uint64
		for range 1000 {
			list = append(list, uint64(1000*math.Exp(0.5*r.NormFloat64())))
		}
		m := marker(0, list)
		slices.Sort(list)
		sum, n := 0.0, share*1000
		for _, ns := range list[1000-int(n):] {
			sum += float64(ns)
		}
		got := slowest(&m, share)
		if want := sum / n; math.Abs(got/want-1) > 0.1 || share == 1 && math.Abs(got-want) > 1e-9 {
			t.Errorf("the slowest %v: %v, want %v", share, got, want)
		}
	}
	one := marker(0, []uint64{7})
	if got := slowest(&one, 0.01); got != 7 {
		t.Errorf("of one scope: %v", got)
	}
}
