package profile

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// Bucket holds the passages of a marker that took from LoNS up to, not
// including, HiNS: bucket K is for 2^K ≤ ns < 2^(K+1), and bucket 0 for 0 too.
type Bucket struct {
	K     uint8 // 0 … 63
	Count uint64
	SumNS uint64
	SumSq Uint128 // sum of the squares, ns²
}

// LoNS is the shortest time that belongs into the bucket.
func (b Bucket) LoNS() uint64 {
	if b.K == 0 {
		return 0
	}
	return 1 << b.K
}

// HiNS is the shortest time that is too long for the bucket; of the last
// bucket, where that is 2^64, one less.
func (b Bucket) HiNS() uint64 {
	if b.K >= 63 {
		return math.MaxUint64
	}
	return 2 << b.K
}

// add puts the passages of c, of the same K, into b.
func (b *Bucket) add(c Bucket) {
	b.Count = Add64(b.Count, c.Count)
	b.SumNS = Add64(b.SumNS, c.SumNS)
	b.SumSq = b.SumSq.Add(c.SumSq)
}

// addBuckets adds the buckets b to a, each sorted by K. It changes a, not b, and the
// result shares no memory with b.
func addBuckets(a, b []Bucket) []Bucket {
	if a == nil {
		return slices.Clone(b)
	}
	i := 0
	for _, add := range b {
		for i < len(a) && a[i].K < add.K {
			i++
		}
		if i < len(a) && a[i].K == add.K {
			a[i].add(add)
		} else {
			a = slices.Insert(a, i, add)
		}
	}
	return a
}

// AppendBuckets appends the sum of two lists of buckets, each sorted by K, to a list that
// shares no memory with them.
func AppendBuckets(sum, a, b []Bucket) []Bucket {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].K < b[0].K:
			sum, a = append(sum, a[0]), a[1:]
		case a[0].K > b[0].K:
			sum, b = append(sum, b[0]), b[1:]
		default:
			both := a[0]
			both.add(b[0])
			sum, a, b = append(sum, both), a[1:], b[1:]
		}
	}
	return append(append(sum, a...), b...)
}

// Add64 adds; a sum past the largest number stays there. (That is 584 years
// of nanoseconds. Staying there keeps addition independent of its order.)
func Add64(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// Uint128 is a whole number from 0 to 2^128-1.
type Uint128 struct{ Hi, Lo uint64 }

// Square returns n².
func Square(n uint64) Uint128 {
	hi, lo := bits.Mul64(n, n)
	return Uint128{hi, lo}
}

// Add returns u+v; a sum past the largest number stays there.
func (u Uint128) Add(v Uint128) Uint128 {
	lo, carry := bits.Add64(u.Lo, v.Lo, 0)
	hi, carry := bits.Add64(u.Hi, v.Hi, carry)
	if carry != 0 {
		return Uint128{math.MaxUint64, math.MaxUint64}
	}
	return Uint128{hi, lo}
}

// Sub returns u-v, 0 where v is more.
func (u Uint128) Sub(v Uint128) Uint128 {
	if u.Less(v) {
		return Uint128{}
	}
	lo, borrow := bits.Sub64(u.Lo, v.Lo, 0)
	hi, _ := bits.Sub64(u.Hi, v.Hi, borrow)
	return Uint128{hi, lo}
}

// Less tells whether u is less than v.
func (u Uint128) Less(v Uint128) bool {
	return u.Hi < v.Hi || u.Hi == v.Hi && u.Lo < v.Lo
}

// Float64 returns the number, rounded.
func (u Uint128) Float64() float64 {
	return math.Ldexp(float64(u.Hi), 64) + float64(u.Lo)
}

// toUint128 rounds; numbers that are out of range become the nearest that is not.
func toUint128(f float64) Uint128 {
	switch {
	case !(f > 0):
		return Uint128{}
	case f >= 0x1p128:
		return Uint128{math.MaxUint64, math.MaxUint64}
	case f < 0x1p63:
		return Uint128{0, uint64(f + 0.5)}
	}
	hi := uint64(f / 0x1p64) // more digits than a float64 has are not there to be rounded
	return Uint128{hi, uint64(f - float64(hi)*0x1p64)}
}

// Big returns the number as a big.Int.
func (u Uint128) Big() *big.Int {
	n := new(big.Int).SetUint64(u.Hi)
	n.Lsh(n, 64)
	return n.Add(n, new(big.Int).SetUint64(u.Lo))
}

// String returns the decimal digits.
func (u Uint128) String() string { return u.Big().String() }
