// Shares is a program whose functions have known shares of its time. Each works in steps, of the same
// duration everywhere, and at the end it prints the number of steps of each.
package main

import (
	"fmt"
	"maps"
	"slices"
)

// steps are the steps so far, by function.
var steps = map[string]int{}

// x is changed by each step, a division that needs the result of the one before.
var x uint64 = 1

// main calls functions that take long, functions that call one another in turn, functions that take
// some ns, and a function whose calls become longer.
func main() {
	long(60_000_000)
	for range 6000 {
		expression(7)
	}
	caller(8_000_000)
	for i := range 6_000_000 {
		grows(i)
	}
	steps["expression"], steps["term"], steps["factor"] = 6*expressions, 18*terms, 3*factors
	steps["grows"] = 3_000_000*1 + 3_000_000*24
	for _, name := range slices.Sorted(maps.Keys(steps)) {
		fmt.Println(name, steps[name])
	}
	if x == 0 {
		panic("unreachable")
	}
}

func long(n int) {
	for range n {
		x = 0xfedcba9876543210/(x|1) + 12345
	}
	steps["long"] += n
}

// expression, term and factor call one another like a recursive descent parser.
func expression(depth int) {
	for range 6 {
		x = 0xfedcba9876543210/(x|1) + 12345
	}
	expressions++
	for range 2 {
		term(depth)
	}
}

func term(depth int) {
	for range 18 {
		x = 0xfedcba9876543210/(x|1) + 12345
	}
	terms++
	factor(depth)
}

func factor(depth int) {
	for range 3 {
		x = 0xfedcba9876543210/(x|1) + 12345
	}
	factors++
	if depth > 0 {
		expression(depth - 1)
	}
}

var expressions, terms, factors int

// caller calls a function of two steps, and makes eight of its own for each.
func caller(n int) {
	for range n {
		for range 8 {
			x = 0xfedcba9876543210/(x|1) + 12345
		}
		called()
	}
	steps["caller"] += 8 * n
	steps["called"] += 2 * n
}

//go:noinline
func called() {
	x = 0xfedcba9876543210/(x|1) + 12345
	x = 0xfedcba9876543210/(x|1) + 12345
}

// grows takes a step in the first half of its calls, and 24 in the others.
//
//go:noinline
func grows(i int) {
	n := 1
	if i >= 3_000_000 {
		n = 24
	}
	for range n {
		x = 0xfedcba9876543210/(x|1) + 12345
	}
}
