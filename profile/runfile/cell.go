package runfile

import (
	"math/bits"

	"github.com/markgen/markgen/profile"
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
	buckets             []profile.Bucket
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
func (in *input) parseBuckets(list []profile.Bucket, data []byte, first uint8, torn uint64) (_ []profile.Bucket, ok bool) {
	order := in.order
	for i := range layout.GroupBuckets {
		words := data[layout.OffBucketsData+i*layout.BucketSize:][:layout.BucketSize]
		count, sum := order.Uint64(words[layout.BucketCount:]), order.Uint64(words[layout.BucketSum:])
		sq := profile.Uint128{Hi: order.Uint64(words[layout.BucketSqHi:]), Lo: order.Uint64(words[layout.BucketSqLo:])}
		if count|sum|sq.Lo|sq.Hi == 0 {
			continue
		}
		b := profile.Bucket{K: first + uint8(i), Count: count, SumNS: sum, SumSq: sq}
		if b, ok = b.Settle(torn); !ok {
			return nil, false
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
		total = profile.Add64(total, b.SumNS)
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
	if most := profile.Add64(total, slack); over == 0 && !partial && (c.self > most || c.nested > most) {
		return false
	}
	c.self, c.nested = min(c.self, total), min(c.nested, total)
	return true
}
