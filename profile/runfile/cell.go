package runfile

import (
	"math/bits"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// A cell is the data that one processor recorded at one marker.
type cell struct {
	offset              uint64 // of its block in the file; 0 if only bucket blocks were seen
	marker              uint64 // global index
	shard               uint32
	next                *cell // same marker, another processor
	count, self, nested uint64
	ticks               uint64
	min, max            uint64 // ns
	seen, rate          uint64 // seen calls, of which one in rate was timed
	last                uint64 // end of the latest scope, in ticks; 0 if there was none
	buckets             []profile.Bucket
}

// tolerance is the number of calls by which the words of a bucket may disagree. The runtime writes
// them one after the other: if the process was killed, its last call may be in some of them only,
// and while it runs, calls may be recorded between reading the first word and the last.
const (
	toleranceKilled  = 1
	toleranceRunning = 1 << 20
)

// parseCell sets c from the bytes of its block. Buckets are in blocks of their own.
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

// parseBuckets appends the buckets in data, the bytes of a block of buckets from number first on.
// Words that disagree by at most tolerance calls are reconciled. It returns ok = false if they
// disagree by more: no program wrote that.
func (in *input) parseBuckets(list []profile.Bucket, data []byte, first uint8, tolerance uint64) (_ []profile.Bucket, ok bool) {
	order := in.order
	for i := range layout.GroupBuckets {
		words := data[layout.OffBucketsData+i*layout.BucketSize:][:layout.BucketSize]
		count, sum := order.Uint64(words[layout.BucketCount:]), order.Uint64(words[layout.BucketSum:])
		sq := profile.Uint128{Hi: order.Uint64(words[layout.BucketSqHi:]), Lo: order.Uint64(words[layout.BucketSqLo:])}
		if count|sum|sq.Lo|sq.Hi == 0 {
			continue
		}
		b := profile.Bucket{K: first + uint8(i), Count: count, SumNS: sum, SumSq: sq}
		if b, ok = b.Settle(tolerance); !ok {
			return nil, false
		}
		if b.Count > 0 {
			list = append(list, b)
		}
	}
	return list, true
}

// settle makes the words of the cell agree with its buckets. It returns false if they disagree by
// more than tolerance calls. If partial, some buckets may be missing in the file although the other
// words include them.
func (c *cell) settle(tolerance uint64, partial bool) (ok bool) {
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
	// The extremes are written last and may be missing a call. They lie in the outermost buckets.
	first, last := c.buckets[0], c.buckets[len(c.buckets)-1]
	c.min = min(max(c.min, first.LoNS()), first.HiNS()-1)
	c.max = min(max(c.max, last.LoNS(), c.min), last.HiNS()-1)

	// Neither self time nor nested time exceeds the total time.
	over, slack := bits.Mul64(tolerance, last.HiNS())
	if most := profile.Add64(total, slack); over == 0 && !partial && (c.self > most || c.nested > most) {
		return false
	}
	c.self, c.nested = min(c.self, total), min(c.nested, total)
	return true
}
