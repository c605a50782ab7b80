// Command sampled calls a marked function with widely varying times. It prints the mean of the
// times that it measured itself, in ns, and the number of calls. The mean is over times below 2^17
// ns: longer calls were interrupted by other programs.
//
//	sampled SEED MILLISECONDS
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"
)

var sink uint64

// factor and summand are variables: as 8-byte constants they made a loop an eighth slower where it
// crossed a cache line.
var factor, summand uint64 = 6364136223846793005, 1442695040888963407

// work is a chain of multiplications in registers, which takes the same time in both bodies of the
// function. A sum in memory would take twice as long until the processor has learned that each
// addition depends on the previous one, and in a rarely executed body it has not.
//
//perf:mark
func work(n int) {
	x, a, b := sink, factor, summand
	for range n {
		x = x*a + b
	}
	sink = x
}

const long = 1 << 17 // ns

func main() {
	seed, err := strconv.ParseUint(os.Args[1], 10, 64)
	if err != nil {
		panic(err)
	}
	ms, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	calls, quick, total := 0, 0, time.Duration(0)
	for begun := time.Now(); time.Since(begun) < time.Duration(ms)*time.Millisecond; {
		n := int(random.ExpFloat64() * 8_000)
		t := time.Now()
		work(n)
		if d := time.Since(t); d < long {
			total += d
			quick++
		}
		calls++
	}
	fmt.Println(float64(total.Nanoseconds())/float64(quick)-price(), calls)
}

// price returns the cost of a measurement in ns.
func price() float64 {
	var empty []time.Duration
	for range 10_001 {
		t := time.Now()
		empty = append(empty, time.Since(t))
	}
	slices.Sort(empty)
	empty = empty[len(empty)/4 : len(empty)-len(empty)/4] // their mean is finer than the clock's resolution
	sum := time.Duration(0)
	for _, d := range empty {
		sum += d
	}
	return float64(sum.Nanoseconds()) / float64(len(empty))
}
