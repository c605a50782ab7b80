package profile

import (
	"math"
	"math/big"
	"math/bits"
)

// Sound tells whether the figures of a bucket can be those of some passages: as many times within the bucket's bounds
// can have that sum, and those squares. All that is read of runs are sound, and so are their sums, unless they were
// estimated from samples, or are at the largest number and stay there.
func (b Bucket) Sound() bool {
	if b.K >= 64 || b.Count == 0 {
		return false
	}
	same, ok := b.Settle(0)
	return ok && same == b
}

// Settle makes the figures of the bucket agree, as they were written one after the other: those of up to torn passages
// may be in some of them only. If they are farther off than that, ok is false: no program ever wrote that.
func (b Bucket) Settle(torn uint64) (_ Bucket, ok bool) {
	if plausible(b.K, b.Count, b.SumNS, b.SumSq) {
		return b, true
	}
	return reconcile(b, torn)
}

// reconcile makes the figures of a bucket agree: count times of the bucket's
// range can add up to the sum, and count times with that sum can have those
// squares. ok is false if they are farther off than torn passages explain.
func reconcile(b Bucket, torn uint64) (_ Bucket, ok bool) {
	lo, hi := b.LoNS(), b.HiNS()-1
	if b.Count > math.MaxUint64-torn {
		return b, false
	}
	few, many := b.Count-min(b.Count, torn), b.Count+torn
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
	slack := new(big.Int).Mul(new(big.Int).SetUint64(torn), Square(hi).Big())
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

// plausible is reconcile for nearly all buckets, of which it says that they agree: n·lo ≤ Σx ≤
// n·hi, Σx² is at least what it is for n numbers as equal as can be, and at most
// (lo+hi)·Σx − n·lo·hi, since (x−lo)(hi−x) ≥ 0 for every x.
func plausible(k uint8, n, sum uint64, sq Uint128) bool {
	if k >= 62 || sum >= 1<<62 || n == 0 {
		return false // no sum below overflows otherwise
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

// squares returns the least and the largest sum of squares that b.Count whole
// numbers from lo to hi with the sum b.SumNS can have: all as equal as can be,
// and all but one at one of the ends.
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

// fromBig turns a number of at most 128 bits back; larger ones become the largest.
func fromBig(n *big.Int) Uint128 {
	if n.BitLen() > 128 {
		return Uint128{math.MaxUint64, math.MaxUint64}
	}
	lo := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	return Uint128{new(big.Int).Rsh(n, 64).Uint64(), lo.Uint64()}
}
