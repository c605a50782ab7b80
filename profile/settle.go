package profile

import (
	"math"
	"math/big"
	"math/bits"
)

// Sound reports whether the bucket is consistent: whether Count times within its bounds can have
// that sum and sum of squares. Buckets read from runs are sound, and so are their sums, unless they
// were estimated from samples or saturated.
func (b Bucket) Sound() bool {
	if b.K >= 64 || b.Count == 0 {
		return false
	}
	same, ok := b.Settle(0)
	return ok && same == b
}

// Settle reconciles Count and sums, which the runtime writes one after the other, so that up to
// tolerance calls may be in some of them only. It returns ok = false if they differ by more: no
// program wrote that.
func (b Bucket) Settle(tolerance uint64) (_ Bucket, ok bool) {
	if plausible(b.K, b.Count, b.SumNS, b.SumSq) {
		return b, true
	}
	return reconcile(b, tolerance)
}

// reconcile changes the sums so that Count times within the bucket's bounds can have that sum, and
// that sum of squares. It returns ok = false if they differ by more than tolerance calls.
func reconcile(b Bucket, tolerance uint64) (_ Bucket, ok bool) {
	lo, hi := b.LoNS(), b.HiNS()-1
	if b.Count > math.MaxUint64-tolerance {
		return b, false
	}
	few, many := b.Count-min(b.Count, tolerance), b.Count+tolerance
	if over, least := bits.Mul64(few, lo); over != 0 || b.SumNS < least {
		return b, false
	}
	if over, most := bits.Mul64(many, hi); over == 0 && b.SumNS > most {
		return b, false
	}
	if b.Count == 0 {
		return Bucket{K: b.K}, true
	}
	over, least := bits.Mul64(b.Count, lo)
	if over != 0 {
		return b, false
	}
	b.SumNS = max(b.SumNS, least)
	if over, most := bits.Mul64(b.Count, hi); over == 0 {
		b.SumNS = min(b.SumNS, most)
	}

	exactLeast, exactMost := squares(b, lo, hi)
	slack := new(big.Int).Mul(new(big.Int).SetUint64(tolerance), Square(hi).Big())
	have := b.SumSq.Big()
	switch {
	case have.Cmp(exactLeast) < 0:
		ok = new(big.Int).Sub(exactLeast, have).Cmp(slack) <= 0
		b.SumSq = fromBig(exactLeast)
	case have.Cmp(exactMost) > 0:
		ok = new(big.Int).Sub(have, exactMost).Cmp(slack) <= 0
		b.SumSq = fromBig(exactMost)
	default:
		ok = true
	}
	return b, ok
}

// plausible is a fast path of reconcile: it returns true for nearly all consistent buckets, and
// only for these. It checks n·lo ≤ Σx ≤ n·hi; that Σx² is at least the value for n integers that
// are as equal as possible; and that Σx² ≤ (lo+hi)·Σx − n·lo·hi, since (x−lo)(hi−x) ≥ 0 for every
// x.
func plausible(k uint8, n, sum uint64, sq Uint128) bool {
	if k >= 62 || sum >= 1<<62 || n == 0 {
		return false // prevents overflow below
	}
	lo, hi := uint64(1)<<k&^1, uint64(2)<<k-1
	if over, least := bits.Mul64(n, lo); over != 0 || sum < least {
		return false
	}
	if over, most := bits.Mul64(n, hi); over == 0 && sum > most {
		return false
	}
	q, r := sum/n, sum%n
	leastHi, leastLo := bits.Mul64(sum-r, q)
	restHi, restLo := bits.Mul64(r, 2*q+1)
	leastLo, carry := bits.Add64(leastLo, restLo, 0)
	leastHi, _ = bits.Add64(leastHi, restHi, carry)
	mostHi, mostLo := bits.Mul64(lo+hi, sum)
	offHi, offLo := bits.Mul64(n*lo, hi)
	mostLo, borrow := bits.Sub64(mostLo, offLo, 0)
	mostHi, _ = bits.Sub64(mostHi, offHi, borrow)
	return !sq.Less(Uint128{leastHi, leastLo}) && !(Uint128{mostHi, mostLo}).Less(sq)
}

// squares returns the smallest and largest sum of squares of b.Count integers from lo to hi whose
// sum is b.SumNS: all as equal as possible, and all but one at one of the ends.
func squares(b Bucket, lo, hi uint64) (least, most *big.Int) {
	n, sum := new(big.Int).SetUint64(b.Count), new(big.Int).SetUint64(b.SumNS)
	q, r := new(big.Int).QuoRem(sum, n, new(big.Int))
	// r numbers are q+1, the others q: n·q² + r·(2q+1).
	least = new(big.Int).Mul(n, new(big.Int).Mul(q, q))
	least.Add(least, new(big.Int).Mul(r, new(big.Int).Add(new(big.Int).Lsh(q, 1), big.NewInt(1))))

	l, h := new(big.Int).SetUint64(lo), new(big.Int).SetUint64(hi)
	most = new(big.Int).Mul(new(big.Int).Add(l, h), sum)
	most.Sub(most, new(big.Int).Mul(n, new(big.Int).Mul(l, h)))
	if most.Cmp(least) < 0 { // the range is a single number
		most.Set(least)
	}
	return least, most
}

// fromBig converts n, saturating at 128 bits.
func fromBig(n *big.Int) Uint128 {
	if n.BitLen() > 128 {
		return Uint128{math.MaxUint64, math.MaxUint64}
	}
	lo := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	return Uint128{new(big.Int).Rsh(n, 64).Uint64(), lo.Uint64()}
}
