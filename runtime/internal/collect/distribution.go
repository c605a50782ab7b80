package collect

import (
	"math/bits"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/internal/cell"
	"github.com/markgen/markgen/runtime/layout"
)

// A distribution is the histogram of a value over the scopes of a marker, as for times: one scope
// that allocates is not the same as one in a thousand that does. It has two halves: for the
// differences of scopes, and for the same less those of the scopes directly inside. Each half has
// the addresses of groups of buckets, which are made when needed; the addresses are meaningless to
// readers of the file.
type distribution [2][layout.NumBuckets / layout.GroupBuckets]blocks.Ref[group]

// A group is a BlockSpread.
type group struct {
	kind    uint32
	shard   uint32
	bytes   uint64
	marker  uint64
	value   uint64
	first   uint64
	_       [3]uint64
	buckets [layout.GroupBuckets]cell.Bucket
}

// These fail to compile if the structs and the layout differ.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(group{})-layout.SpreadSize]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.marker)-layout.OffSpreadMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.value)-layout.OffSpreadValue]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.first)-layout.OffSpreadFirst]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.buckets)-layout.OffSpreadData]
)

// place returns where a scope is counted in a half of the n-th distribution: its amount, the number
// k of its bucket, and the reference to the bucket's group; ref is nil if the collector could not
// be read.
//
//go:norace
func (p *Plan) place(b *Block, f *Frame, n, half int) (amount uint64, k uint, ref *blocks.Ref[group]) {
	of := &p.distributed[n]
	amount = *p.value(f, of.value)
	if half == 1 {
		amount -= min(amount, *p.inner(f, of.value))
	}
	k = uint(bits.Len64(amount)) % layout.NumBuckets
	if f.good>>of.collector&1 != 0 {
		ref = &p.distribution(b, n)[half][k/layout.GroupBuckets]
	}
	return amount, k, ref
}

// distribute adds the scope to its buckets. It returns false, and adds it to none, if a group is
// missing.
//
//go:norace
func (p *Plan) distribute(b *Block, f *Frame) bool {
	for n := range p.distributed {
		for half := range 2 {
			if _, _, ref := p.place(b, f, n, half); ref != nil && ref.P == nil {
				return false
			}
		}
	}
	for n := range p.distributed {
		for half := range 2 {
			if amount, k, ref := p.place(b, f, n, half); ref != nil {
				ref.P.buckets[k%layout.GroupBuckets].Add(amount)
			}
		}
	}
	return true
}

// MakeRoom makes the missing groups of buckets for the scope. It returns false if there is no
// memory.
//
//go:norace
func (p *Plan) MakeRoom(space *blocks.Space, b *Block, f *Frame) bool {
	if b.ofPath() {
		return true
	}
	for n := range p.distributed {
		for half := range 2 {
			_, k, ref := p.place(b, f, n, half)
			if ref == nil || ref.P != nil {
				continue
			}
			g := (*group)(space.New(layout.BlockSpread, b.shard, layout.SpreadSize))
			if g == nil {
				return false
			}
			g.marker = b.marker
			g.value = uint64(p.distributed[n].value) + uint64(half)*layout.SpreadSelf
			g.first = uint64(k / layout.GroupBuckets * layout.GroupBuckets)
			space.Publish(unsafe.Pointer(g))
			ref.P = g
		}
	}
	return true
}
