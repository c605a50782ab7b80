package reporttest

import (
	"math"
	"math/bits"

	"github.com/markgen/markgen/profile"
)

// Grown returns a marker whose calls with an input of n take 50 + 3n ns, and the first call 5 ms.
func Grown(sizes int) profile.Marker {
	m := profile.Marker{ID: 1, Name: "p.F", Kind: "func", MinNS: 50, MaxNS: 5_000_000}
	m.First = profile.Firsts{MinNS: 5_000_000, MaxNS: 5_000_000, Buckets: []profile.Bucket{bucket(5_000_000, 1)}}
	for k := range sizes {
		n := uint64(1) << (k + 3)
		ns := 50 + 3*n
		m.Buckets = append(m.Buckets, bucket(ns, 100))
		log := uint64(math.Log2(float64(ns)+16) * 256)
		m.Sizes = append(m.Sizes, profile.SizeBucket{
			K: uint8(k + 4), Count: 100, SumSize: profile.Uint128{Lo: 100 * n}, SumNS: 100 * ns, SumSq: times(profile.Square(ns), 100),
			Logged: 100, SumLog: 100 * log, SumLogSq: 100 * log * log,
		})
		m.Count += 100
	}
	m.Buckets = append(m.Buckets, m.First.Buckets...)
	m.Count++
	return m
}

func bucket(ns, n uint64) profile.Bucket {
	return profile.Bucket{K: uint8(bits.Len64(ns) - 1), Count: n, SumNS: n * ns, SumSq: times(profile.Square(ns), n)}
}

func times(v profile.Uint128, n uint64) (sum profile.Uint128) {
	for range n {
		sum = sum.Add(v)
	}
	return sum
}
