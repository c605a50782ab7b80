// Package lib has functions whose blocks are counted at many depths of many stacks.
package lib

// Deep calls itself n times, with frames that make a stack grow.
func Deep(n int) int {
	var frame [60]int // deep
	frame[n%60] = n
	if n == 0 {
		return Leaf(0)
	}
	return Deep(n-1) + frame[n%60] - n + Leaf(n)
}

// Leaf says whether n is odd.
//
//go:noinline
func Leaf(n int) int {
	odd := n % 2 // leaf
	return odd
}

// Loop calls Leaf n times.
func Loop(n int) (sum int) {
	for i := range n {
		sum += Leaf(i) // loop
	}
	return sum
}
