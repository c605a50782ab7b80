package profile

import (
	"math"
	"math/big"
	"slices"
)

// Scale multiplies all additive data: counts are rounded, and sums are scaled like their counts, so
// that means do not change. Counts below one half become 0.
func (m *Marker) Scale(by *big.Rat) {
	word := func(v uint64) uint64 { return Times(v, by) }
	before := m.Timed()
	m.Count = word(m.Count - min(m.Count, before))
	var was, is uint64 // cumulative counts: rounding errors do not add up
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
	if len(m.Buckets) > 0 { // bucket counts were rounded
		m.NestedNS = min(m.NestedNS, m.SumNS())
		m.SelfNS = min(m.SelfNS, m.TotalNS())
	}
}

// without removes the empty elements of list in place; it returns nil if none is left.
func without[T any](list []T, empty func(T) bool) []T {
	if list = slices.DeleteFunc(list, empty); len(list) == 0 {
		return nil
	}
	return list
}

// scale multiplies the sums of a size bucket. Logged sums are scaled by its rounded count, so that
// their means do not change.
func (b *SizeBucket) scale(by *big.Rat) {
	word := func(v uint64, by *big.Rat) uint64 { return Times(v, by) }
	b.Count, b.SumNS = word(b.Count, by), word(b.SumNS, by)
	b.SumSize, b.SumSq = b.SumSize.Times(by), b.SumSq.Times(by)
	n := word(b.Logged, by)
	by = Ratio(n, b.Logged)
	b.Logged, b.SumLog, b.SumLogSq = n, word(b.SumLog, by), word(b.SumLogSq, by)
}

// Ratio returns a/b, or 0 if b is 0.
func Ratio(a, b uint64) *big.Rat {
	if b == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
}

// rounded returns v·r, rounded to the nearest integer: (2·v·a + b) / 2b.
func rounded(v *big.Int, r *big.Rat) *big.Int {
	n := new(big.Int).Mul(v, r.Num())
	n.Lsh(n, 1).Add(n, r.Denom())
	return n.Quo(n, new(big.Int).Lsh(r.Denom(), 1))
}

// Times returns v·r, rounded, saturating at the largest number.
func Times(v uint64, r *big.Rat) uint64 {
	n := rounded(new(big.Int).SetUint64(v), r)
	if !n.IsUint64() {
		return math.MaxUint64
	}
	return n.Uint64()
}

// Times returns u·r, rounded, saturating at the largest number.
func (u Uint128) Times(r *big.Rat) Uint128 { return fromBig(rounded(u.Big(), r)) }

// Mul64 returns a·b, saturating at the largest number.
func Mul64(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}
