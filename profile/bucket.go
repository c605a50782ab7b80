package profile

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// A Bucket has the calls of a marker with times from LoNS to HiNS, exclusive: bucket K is for 2^K ≤
// ns < 2^(K+1), and bucket 0 includes 0.
type Bucket struct {
	K     uint8 // 0 … 63
	Count uint64
	SumNS uint64
	SumSq Uint128 // sum of the squares, ns²
}

// LoNS returns the lower bound of the bucket's times.
func (b Bucket) LoNS() uint64 {
	if b.K == 0 {
		return 0
	}
	return 1 << b.K
}

// HiNS returns the exclusive upper bound of the bucket's times; for bucket 63, whose bound is 2^64,
// 2^64-1.
func (b Bucket) HiNS() uint64 {
	if b.K >= 63 {
		return math.MaxUint64
	}
	return 2 << b.K
}

// add adds c, which has the same K, to b.
func (b *Bucket) add(c Bucket) {
	b.Count = Add64(b.Count, c.Count)
	b.SumNS = Add64(b.SumNS, c.SumNS)
	b.SumSq = b.SumSq.Add(c.SumSq)
}

// addBuckets adds the buckets b to a, each sorted by K. It modifies a but not b, and the result
// shares no memory with b.
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

// AddBuckets adds a bucket to a list, sorted by K, which it modifies.
func AddBuckets(list []Bucket, b Bucket) []Bucket { return addBuckets(list, []Bucket{b}) }

// AppendBuckets appends the sum of a and b, each sorted by K, to sum, which must not share memory
// with them.
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

// Add64 returns a+b, saturating at the largest number: 584 years of nanoseconds. Saturation keeps
// addition independent of its order.
func Add64(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// Uint128 is an unsigned 128-bit integer.
type Uint128 struct{ Hi, Lo uint64 }

// Square returns n².
func Square(n uint64) Uint128 {
	hi, lo := bits.Mul64(n, n)
	return Uint128{hi, lo}
}

// Add returns u+v, saturating at the largest number.
func (u Uint128) Add(v Uint128) Uint128 {
	lo, carry := bits.Add64(u.Lo, v.Lo, 0)
	hi, carry := bits.Add64(u.Hi, v.Hi, carry)
	if carry != 0 {
		return Uint128{math.MaxUint64, math.MaxUint64}
	}
	return Uint128{hi, lo}
}

// Sub returns u-v, or 0 if v is larger.
func (u Uint128) Sub(v Uint128) Uint128 {
	if u.Less(v) {
		return Uint128{}
	}
	lo, borrow := bits.Sub64(u.Lo, v.Lo, 0)
	hi, _ := bits.Sub64(u.Hi, v.Hi, borrow)
	return Uint128{hi, lo}
}

// Less reports whether u < v.
func (u Uint128) Less(v Uint128) bool {
	return u.Hi < v.Hi || u.Hi == v.Hi && u.Lo < v.Lo
}

// Float64 returns the nearest float64.
func (u Uint128) Float64() float64 {
	return math.Ldexp(float64(u.Hi), 64) + float64(u.Lo)
}

// toUint128 rounds f to the nearest integer, saturating at both ends.
func toUint128(f float64) Uint128 {
	switch {
	case !(f > 0):
		return Uint128{}
	case f >= 0x1p128:
		return Uint128{math.MaxUint64, math.MaxUint64}
	case f < 0x1p63:
		return Uint128{0, uint64(f + 0.5)}
	}
	hi := uint64(f / 0x1p64) // from 2^63 on, a float64 has no fraction to round
	return Uint128{hi, uint64(f - float64(hi)*0x1p64)}
}

// Big returns the number as a big.Int.
func (u Uint128) Big() *big.Int {
	n := new(big.Int).SetUint64(u.Hi)
	n.Lsh(n, 64)
	return n.Add(n, new(big.Int).SetUint64(u.Lo))
}

// String returns u in decimal.
func (u Uint128) String() string { return u.Big().String() }
