package runfile

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// sizes reads the block with one processor's data of a marker by input size.
func (r *run) sizes(b block) error {
	logged := b.size >= layout.SizesSize
	length := uint64(layout.OffSizesLogs)
	if logged {
		length = layout.SizesSize
	}
	data, err := r.content(b, length)
	if err != nil {
		return err
	}
	index := r.order.Uint64(data[layout.OffSizesMarker:])
	key := cellKey{b.shard, index}
	if r.sizesAt[key] {
		return r.damaged(b.offset, "a second time sizes of marker number %d on processor %d; they are left out", index, b.shard)
	}
	var list []profile.SizeBucket
	for k := range layout.NumBuckets {
		words := data[layout.OffSizesData+k*layout.SizeSize:][:layout.SizeSize]
		word := func(offset int) uint64 { return r.order.Uint64(words[offset:]) }
		bucket := profile.SizeBucket{
			K:       uint8(k),
			Count:   word(layout.SizeCount),
			SumSize: profile.Uint128{Hi: word(layout.SizeSumHi), Lo: word(layout.SizeSumLo)},
			SumNS:   word(layout.SizeNS),
			SumSq:   profile.Uint128{Hi: word(layout.SizeSqHi), Lo: word(layout.SizeSqLo)},
		}
		if bucket.Count == 0 {
			continue
		}
		if logged {
			logs := data[layout.OffSizesLogs+k*layout.SizeLogSize:]
			bucket.Logged = bucket.Count
			bucket.SumLog = r.order.Uint64(logs[layout.SizeLogSum:])
			bucket.SumLogSq = r.order.Uint64(logs[layout.SizeLogSquare:])
			if bucket.SettleLogs(r.tolerance); bucket.Logged == 0 {
				bucket.SumLog, bucket.SumLogSq = 0, 0
			}
		}
		if !bucket.Settle(r.tolerance) {
			return r.damaged(b.offset, "sizes of marker number %d whose figures contradict each other; they are left out", index)
		}
		list = append(list, bucket)
	}
	r.sizesAt[key] = true
	r.total(index).Add(&profile.Marker{Sizes: list})
	return nil
}
