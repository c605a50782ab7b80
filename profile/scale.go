package profile

import (
	"math"
	"math/big"
	"slices"
)

// Scale multiplies all that adds up: counts, which are rounded, and sums by as much as their counts, so that means stay what they are.
// What is less than half a passage is none.
func (m *Marker) Scale(by *big.Rat) {
	word := func(v uint64) uint64 { return Times(v, by) }
	before := m.Timed()
	m.Count = word(m.Count - min(m.Count, before))
	var was, is uint64 // up to a bucket: all together are rounded once
	for i := range m.Buckets {
		b := &m.Buckets[i]
		lo, hi := b.LoNS(), b.HiNS()-1
		was = Add64(was, b.Count)
		n := word(was) - is
		is += n
		by := Ratio(n, b.Count)
		b.Count, b.SumSq = n, b.SumSq.Times(by)
		b.SumNS = min(max(Times(b.SumNS, by), Mul64(n, lo)), Mul64(n, hi))
		m.Count = Add64(m.Count, n)
	}
	m.Buckets = without(m.Buckets, func(b Bucket) bool { return b.Count == 0 })
	was, is = 0, 0
	for i := range m.Sizes {
		b := &m.Sizes[i]
		was = Add64(was, b.Count)
		n := word(was) - is
		is += n
		b.scale(Ratio(n, b.Count))
	}
	m.Sizes = without(m.Sizes, func(b SizeBucket) bool { return b.Count == 0 })
	if before != 0 {
		by = Ratio(m.Timed(), before)
	}
	for _, v := range []*uint64{&m.SelfNS, &m.NestedNS, &m.Ticks} {
		*v = Times(*v, by)
	}
	if len(m.Buckets) > 0 { // they are rounded, too
		m.NestedNS = min(m.NestedNS, m.SumNS())
		m.SelfNS = min(m.SelfNS, m.TotalNS())
	}
}

// without is the list without those that are empty, in its memory; nil if all are.
func without[T any](list []T, empty func(T) bool) []T {
	if list = slices.DeleteFunc(list, empty); len(list) == 0 {
		return nil
	}
	return list
}

// scale multiplies all there is of a size: counts become whole numbers by it, but for Logged where that is not Count.
func (b *SizeBucket) scale(by *big.Rat) {
	word := func(v uint64, by *big.Rat) uint64 { return Times(v, by) }
	b.Count, b.SumNS = word(b.Count, by), word(b.SumNS, by)
	b.SumSize, b.SumSq = b.SumSize.Times(by), b.SumSq.Times(by)
	n := word(b.Logged, by)
	by = Ratio(n, b.Logged)
	b.Logged, b.SumLog, b.SumLogSq = n, word(b.SumLog, by), word(b.SumLogSq, by)
}

// Ratio is a/b, and 0 where b is.
func Ratio(a, b uint64) *big.Rat {
	if b == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
}

// rounded is v times r, rounded to the nearest: (2·v·a + b) / 2b.
func rounded(v *big.Int, r *big.Rat) *big.Int {
	n := new(big.Int).Mul(v, r.Num())
	n.Lsh(n, 1).Add(n, r.Denom())
	return n.Quo(n, new(big.Int).Lsh(r.Denom(), 1))
}

// Times is v times r, rounded; the largest number where it would be more.
func Times(v uint64, r *big.Rat) uint64 {
	n := rounded(new(big.Int).SetUint64(v), r)
	if !n.IsUint64() {
		return math.MaxUint64
	}
	return n.Uint64()
}

// Times is u times r, rounded; the largest number where it would be more.
func (u Uint128) Times(r *big.Rat) Uint128 { return fromBig(rounded(u.Big(), r)) }

// Mul64 multiplies; a product past the largest number stays there.
func Mul64(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}
