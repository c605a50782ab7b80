// Corrected calls a function of about 20 ns a million times and prints how long
// that took, in ns. Caller and function are marked; what markgen reports of the
// caller, less the price of the markers, should be what it takes without them.
package main

import (
	"fmt"
	"time"
)

func main() {
	begin := time.Now()
	x := parent(1_000_000)
	spent := time.Since(begin)
	fmt.Println(spent.Nanoseconds(), x)
}

//perf:mark
//go:noinline
func parent(calls int) uint64 {
	x := uint64(1)
	for range calls {
		x = child(x)
	}
	return x
}

// child is a chain of multiplications, which no processor can shorten.
//
//perf:mark
//go:noinline
func child(x uint64) uint64 {
	for range 19 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}
