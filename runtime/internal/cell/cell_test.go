package cell

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

// The buckets, sums and extremes of a cell match the durations added.
func TestCell(t *testing.T) {
	var c Cell
	var groups [layout.NumBuckets / layout.GroupBuckets]Group
	c.Min = math.MaxUint64
	type want struct {
		count   uint64
		sum, sq big.Int
	}
	var buckets [layout.NumBuckets]want
	durations := []uint64{0, 1, 2, 3, 4, 7, 8, 1 << 31, 1 << 32, 1<<32 + 1, 1 << 40, math.MaxInt64}
	for range 1000 {
		durations = append(durations, rand.Uint64()>>(8+rand.IntN(56)))
	}
	var self, least, most uint64
	least = math.MaxUint64
	for _, ns := range durations {
		if g := &c.Groups[BucketOf(ns)/layout.GroupBuckets].P; *g == nil {
			if c.Bucket(ns) != nil {
				t.Fatal("a bucket without a group")
			}
			*g = &groups[BucketOf(ns)/layout.GroupBuckets]
		}
		c.Bucket(ns).Add(ns)
		c.Note(ns, ns/2, 3*ns, ns+1)
		self += ns / 2
		least, most = min(least, ns), max(most, ns)
		k := 0
		for k < 63 && ns >= 1<<(k+1) {
			k++
		}
		b := &buckets[k]
		b.count++
		d := new(big.Int).SetUint64(ns)
		b.sum.Add(&b.sum, d)
		b.sq.Add(&b.sq, d.Mul(d, d))
	}
	for k := range buckets {
		got, want := &groups[k/layout.GroupBuckets].Buckets[k%layout.GroupBuckets], &buckets[k]
		sq := new(big.Int).SetUint64(got.SqHi)
		sq.Lsh(sq, 64).Add(sq, new(big.Int).SetUint64(got.SqLo))
		if got.Count != want.count || want.sum.Cmp(new(big.Int).SetUint64(got.Sum)) != 0 || want.sq.Cmp(sq) != 0 {
			t.Errorf("bucket %d: %+v, want %d, %v, %v", k, got, want.count, &want.sum, &want.sq)
		}
	}
	if c.Self != self || c.Min != least || c.Max != most || c.Last != durations[len(durations)-1]+1 {
		t.Errorf("self %d, min %d, max %d, last %d", c.Self, c.Min, c.Max, c.Last)
	}
}

// The groups of a cell are made where they are needed.
func TestGroups(t *testing.T) {
	var arena blocks.Arena
	var space blocks.Space
	space.Open(nil, nil, &arena, nil)
	c := New(&space, 3, 7)
	for _, ns := range []uint64{0, 5, 1 << 40, 1 << 63} {
		if c.Bucket(ns) != nil || !c.MakeGroup(&space, BucketOf(ns)) || !c.MakeGroup(&space, BucketOf(ns)) {
			t.Fatalf("%d ns: no group, or too early", ns)
		}
		c.Bucket(ns).Add(ns)
		g := c.Groups[BucketOf(ns)/layout.GroupBuckets].P
		if g.Shard != 3 || g.Marker != 7 || g.Buckets[BucketOf(ns)-g.First].Count != 1 {
			t.Errorf("%d ns: %+v", ns, g)
		}
		for k := range c.Groups {
			c.Groups[k].P = nil
		}
		c.Least, c.Latest.P = 0, nil
	}
}
