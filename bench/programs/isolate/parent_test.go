package isolate

import "testing"

var sink uint64

func BenchmarkParent(b *testing.B) {
	for range b.N {
		sink += Parent(1e6)
	}
}

func BenchmarkFib(b *testing.B) {
	for range b.N {
		sink += uint64(Fib(25))
	}
}
