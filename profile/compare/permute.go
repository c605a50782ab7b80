package compare

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// permutations are the permutations of the labels, as sets of runs called new: all of them, or if
// there are too many, a random sample with a fixed seed.
type permutations struct {
	runs  int
	sets  [][]uint16 // by permutation, indexes of runs; only one of two complements if pairs is set
	all   bool
	pairs bool // both sides have the same number of runs, so that a set also stands for its complement
}

// The work of a test in additions, and the resulting bounds on the number of permutations. 20,000
// determine a p-value of 0.05 to within 0.0015.
const (
	work            = 4e9
	minPermutations = 2_000
	maxPermutations = 20_000
)

// permute returns permutations of old and fresh runs, given the number of rows to test.
func permute(old, fresh, rows int) permutations {
	p := permutations{runs: old + fresh, pairs: old == fresh}
	size := min(old, fresh)
	total := choices(old+fresh, size)
	if p.pairs {
		total /= 2
	}
	most := min(maxPermutations, max(minPermutations, work/float64(rows*size+1)))
	if p.all = total <= most; p.all {
		p.sets = combinations(old+fresh, size, p.pairs)
		return p
	}
	random := rand.New(rand.NewPCG(uint64(old), uint64(fresh)))
	runs := make([]uint16, old+fresh)
	for i := range runs {
		runs[i] = uint16(i)
	}
	for range int(most) {
		for i := range size {
			k := i + random.IntN(len(runs)-i)
			runs[i], runs[k] = runs[k], runs[i]
		}
		p.sets = append(p.sets, slices.Clone(runs[:size]))
	}
	return p
}

// smallest returns the smallest possible p-value.
func (p permutations) smallest() float64 { return p.pValue(0) }

// pValue returns the p-value of a difference that is reached by that many permutations. The true
// labels are among all permutations, and are added to a sample.
func (p permutations) pValue(reached int) float64 {
	if p.all {
		return float64(max(reached, 1)) / float64(len(p.sets))
	}
	return float64(reached+1) / float64(len(p.sets)+1)
}

// choices returns the binomial coefficient of n and k.
func choices(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return math.Round(c)
}

// combinations returns all subsets of size k of n elements; if halves is set, only one of two
// complements.
func combinations(n, k int, halves bool) [][]uint16 {
	if k == 0 {
		return [][]uint16{{}}
	}
	var sets [][]uint16
	set := make([]uint16, k)
	for i := range set {
		set[i] = uint16(i)
	}
	for {
		if halves && set[0] > 0 {
			return sets // subsets without the first element are complements of earlier ones
		}
		sets = append(sets, slices.Clone(set))
		i := k - 1
		for i >= 0 && int(set[i]) == n-k+i {
			i--
		}
		if i < 0 {
			return sets
		}
		set[i]++
		for i++; i < k; i++ {
			set[i] = set[i-1] + 1
		}
	}
}

// largest returns for each permutation the largest difference of any row, sorted. Rows must be
// standardized by standard, so that a difference is the sum over one side.
func (p permutations) largest(rows [][]float32) []float32 {
	most := make([]float32, len(p.sets))
	const block = 256 // of permutations: their data fit the processor's cache
	var all sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for at := range next {
				end := min(at+block, len(p.sets))
				differences(rows, p.sets[at:end], most[at:end])
			}
		})
	}
	for at := 0; at < len(p.sets); at += block {
		next <- at
	}
	close(next)
	all.Wait()
	slices.Sort(most)
	return most
}

func differences(rows [][]float32, sets [][]uint16, most []float32) {
	for _, row := range rows {
		for i, set := range sets {
			var sum float32
			for _, run := range set {
				sum += row[run]
			}
			most[i] = max(most[i], math.Float32frombits(math.Float32bits(sum)&^(1<<31)))
		}
	}
}

// difference returns the difference of a row under the true labels.
func difference(row []float32, old int) float32 {
	var sum float32
	if old <= len(row)-old {
		for _, v := range row[:old] {
			sum += v
		}
	} else {
		for _, v := range row[old:] {
			sum += v
		}
	}
	return max(sum, -sum)
}

// rounding is the largest rounding error between two orders of summation.
const rounding = 1e-5

// reached returns the number of permutations with a largest difference of at least difference.
func reached(largest []float32, difference float32) int {
	k, _ := slices.BinarySearch(largest, difference-rounding)
	return len(largest) - k
}

// critical returns the smallest difference with a p-value below alpha; +Inf if there is none.
func (p permutations) critical(largest []float32, alpha float64) float64 {
	if p.smallest() >= alpha {
		return math.Inf(1)
	}
	// The p-value of the k-th largest difference grows with k.
	lo, hi := 0, len(largest)
	for hi-lo > 1 {
		mid := int(uint(lo+hi) >> 1)
		if p.pValue(mid) < alpha {
			lo = mid
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return math.Inf(1)
	}
	return float64(largest[len(largest)-lo])
}

// fewestRuns returns the minimum number of runs per side for a p-value below alpha.
func fewestRuns(alpha float64) int {
	for n := 2; n < bits.UintSize; n++ {
		if 2/choices(2*n, n) < alpha {
			return n
		}
	}
	return bits.UintSize
}
