//go:build !race

package main

func number(n int) int {
	if n > 1 {
		return n
	}
	return 0
}
