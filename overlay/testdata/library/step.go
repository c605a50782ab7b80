// Command library is a library for programs in C.
package main

import "C"

//export Step
func Step(n C.int) C.int {
	defer func() { recover() }()
	s := 0
	for i := range int(n) {
		s += deep(i)
	}
	return C.int(s)
}

//go:noinline
func deep(n int) int {
	if n == 0 {
		return 1
	}
	return 1 + deep(n-1)
}

func main() {}
