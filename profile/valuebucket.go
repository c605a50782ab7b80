package profile

import (
	"math"
	"slices"

	"github.com/markgen/markgen/runtime/layout"
)

// A ValueBucket is the scopes in which a value grew by from Lo up to, not including,
// Hi: bucket 0 is for 0, and bucket K for 2^(K-1) ≤ difference < 2^K.
type ValueBucket struct {
	K     uint8 // 0 … 63
	Count uint64
	Sum   uint64  // of the differences
	SumSq Uint128 // of their squares
}

// Lo is the smallest difference that belongs into the bucket.
func (b *ValueBucket) Lo() uint64 { return 1 << b.K >> 1 }

// Hi is the smallest difference that is too large for it.
func (b *ValueBucket) Hi() uint64 { return 1 << b.K }

// addValueBuckets adds the buckets b to a, each sorted by K. It changes a, not b, and the
// result shares no memory with b.
func addValueBuckets(a, b []ValueBucket) []ValueBucket {
	if a == nil {
		return slices.Clone(b)
	}
	i := 0
	for _, add := range b {
		for i < len(a) && a[i].K < add.K {
			i++
		}
		if i == len(a) || a[i].K != add.K {
			a = slices.Insert(a, i, ValueBucket{K: add.K})
		}
		sum := &a[i]
		sum.Count = add64(sum.Count, add.Count)
		sum.Sum = add64(sum.Sum, add.Sum)
		sum.SumSq = sum.SumSq.Add(add.SumSq)
	}
	return a
}

// spreadPart names a BlockSpread.
type spreadPart struct {
	part
	value, first uint64
}

// spread takes in how some of the differences are spread that one processor has of a
// marker.
func (r *run) spread(b block) error {
	data, err := r.content(b, layout.SpreadSize)
	if err != nil {
		return err
	}
	index := r.order.Uint64(data[layout.OffSpreadMarker:])
	value := r.order.Uint64(data[layout.OffSpreadValue:])
	first := r.order.Uint64(data[layout.OffSpreadFirst:])
	self, number := value/layout.SpreadSelf, value%layout.SpreadSelf
	if r.names == nil || number >= uint64(len(r.names.values)) || self > 1 {
		return r.damaged(b.offset, "how value number %#x is spread, which the file does not name; it is left out", value)
	}
	if first >= layout.NumBuckets || first%layout.GroupBuckets != 0 {
		return r.damaged(b.offset, "buckets of a value from number %d on; they are left out", first)
	}
	key := spreadPart{part{b.shard, index}, value, first}
	if r.spreadAt[key] {
		return r.damaged(b.offset, "a second time the buckets from number %d on of value number %#x of marker number %d; they are left out", first, value, index)
	}
	var list []ValueBucket
	for i := range layout.GroupBuckets {
		words := data[layout.OffSpreadData+i*layout.BucketSize:][:layout.BucketSize]
		bucket := ValueBucket{
			K:     uint8(first) + uint8(i),
			Count: r.order.Uint64(words[layout.BucketCount:]),
			Sum:   r.order.Uint64(words[layout.BucketSum:]),
			SumSq: Uint128{Hi: r.order.Uint64(words[layout.BucketSqHi:]), Lo: r.order.Uint64(words[layout.BucketSqLo:])},
		}
		if bucket.Count == 0 {
			continue
		}
		if !bucket.settle(r.torn) {
			return r.damaged(b.offset, "buckets of a value of marker number %d whose figures contradict each other; they are left out", index)
		}
		list = append(list, bucket)
	}
	r.spreadAt[key] = true
	v := Value{Name: r.names.values[number]}
	if self != 0 {
		v.SelfBuckets = list
	} else {
		v.Buckets = list
	}
	m := r.figures(index)
	m.Readings = addReadings(m.Readings, []Reading{{Collector: r.names.collector(number), Values: []Value{v}}})
	return nil
}

// Sound tells whether the figures of the bucket can be those of some scopes, as Bucket.Sound does.
func (b ValueBucket) Sound() bool {
	same := b
	return b.K < 64 && b.Count > 0 && same.settle(0) && same == b
}

// settle makes the sums of the bucket those that as many differences can have, or if they
// are off by more than torn scopes says no.
func (b *ValueBucket) settle(torn uint64) (ok bool) {
	if b.K >= 2 { // a bucket of times has that range
		same, ok := Bucket{K: b.K - 1, Count: b.Count, SumNS: b.Sum, SumSq: b.SumSq}, true
		if !plausible(same.K, same.Count, same.SumNS, same.SumSq) {
			same, ok = reconcile(same, torn)
		}
		b.Sum, b.SumSq = same.SumNS, same.SumSq
		return ok
	}
	if b.Count > math.MaxUint64-torn {
		return false
	}
	most := b.Count * uint64(b.K) // all are 0, or all are 1
	if slack := torn * uint64(b.K); b.Sum > most+slack || b.Sum < most-min(most, slack) ||
		b.SumSq.Hi != 0 || b.SumSq.Lo > most+slack || b.SumSq.Lo < most-min(most, slack) {
		return false
	}
	b.Sum, b.SumSq = most, Uint128{Lo: most}
	return true
}
