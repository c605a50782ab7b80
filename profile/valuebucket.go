package profile

import (
	"math"
	"slices"
)

// A ValueBucket has the scopes in which a value grew by Lo to Hi, exclusive: bucket 0 is for 0, and
// bucket K for 2^(K-1) ≤ difference < 2^K.
type ValueBucket struct {
	K     uint8 // 0 … 63
	Count uint64
	Sum   uint64  // sum of the differences
	SumSq Uint128 // sum of their squares
}

// Lo returns the lower bound of the differences.
func (b *ValueBucket) Lo() uint64 { return 1 << b.K >> 1 }

// Hi returns the exclusive upper bound of the differences.
func (b *ValueBucket) Hi() uint64 { return 1 << b.K }

// addValueBuckets adds the buckets b to a, each sorted by K. It modifies a but not b, and the
// result shares no memory with b.
func addValueBuckets(a, b []ValueBucket) []ValueBucket {
	if a == nil {
		return slices.Clone(b)
	}
	i := 0
	for _, add := range b {
		for i < len(a) && a[i].K < add.K {
			i++
		}
		if i == len(a) || a[i].K != add.K {
			a = slices.Insert(a, i, ValueBucket{K: add.K})
		}
		sum := &a[i]
		sum.Count = Add64(sum.Count, add.Count)
		sum.Sum = Add64(sum.Sum, add.Sum)
		sum.SumSq = sum.SumSq.Add(add.SumSq)
	}
	return a
}

// Sound reports whether the bucket is consistent, like Bucket.Sound.
func (b ValueBucket) Sound() bool {
	same := b
	return b.K < 64 && b.Count > 0 && same.Settle(0) && same == b
}

// Settle changes the sums so that Count differences within the bucket can have them. It returns
// false if they are off by more than tolerance scopes.
func (b *ValueBucket) Settle(tolerance uint64) (ok bool) {
	if b.K >= 2 { // the range of a time bucket
		same, ok := Bucket{K: b.K - 1, Count: b.Count, SumNS: b.Sum, SumSq: b.SumSq}.Settle(tolerance)
		b.Sum, b.SumSq = same.SumNS, same.SumSq
		return ok
	}
	if b.Count > math.MaxUint64-tolerance {
		return false
	}
	most := b.Count * uint64(b.K) // every difference is 0 in bucket 0, and 1 in bucket 1
	if slack := tolerance * uint64(b.K); b.Sum > most+slack || b.Sum < most-min(most, slack) ||
		b.SumSq.Hi != 0 || b.SumSq.Lo > most+slack || b.SumSq.Lo < most-min(most, slack) {
		return false
	}
	b.Sum, b.SumSq = most, Uint128{Lo: most}
	return true
}
