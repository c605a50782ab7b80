// Package off has small functions in which a marker is relatively expensive. It is built plain and
// with all of its points marked but nothing collected.
package off

// Fib calls itself for n above 1.
func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

// Sum is a minimal loop.
func Sum(values []int) int {
	sum := 0
	for _, v := range values {
		sum += v
	}
	return sum
}

// Leaves calls a function that is inlined.
func Leaves(values []int) int {
	sum := 0
	for _, v := range values {
		sum += Leaf(v)
	}
	return sum
}

// Leaf is inlined where it is called.
func Leaf(v int) int { return v*3 + 1 }
