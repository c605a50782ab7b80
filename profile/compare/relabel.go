package compare

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// dealings are the ways to choose which runs are called new: all of them, if there
// are not too many, or as many drawn at random, always the same ones.
type dealings struct {
	runs  int
	sets  [][]uint16 // indexes of runs; of two complements only one
	all   bool
	pairs bool // a set stands for its complement, too, as both sides have as many runs
}

// The work of a test in additions, and bounds for the number of dealings that follow from it.
// 20,000 tell a p-value of 0.05 to 0.0015.
const (
	work         = 4e9
	fewestDrawn  = 2_000
	mostDealings = 20_000
)

// deal chooses dealings of old and new runs for so many rows.
func deal(old, fresh, rows int) dealings {
	d := dealings{runs: old + fresh, pairs: old == fresh}
	size := min(old, fresh)
	total := choices(old+fresh, size)
	if d.pairs {
		total /= 2
	}
	most := min(mostDealings, max(fewestDrawn, work/float64(rows*size+1)))
	if d.all = total <= most; d.all {
		d.sets = combinations(old+fresh, size, d.pairs)
		return d
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
		d.sets = append(d.sets, slices.Clone(runs[:size]))
	}
	return d
}

// smallest is the smallest p-value that there can be.
func (d dealings) smallest() float64 { return d.p(0) }

// p is the p-value of a difference that so many of the dealings reach. Of all
// dealings, one is the true one; it is added to those that were drawn.
func (d dealings) p(reached int) float64 {
	if d.all {
		return float64(max(reached, 1)) / float64(len(d.sets))
	}
	return float64(reached+1) / float64(len(d.sets)+1)
}

// choices is the number of ways to choose k of n.
func choices(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return math.Round(c)
}

// combinations are all sets of k of n; without those that are complements of others,
// if halves is set.
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
			return sets // every half without the first has a complement with it
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

// largest returns for each dealing the largest difference of any of the rows, sorted.
// Rows are as standard makes them: their difference is the sum over one side.
func (d dealings) largest(rows [][]float32) []float32 {
	most := make([]float32, len(d.sets))
	const block = 256 // of dealings: what they need stays in the processor's cache
	var all sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for at := range next {
				end := min(at+block, len(d.sets))
				differences(rows, d.sets[at:end], most[at:end])
			}
		})
	}
	for at := 0; at < len(d.sets); at += block {
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

// difference is that of the row as the runs are truly labelled.
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

// rounding is by how much two sums of the same numbers in another order may differ.
const rounding = 1e-5

// reached is how many of the dealings have a largest difference that is no less.
func reached(largest []float32, difference float32) int {
	k, _ := slices.BinarySearch(largest, difference-rounding)
	return len(largest) - k
}

// critical is the least difference with a p-value below alpha; infinite if there is none.
func (d dealings) critical(largest []float32, alpha float64) float64 {
	if d.smallest() >= alpha {
		return math.Inf(1)
	}
	// The p-value of the k-th from the end grows with k.
	lo, hi := 0, len(largest)
	for hi-lo > 1 {
		mid := int(uint(lo+hi) >> 1)
		if d.p(mid) < alpha {
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

// fewestRuns is how many runs a side there have to be at least for a p-value below alpha.
func fewestRuns(alpha float64) int {
	for n := 2; n < bits.UintSize; n++ {
		if 2/choices(2*n, n) < alpha {
			return n
		}
	}
	return bits.UintSize
}
