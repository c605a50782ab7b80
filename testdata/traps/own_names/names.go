// Package ownnames uses predeclared functions that its tests declare: they mean those in both.
package ownnames

func sum(list []int) (n int) {
	for range 3 {
		n += len(list)
	}
	if n > 100 {
		panic("big")
	}
	return min(n, 90)
}
