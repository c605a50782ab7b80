package collect

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

// A Block is a BlockRead: the readings of a marker's scopes on a processor. It is followed by a
// tally of each collector, sums of each value, and the distributions.
type Block struct {
	kind       uint32
	shard      uint32
	bytes      uint64
	marker     uint64
	collectors uint64
	values     uint64
	_          [3]uint64
}

type (
	tally struct{ scopes, dropped uint64 }
	sums  struct{ sum, self, nested uint64 }
)

// These fail to compile if the structs and the layout differ.
var (
	_ = [1]struct{}{}[unsafe.Offsetof(Block{}.marker)-layout.OffReadMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(Block{}.collectors)-layout.OffReadCollectors]
	_ = [1]struct{}{}[unsafe.Offsetof(Block{}.values)-layout.OffReadValues]
	_ = [1]struct{}{}[unsafe.Sizeof(Block{})-layout.OffReadData]
	_ = [1]struct{}{}[unsafe.Offsetof(tally{}.scopes)-layout.ReadScopes]
	_ = [1]struct{}{}[unsafe.Offsetof(tally{}.dropped)-layout.ReadDropped]
	_ = [1]struct{}{}[unsafe.Sizeof(tally{})-layout.ReadSize]
	_ = [1]struct{}{}[unsafe.Offsetof(sums{}.sum)-layout.ReadValueSum]
	_ = [1]struct{}{}[unsafe.Offsetof(sums{}.self)-layout.ReadValueSelf]
	_ = [1]struct{}{}[unsafe.Offsetof(sums{}.nested)-layout.ReadValueNested]
	_ = [1]struct{}{}[unsafe.Sizeof(sums{})-layout.ReadValueSize]
)

// tally, sums and distribution return the parts of a block: the tally of the k-th collector, the
// sums of the v-th value, and the n-th distribution.
//
//go:norace
//go:nocheckptr
func (p *Plan) tally(b *Block, k int) *tally {
	return (*tally)(unsafe.Add(unsafe.Pointer(b), layout.OffReadData+layout.ReadSize*k))
}

//go:norace
//go:nocheckptr
func (p *Plan) sums(b *Block, v int) *sums {
	return (*sums)(unsafe.Add(unsafe.Pointer(p.tally(b, len(p.readers))), layout.ReadValueSize*v))
}

//go:norace
//go:nocheckptr
func (p *Plan) distribution(b *Block, n int) *distribution {
	return (*distribution)(unsafe.Add(unsafe.Pointer(p.sums(b, p.values)), int(unsafe.Sizeof(distribution{}))*n))
}

// ofPath reports whether the block is that of a path, which has no distributions.
//
//go:norace
func (b *Block) ofPath() bool { return b.marker&layout.ReadPath != 0 }

// NewBlock makes the block of a marker, or with ReadPath of a path, on a processor. It returns nil if
// there is no memory.
//
//go:norace
//go:nocheckptr
func (p *Plan) NewBlock(space *blocks.Space, shard uint32, marker uint64) *Block {
	size := layout.OffReadData + layout.ReadSize*len(p.readers) + layout.ReadValueSize*p.values
	if marker&layout.ReadPath == 0 {
		size += int(unsafe.Sizeof(distribution{})) * len(p.distributed)
	}
	b := (*Block)(space.New(layout.BlockRead, shard, uintptr(size)))
	if b != nil {
		b.marker, b.collectors, b.values = marker, uint64(len(p.readers)), uint64(p.values)
		space.Publish(unsafe.Pointer(b))
	}
	return b
}

// Record adds a scope's differences to a block; nested says that it is inside another scope of the
// marker. No other goroutine may write the block meanwhile. It returns false if nothing was added,
// see MakeRoom.
//
//go:norace
func (p *Plan) Record(b *Block, f *Frame, nested bool) bool {
	if len(p.distributed) > 0 && !b.ofPath() && !p.distribute(b, f) {
		return false
	}
	for k := range p.readers {
		t := p.tally(b, k)
		if f.good>>k&1 == 0 {
			t.dropped++
			continue
		}
		t.scopes++
		for v := p.readers[k].first; v < p.readers[k].end; v++ {
			d, s := *p.value(f, v), p.sums(b, v)
			s.sum += d
			s.self += d - min(d, *p.inner(f, v))
			if nested {
				s.nested += d
			}
		}
	}
	return true
}
