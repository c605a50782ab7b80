package profile

import (
	"math"
	"math/big"
)

// scale multiplies all that adds up: counts, which are rounded, and sums by as much as their counts, so that means stay what they are.
func (m *Marker) scale(by *big.Rat) {
	word := func(v uint64) uint64 { return times(new(big.Int).SetUint64(v), by) }
	before := m.Timed()
	m.Count = word(m.Count - min(m.Count, before))
	var was, is uint64 // up to a bucket: all together are rounded once
	for i := range m.Buckets {
		b := &m.Buckets[i]
		lo, hi := b.LoNS(), b.HiNS()-1
		was = add64(was, b.Count)
		n := word(was) - is
		is += n
		by := ratio(n, b.Count)
		b.Count, b.SumSq = n, fromBig(rounded(b.SumSq.Big(), by))
		b.SumNS = min(max(times(new(big.Int).SetUint64(b.SumNS), by), mulSat(n, lo)), mulSat(n, hi))
		m.Count = add64(m.Count, n)
	}
	for i := range m.Sizes {
		b := &m.Sizes[i]
		b.Count, b.SumNS = word(b.Count), word(b.SumNS)
		b.Logged, b.SumLog, b.SumLogSq = word(b.Logged), word(b.SumLog), word(b.SumLogSq)
		b.SumSize, b.SumSq = fromBig(rounded(b.SumSize.Big(), by)), fromBig(rounded(b.SumSq.Big(), by))
	}
	if before != 0 {
		by = ratio(m.Timed(), before)
	}
	for _, v := range []*uint64{&m.SelfNS, &m.NestedNS, &m.Ticks} {
		*v = times(new(big.Int).SetUint64(*v), by)
	}
	if len(m.Buckets) > 0 { // they are rounded, too
		m.SelfNS = min(m.SelfNS, m.TotalNS())
	}
}

// ratio is a/b, and 0 where b is.
func ratio(a, b uint64) *big.Rat {
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

// times is rounded for what is to be a word; the largest there is where it would be more.
func times(v *big.Int, r *big.Rat) uint64 {
	n := rounded(v, r)
	if !n.IsUint64() {
		return math.MaxUint64
	}
	return n.Uint64()
}

func mulSat(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}
