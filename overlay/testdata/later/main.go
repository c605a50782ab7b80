// Command later calls a function that takes long only after it has been called many times, and prints how long a
// thousand such calls take at best, ns.
package main

import (
	"fmt"
	"time"
)

var table []int

// search looks through what there is.
//
//go:noinline
func search(n int) (at int) {
	for at < len(table) && table[at] != n {
		at++
	}
	return at
}

//go:noinline
func several(n int) (s int) {
	for k := range 1000 {
		s += search(-n - k - 1)
	}
	return s
}

func main() {
	s := 0
	for n := range 20 {
		s += several(n)
	}
	table = make([]int, 2000)
	least := time.Hour
	for n, begun := 0, time.Now(); time.Since(begun) < 400*time.Millisecond; n++ {
		from := time.Now()
		s += several(n)
		least = min(least, time.Since(from))
	}
	fmt.Println(least.Nanoseconds(), s)
}
