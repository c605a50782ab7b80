// Package isolate has functions that call others a million times.
package isolate

// Parent calls Child calls times.
//
//go:noinline
func Parent(calls int) uint64 {
	x := uint64(1)
	for range calls {
		x = Child(x)
	}
	return x
}

// Child takes about 10 ns.
//
//go:noinline
func Child(x uint64) uint64 {
	for range 9 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// Fib is recursive.
func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}
