package parallel

import (
	"strings"
	"testing"
)

var (
	text   = strings.Repeat("so many words ", 20)
	sorted = make([]int, 1000)
)

func init() {
	for i := range sorted {
		sorted[i] = 2 * i
	}
}

func parallel(b *testing.B, pass func()) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			pass()
		}
	})
}

func BenchmarkFib(b *testing.B)   { parallel(b, func() { Fib(15) }) }
func BenchmarkFind(b *testing.B)  { parallel(b, func() { Find(sorted, 777) }) }
func BenchmarkWords(b *testing.B) { parallel(b, func() { Words(text) }) }
func BenchmarkHash(b *testing.B)  { parallel(b, func() { Hash(text) }) }

func BenchmarkSort(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		values := make([]int, 50)
		for pb.Next() {
			for i := range values {
				values[i] = i * 37 % 50
			}
			Sort(values)
		}
	})
}
