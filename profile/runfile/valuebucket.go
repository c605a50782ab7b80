package runfile

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// A spreadKey identifies a BlockSpread.
type spreadKey struct {
	cellKey
	value, first uint64
}

// spread reads a group of buckets of the values that one processor read at one marker.
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
	key := spreadKey{cellKey{b.shard, index}, value, first}
	if r.spreadAt[key] {
		return r.damaged(b.offset, "a second time the buckets from number %d on of value number %#x of marker number %d; they are left out", first, value, index)
	}
	var list []profile.ValueBucket
	for i := range layout.GroupBuckets {
		words := data[layout.OffSpreadData+i*layout.BucketSize:][:layout.BucketSize]
		bucket := profile.ValueBucket{
			K:     uint8(first) + uint8(i),
			Count: r.order.Uint64(words[layout.BucketCount:]),
			Sum:   r.order.Uint64(words[layout.BucketSum:]),
			SumSq: profile.Uint128{Hi: r.order.Uint64(words[layout.BucketSqHi:]), Lo: r.order.Uint64(words[layout.BucketSqLo:])},
		}
		if bucket.Count == 0 {
			continue
		}
		if !bucket.Settle(r.tolerance) {
			return r.damaged(b.offset, "buckets of a value of marker number %d whose figures contradict each other; they are left out", index)
		}
		list = append(list, bucket)
	}
	r.spreadAt[key] = true
	v := profile.Value{Name: r.names.values[number]}
	if self != 0 {
		v.SelfBuckets = list
	} else {
		v.Buckets = list
	}
	r.total(index).Add(&profile.Marker{Readings: []profile.Reading{{Collector: r.names.collector(number), Values: []profile.Value{v}}}})
	return nil
}
