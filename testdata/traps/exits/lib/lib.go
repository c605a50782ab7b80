// Package lib has a small function that may panic.
package lib

// Last is the last n values added up.
func Last(xs []int, n int) (s int) {
	for i := range n {
		s += xs[len(xs)-1-i]
	}
	return s
}
