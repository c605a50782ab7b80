package sizes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// A time is in the bucket of its size, with its logarithm.
func TestAdd(t *testing.T) {
	var b Block
	var want [layout.NumBuckets]bucket
	for range 10_000 {
		n, ns := rand.Uint64()>>(1+rand.IntN(63)), rand.Uint64N(1<<30)
		b.Add(n, ns)
		k := 0
		for k < 63 && n >= 1<<k {
			k++
		}
		want[k].count++
		want[k].ns += ns
	}
	for k := range want {
		if got := b.buckets[k]; got.count != want[k].count || got.ns != want[k].ns {
			t.Errorf("bucket %d: %+v, want %+v", k, got, want[k])
		}
	}
	if b.Count() != 10_000 {
		t.Errorf("%d scopes", b.Count())
	}
}

func TestLogarithm(t *testing.T) {
	for _, ns := range []uint64{0, 1, 10, 100, 1000, 12_345, 1 << 40, 1<<63 - 17} {
		got, want := float64(logarithm(ns))/layout.SizeLogUnit, math.Log2(float64(ns+layout.SizeLogAdd))
		if math.Abs(got-want) > 0.01 {
			t.Errorf("of %d ns %g, want %g", ns, got, want)
		}
	}
}
