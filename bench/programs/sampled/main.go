// Command sampled calls a marked function whose times vary much, and prints their
// mean as it has taken it itself, ns, and how often it called.
//
//	sampled SEED MILLISECONDS
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"
)

var sink int

//perf:mark
func work(n int) {
	for k := range n {
		sink += k * k
	}
}

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
	calls, total := 0, time.Duration(0)
	for begun := time.Now(); time.Since(begun) < time.Duration(ms)*time.Millisecond; {
		n := int(random.ExpFloat64() * 10_000)
		t := time.Now()
		work(n)
		total += time.Since(t)
		calls++
	}
	fmt.Println(float64(total.Nanoseconds())/float64(calls), calls)
}
