package collect

import (
	"math/bits"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A distribution says how a value is distributed over the scopes of a marker, as times are: a scope
// that allocates is another matter than a thousand of which one does. It has two halves, for what
// scopes had, and for that without the scopes directly inside. Each is addresses of groups of
// buckets, which are made when they are needed: nothing for readers of the file.
type (
	distribution [2][layout.NumBuckets / layout.GroupBuckets]groupRef

	// A groupRef is an address, 8 bytes on every platform.
	groupRef struct {
		_ [8 - unsafe.Sizeof(uintptr(0))]byte
		p *group
	}
)

// A group is a BlockSpread.
type group struct {
	kind    uint32
	shard   uint32
	bytes   uint64
	marker  uint64
	value   uint64
	first   uint64
	_       [3]uint64
	buckets [layout.GroupBuckets]bucket
}

type bucket struct{ count, sum, sqLo, sqHi uint64 }

// The structs and the layout agree, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(group{})-layout.SpreadSize]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.marker)-layout.OffSpreadMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.value)-layout.OffSpreadValue]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.first)-layout.OffSpreadFirst]
	_ = [1]struct{}{}[unsafe.Offsetof(group{}.buckets)-layout.OffSpreadData]
	_ = [1]struct{}{}[unsafe.Sizeof(bucket{})-layout.BucketSize]
)

// place is where a scope belongs in a half of the n-th distribution: with that amount in the k-th
// bucket, which is in the group at ref; nil: that was not read.
//
//go:norace
func (p *Plan) place(b *Block, f *Frame, n, half int) (amount uint64, k uint, ref *groupRef) {
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

// distribute adds the scope to its buckets; false: to none, as the block has no room.
//
//go:norace
func (p *Plan) distribute(b *Block, f *Frame) bool {
	for n := range p.distributed {
		for half := range 2 {
			if _, _, ref := p.place(b, f, n, half); ref != nil && ref.p == nil {
				return false
			}
		}
	}
	for n := range p.distributed {
		for half := range 2 {
			if amount, k, ref := p.place(b, f, n, half); ref != nil {
				ref.p.buckets[k%layout.GroupBuckets].add(amount)
			}
		}
	}
	return true
}

// MakeRoom gives a block the groups of buckets that the scope belongs into; false: there is no memory.
//
//go:norace
func (p *Plan) MakeRoom(blocks *Blocks, b *Block, f *Frame) bool {
	for n := range p.distributed {
		for half := range 2 {
			_, k, ref := p.place(b, f, n, half)
			if ref == nil || ref.p != nil {
				continue
			}
			g := (*group)(blocks.New(layout.BlockSpread, b.shard, layout.SpreadSize))
			if g == nil {
				return false
			}
			g.marker = b.marker
			g.value = uint64(p.distributed[n].value) + uint64(half)*layout.SpreadSelf
			g.first = uint64(k / layout.GroupBuckets * layout.GroupBuckets)
			blocks.Publish(unsafe.Pointer(g))
			ref.p = g
		}
	}
	return true
}

// add counts a scope.
//
//go:norace
func (b *bucket) add(amount uint64) {
	b.count++
	b.sum += amount
	hi, lo := bits.Mul64(amount, amount)
	var carry uint64
	b.sqLo, carry = bits.Add64(b.sqLo, lo, 0)
	b.sqHi += hi + carry
}
