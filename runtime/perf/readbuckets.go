//go:build !markgen_off

package perf

import (
	"math/bits"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// Of some collectors it is recorded how the values are spread over the scopes of a
// marker, as times are: a scope that allocates is another matter than a thousand of
// which one does. Each value has two spreads, of the differences as they are and
// without those of the scopes directly inside.

// A spread leads to the groups of buckets of one value, from behind the words of a
// BlockRead: addresses, nothing for readers of the file.
type spread [2][layout.NumBuckets / layout.GroupBuckets]spreadRef

type spreadRef struct {
	_ [8 - unsafe.Sizeof(uintptr(0))]byte
	p *spreadGroup
}

// A spreadGroup is a BlockSpread.
type spreadGroup struct {
	kind    uint32
	shard   uint32
	bytes   uint64
	marker  uint64
	value   uint64
	first   uint64
	_       [3]uint64
	buckets [layout.GroupBuckets]bucket
}

const spreadSize = unsafe.Sizeof(spread{})

// The struct and the layout agree, or this does not compile.
var (
	_ = [1]struct{}{}[unsafe.Sizeof(spreadGroup{})-layout.SpreadSize]
	_ = [1]struct{}{}[unsafe.Offsetof(spreadGroup{}.marker)-layout.OffSpreadMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(spreadGroup{}.value)-layout.OffSpreadValue]
	_ = [1]struct{}{}[unsafe.Offsetof(spreadGroup{}.first)-layout.OffSpreadFirst]
	_ = [1]struct{}{}[unsafe.Offsetof(spreadGroup{}.buckets)-layout.OffSpreadData]
)

// spreadBucket is the number of the bucket that a difference belongs into.
func spreadBucket(d uint64) uint { return uint(bits.Len64(d)) % layout.NumBuckets }

// spreadsAt is where in a block the first spread is.
func (p *plan) spreadsAt() uintptr {
	return layout.OffReadData + p.collectors*layout.ReadSize + p.values*layout.ReadValueSize
}

// spreadOf is the n-th spread of the block.
//
//go:norace
//go:nocheckptr
func (p *plan) spreadOf(b *reads, n uintptr) *spread {
	return (*spread)(unsafe.Add(unsafe.Pointer(b), p.spreadsAt()+n*spreadSize))
}

// amounts are what a scope has of the value of the n-th spread, as it is and without
// the scopes inside; ok is false if that was not read.
//
//go:norace
func (p *plan) amounts(frame *snapshot, n uintptr) (amounts [2]uint64, ok bool) {
	v := uintptr(p.spreadOn[n].value)
	d := *p.value(frame, v)
	return [2]uint64{d, less(d, *p.inner(frame, v))}, frame.good>>p.spreadOn[n].collector&1 != 0
}

// spreadsIn says whether the block has the groups of buckets that the scope belongs
// into.
//
//go:norace
func (p *plan) spreadsIn(b *reads, frame *snapshot) bool {
	for n := range p.spreads {
		amounts, ok := p.amounts(frame, n)
		s := p.spreadOf(b, n)
		if ok && (s[0][spreadBucket(amounts[0])/layout.GroupBuckets].p == nil || s[1][spreadBucket(amounts[1])/layout.GroupBuckets].p == nil) {
			return false
		}
	}
	return true
}

// spread adds the scope to its buckets.
//
//go:norace
func (p *plan) spread(b *reads, frame *snapshot) {
	for n := range p.spreads {
		amounts, ok := p.amounts(frame, n)
		if !ok {
			continue
		}
		s := p.spreadOf(b, n)
		for i, d := range amounts {
			k := spreadBucket(d)
			s[i][k/layout.GroupBuckets].p.buckets[k%layout.GroupBuckets].add(d)
		}
	}
}

// makeSpreads gives the block the groups that the scope belongs into; false: there is
// no memory. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func (p *plan) makeSpreads(b *reads, frame *snapshot) bool {
	for n := range p.spreads {
		amounts, ok := p.amounts(frame, n)
		s := p.spreadOf(b, n)
		for i, d := range amounts {
			k := spreadBucket(d) / layout.GroupBuckets
			if !ok || s[i][k].p != nil {
				continue
			}
			g := (*spreadGroup)(newBlock(layout.BlockSpread, b.shard, layout.SpreadSize))
			if g == nil {
				return false
			}
			g.marker = b.marker
			g.value = uint64(p.spreadOn[n].value) + uint64(i)*layout.SpreadSelf
			g.first = uint64(k * layout.GroupBuckets)
			publish(unsafe.Pointer(g))
			s[i][k].p = g
		}
	}
	return true
}
