// Package sizes adds up the times of scopes by the size of their input, for markers with size=.
//
//	b := sizes.New(&space, shard, marker)
//	b.Add(uint64(len(input)), ns)
package sizes

import (
	"math/bits"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

// A Block is a BlockSizes. One processor at a time adds to it.
type Block struct {
	_       [0]func() // not comparable: == would add code
	kind    uint32
	shard   uint32
	bytes   uint64
	marker  uint64
	_       [5]uint64
	buckets [layout.NumBuckets]bucket
	logs    [layout.NumBuckets]logSums
}

type bucket struct{ count, sizeLo, sizeHi, ns, sqLo, sqHi uint64 }

type logSums struct{ sum, squares uint64 }

// These fail to compile if the structs and the layout differ.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(Block{})-layout.SizesSize]
	_ = [1]struct{}{}[unsafe.Sizeof(bucket{})-layout.SizeSize]
	_ = [1]struct{}{}[unsafe.Offsetof(Block{}.marker)-layout.OffSizesMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(Block{}.buckets)-layout.OffSizesData]
	_ = [1]struct{}{}[unsafe.Offsetof(Block{}.logs)-layout.OffSizesLogs]
	_ = [1]struct{}{}[unsafe.Sizeof(logSums{})-layout.SizeLogSize]
)

// New makes the block of a marker on a processor. It returns nil if there is no memory.
//
//go:norace
func New(space *blocks.Space, shard uint32, marker uint64) *Block {
	b := (*Block)(space.New(layout.BlockSizes, shard, layout.SizesSize))
	if b != nil {
		b.marker = marker
		space.Publish(unsafe.Pointer(b))
	}
	return b
}

// Add adds a scope with an input of size n that took ns.
//
//go:norace
func (b *Block) Add(n, ns uint64) {
	k := bits.Len64(n) % layout.NumBuckets
	of := &b.buckets[k]
	of.count++
	var carry uint64
	of.sizeLo, carry = bits.Add64(of.sizeLo, n, 0)
	of.sizeHi += carry
	of.ns += ns
	hi, lo := bits.Mul64(ns, ns)
	of.sqLo, carry = bits.Add64(of.sqLo, lo, 0)
	of.sqHi += hi + carry
	log := logarithm(ns)
	b.logs[k].sum += log
	b.logs[k].squares += log * log
}

// Count returns the number of scopes.
func (b *Block) Count() (n uint64) {
	for i := range b.buckets {
		n += b.buckets[i].count
	}
	return n
}

// logarithm returns the base-2 logarithm of a time, in units of 1/SizeLogUnit. Between two powers of
// two, where the fraction is f, it is f + 0.344 f(1-f), with an error below a hundredth.
func logarithm(ns uint64) uint64 {
	ns += layout.SizeLogAdd
	k := uint(bits.Len64(ns)-1) % 64
	f := ns << (63 - k) >> 55 & 255
	return uint64(k)*layout.SizeLogUnit + f + f*(layout.SizeLogUnit-f)*88>>16
}
