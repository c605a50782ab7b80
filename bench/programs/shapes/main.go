// Command shapes calls functions of known shape: functions whose time grows with the input, lazy
// initialization, fast and slow calls, and so on. It is built with -sizes; where the size is not
// the length of an argument, size= defines it.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
)

// sink keeps the compiler from removing computations.
var sink int

//perf:mark
func sortInts(list []int) { sort.Ints(list) }

//perf:mark
func slicesSort[E ~int](list ...E) { slices.Sort(list) }

//perf:mark
func lookUp(table map[int]int, key int) { sink += table[key] }

// appendOne takes longer to compute the element than to append it.
//
//perf:mark
func appendOne(list []int, v int) []int { return append(list, int(hash(uint64(v), 200))) }

//perf:mark size=n
func appendAll(n int) {
	var list []int
	for i := range n {
		list = append(list, i)
	}
	sink += len(list)
}

//perf:mark size=n
func build(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte(byte(i))
	}
	return b.String()
}

// linear takes longer to compare an element than to load it, from whichever cache.
//
//perf:mark
func linear(list []int, key int) int {
	for i, v := range list {
		if v%1021 == key {
			return i
		}
	}
	return -1
}

type sorted []int

//perf:mark
func (s sorted) binary(key int) int {
	lo, hi := 0, len(s)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s[mid] < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

//perf:mark
func pairs(list []int) (n int) {
	for i, a := range list {
		for _, b := range list[i+1:] {
			if a^b == 1 {
				n++
			}
		}
	}
	return n
}

// hash takes the same time for the same number of rounds.
func hash(x uint64, rounds int) uint64 {
	for range rounds {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

//perf:mark
func constant(x uint64) uint64 { return hash(x, 2000) }

var cached = map[uint64]uint64{}

//perf:mark
func cache(key uint64) uint64 {
	v, ok := cached[key]
	if !ok {
		v = hash(key+1, 20_000)
		cached[key] = v
	}
	return v
}

var (
	once  sync.Once
	table [1 << 12]uint64
)

//perf:mark
func lazy(i int) uint64 {
	once.Do(func() {
		for i := range table {
			table[i] = hash(uint64(i)+1, 1000)
		}
	})
	return hash(table[i%len(table)], 50)
}

//perf:mark
func tailed(r *rand.Rand) uint64 {
	return hash(7, int(min(300/math.Pow(1-r.Float64(), 1/0.9), 3e6)))
}

func random(r *rand.Rand, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = r.IntN(1 << 30)
	}
	return list
}

func main() {
	r := rand.New(rand.NewPCG(uint64(len(os.Args)), 1))
	// Sizes are cycled through, so that disturbances on the machine affect all of them alike.
	for range 40 {
		for size := 4; size <= 1<<13; size *= 2 {
			for range 4 {
				each(r, size+r.IntN(size))
			}
		}
		for range 200 {
			sink += int(constant(r.Uint64()))
			sink += int(cache(r.Uint64N(2000)))
			sink += int(lazy(r.IntN(1 << 20)))
			sink += int(tailed(r))
		}
	}
	fmt.Fprintln(os.Stderr, sink)
}

// each calls the functions that have an input, with an input of size n.
func each(r *rand.Rand, n int) {
	list := random(r, n)
	sortInts(slices.Clone(list))
	slicesSort(random(r, n)...)
	more := slices.Grow(slices.Clone(list), 4)
	for range 4 {
		more = appendOne(more, n)
		appendAll(n)
		sink += len(build(n))
		sink += linear(list, -1)
	}
	if n < 1<<10 {
		sink += pairs(list)
	}
	slices.Sort(list)
	if n < 1<<12 { // fits in the first-level cache, where each step takes the same time
		for range 40 {
			sink += sorted(list).binary(r.IntN(1 << 30))
		}
	}
	if n < 1<<11 {
		table := map[int]int{}
		for i := range n {
			table[i] = i
		}
		for i := range 40 {
			lookUp(table, i%n)
		}
	}
}
