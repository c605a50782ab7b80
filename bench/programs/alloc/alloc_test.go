package alloc

import "testing"

// The benchmarks only allocate: objects of several sizes, with and without pointers.

func BenchmarkTiny(b *testing.B) {
	for range b.N {
		number = new(int32)
	}
}

func BenchmarkPointers16(b *testing.B) {
	for range b.N {
		top = new(node)
	}
}

func BenchmarkBytes64(b *testing.B) {
	for range b.N {
		array = new([64]byte)
	}
}

func BenchmarkPointers64(b *testing.B) {
	for range b.N {
		pointers = new([8]*int)
	}
}

func BenchmarkBytes1000(b *testing.B) {
	for range b.N {
		bytes = make([]byte, 1000)
	}
}

func BenchmarkBytes40000(b *testing.B) {
	for range b.N {
		bytes = make([]byte, 40_000)
	}
}

func BenchmarkTree(b *testing.B) {
	for range b.N {
		top = tree(8)
	}
}

func BenchmarkText(b *testing.B) {
	for range b.N {
		text = name + text[:min(len(text), 5)]
	}
}
