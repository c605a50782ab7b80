package off

import "testing"

var values = make([]int, 1000)

func BenchmarkFib(b *testing.B) {
	for b.Loop() {
		Fib(25)
	}
}

func BenchmarkSum(b *testing.B) {
	for b.Loop() {
		Sum(values)
	}
}

func BenchmarkLeaves(b *testing.B) {
	for b.Loop() {
		Leaves(values)
	}
}

// leafCalls is in a test file so that its loop is not marked, while Leaf is.
func leafCalls() int {
	sum := 0
	for _, v := range values {
		sum += Leaf(v)
	}
	return sum
}

func BenchmarkLeafCalls(b *testing.B) {
	for b.Loop() {
		leafCalls()
	}
}
