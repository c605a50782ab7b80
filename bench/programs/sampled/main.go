// Command sampled calls a marked function whose times vary much, and prints their
// mean as it has taken it itself, ns, and how often it called. The mean is that of times
// below 2^17 ns, since longer ones are those of other programs that have taken the
// processor.
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

// factor and summand are no constants: those of eight bytes made a loop an eighth slower where it lay across two lines of the cache.
var factor, summand uint64 = 6364136223846793005, 1442695040888963407

// work is a chain of multiplications in registers, which takes as long in whichever body it is: a sum in memory takes twice as long
// when a processor has yet to learn that each addition follows upon the last, and a body that runs seldom is one of which it has.
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

// price is what measuring costs, ns.
func price() float64 {
	var empty []time.Duration
	for range 10_001 {
		t := time.Now()
		empty = append(empty, time.Since(t))
	}
	slices.Sort(empty)
	empty = empty[len(empty)/4 : len(empty)-len(empty)/4] // a mean of these is finer than the clock's steps
	sum := time.Duration(0)
	for _, d := range empty {
		sum += d
	}
	return float64(sum.Nanoseconds()) / float64(len(empty))
}
