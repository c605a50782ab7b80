package profile

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/markgen/markgen/runtime/layout"
)

// cell is what one processor recorded at one marker.
type cell struct {
	offset              uint64 // of its block; 0: there are only buckets
	marker              uint64 // global index
	shard               uint32
	next                *cell // of the same marker, on another processor
	count, self, nested uint64
	ticks               uint64
	min, max            uint64 // ns
	seen, rate          uint64 // passages of which one in rate was timed
	last                uint64 // tick of the latest scope's end; 0 if there was none
	buckets             []Bucket
}

// torn is by how many passages the figures of a bucket may disagree. They are
// written one after the other: the last passage of a killed process may be in
// some of them only, and while the program runs, others may come and go between
// the reading of the first figure and of the last.
const (
	tornKilled  = 1
	tornRunning = 1 << 20
)

// parseCell fills in c from the bytes of its block; its buckets are elsewhere.
func (in *input) parseCell(c *cell, data []byte) {
	word := func(offset int) uint64 { return in.order.Uint64(data[offset:]) }
	c.count = word(layout.CellPasses)
	c.self = word(layout.CellSelf)
	c.nested = word(layout.CellNested)
	c.ticks = word(layout.CellTicks)
	c.min = word(layout.CellMin)
	c.max = word(layout.CellMax)
	c.last = word(layout.CellLast)
	c.seen = word(layout.CellSeen)
	c.rate = word(layout.CellRate)
}

// parseBuckets appends the buckets of a group, the first of which has the number
// first, from the bytes of its block. Figures that disagree by no more than torn
// passages are reconciled; if they do by more, ok is false: no program ever
// wrote that.
func (in *input) parseBuckets(list []Bucket, data []byte, first uint8, torn uint64) (_ []Bucket, ok bool) {
	order := in.order
	for i := range layout.GroupBuckets {
		words := data[layout.OffBucketsData+i*layout.BucketSize:][:layout.BucketSize]
		count, sum := order.Uint64(words[layout.BucketCount:]), order.Uint64(words[layout.BucketSum:])
		sq := Uint128{Hi: order.Uint64(words[layout.BucketSqHi:]), Lo: order.Uint64(words[layout.BucketSqLo:])}
		if count|sum|sq.Lo|sq.Hi == 0 {
			continue
		}
		b := Bucket{K: first + uint8(i), Count: count, SumNS: sum, SumSq: sq}
		if !plausible(b.K, count, sum, sq) {
			if b, ok = reconcile(b, torn); !ok {
				return nil, false
			}
		}
		if b.Count > 0 {
			list = append(list, b)
		}
	}
	return list, true
}

// settle makes the figures of the cell agree with its buckets, or if they do not
// by more than torn passages says no. With partial some of its buckets may not be in the
// file, while all passages are in its other figures.
func (c *cell) settle(torn uint64, partial bool) (ok bool) {
	total := uint64(0)
	for _, b := range c.buckets {
		var carry uint64
		if c.count, carry = bits.Add64(c.count, b.Count, 0); carry != 0 {
			return false
		}
		total = add64(total, b.SumNS)
	}
	if len(c.buckets) == 0 {
		c.min, c.max, c.last, c.self, c.ticks, c.nested = 0, 0, 0, 0, 0, 0
		return true
	}
	// The extremes are written last, too. They lie in the outermost buckets.
	first, last := c.buckets[0], c.buckets[len(c.buckets)-1]
	c.min = min(max(c.min, first.LoNS()), first.HiNS()-1)
	c.max = min(max(c.max, last.LoNS(), c.min), last.HiNS()-1)

	// No scope's self time is more than its time, nor what was nested.
	over, slack := bits.Mul64(torn, last.HiNS())
	if most := add64(total, slack); over == 0 && !partial && (c.self > most || c.nested > most) {
		return false
	}
	c.self, c.nested = min(c.self, total), min(c.nested, total)
	return true
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
