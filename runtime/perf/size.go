//go:build !markgen_off

package perf

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A marker with size= records the input size of each scope, in a BlockSizes for each processor.

// sized is a BlockSizes in memory.
type sized struct {
	kind    uint32
	shard   uint32
	bytes   uint64
	marker  uint64
	_       [5]uint64
	buckets [layout.NumBuckets]sizeBucket
	logs    [layout.NumBuckets]sizeLogs
}

type sizeLogs struct{ sum, squares uint64 }

type sizeBucket struct{ count, sizeLo, sizeHi, ns, sqLo, sqHi uint64 }

var (
	_ = [1]struct{}{}[unsafe.Sizeof(sized{})-layout.SizesSize]
	_ = [1]struct{}{}[unsafe.Sizeof(sizeBucket{})-layout.SizeSize]
	_ = [1]struct{}{}[unsafe.Offsetof(sized{}.marker)-layout.OffSizesMarker]
	_ = [1]struct{}{}[unsafe.Offsetof(sized{}.buckets)-layout.OffSizesData]
	_ = [1]struct{}{}[unsafe.Offsetof(sized{}.logs)-layout.OffSizesLogs]
	_ = [1]struct{}{}[unsafe.Sizeof(sizeLogs{})-layout.SizeLogSize]
)

// sizeCost is the cost of recordSize, ticks<<costBits; 0 if not measured yet.
var (
	sizeCost     uint64
	scratchSized sized
)

// Size sets the scope's input size, the value of a size= expression. A negative size is ignored.
func (s *Scope) Size(n int) {
	if s != nil && s.open.index != 0 {
		s.size = n + 1
	}
}

// sized records the input size n of a scope that took ns, and subtracts the time for that from the
// enclosing scopes, if the goroutine has a slot.
//
//go:norace
//go:noinline
func (p *slot) sized(i uint32, n int, ns uint64) {
	if from := recordSize(i, uint64(n), ns); from != 0 {
		p.discount(from)
	}
	if p != nil {
		p.over += sizeCost
	}
}

// recordSize records that a scope of the marker of that index had an input of size n, and took ns.
// If it has to make room, it returns the tick at which it began to.
//
//go:norace
//go:nocheckptr
func recordSize(i uint32, n, ns uint64) (from uint64) {
	for {
		pid := procPin()
		if uint(pid) < layout.MaxShards {
			if d := shards[pid].sizes; d != nil && uint64(i) < d.n && d.of[i%maxIndex] != nil {
				d.of[i%maxIndex].add(n, ns)
				procUnpin()
				return from
			}
		}
		procUnpin()
		if from == 0 {
			from = now()
		}
		if prepareSize(pid, i, n, ns) {
			return from
		}
	}
}

//go:norace
func (s *sized) add(n, ns uint64) {
	k := bits.Len64(n) % layout.NumBuckets
	b := &s.buckets[k]
	b.count++
	var carry uint64
	b.sizeLo, carry = bits.Add64(b.sizeLo, n, 0)
	b.sizeHi += carry
	b.ns += ns
	hi, lo := bits.Mul64(ns, ns)
	b.sqLo, carry = bits.Add64(b.sqLo, lo, 0)
	b.sqHi += hi + carry
	log := sizeLog(ns)
	s.logs[k].sum += log
	s.logs[k].squares += log * log
}

// sizeLog returns the base-2 logarithm of a time, in units of 1/SizeLogUnit. Between two powers of
// two, where the fraction is f, it is f + 0.344 f(1-f), with an error below a hundredth.
func sizeLog(ns uint64) uint64 {
	ns += layout.SizeLogAdd
	k := uint(bits.Len64(ns)-1) % 64
	f := ns << (63 - k) >> 55 & 255
	return uint64(k)*layout.SizeLogUnit + f + f*(layout.SizeLogUnit-f)*88>>16
}

// prepareSize makes a block for the marker on a processor. It returns true if nothing is left to
// do: the size was recorded, on a processor that shares its blocks, or there is no memory or no
// run.
//
//go:norace
//go:nocheckptr
func prepareSize(pid int, i uint32, n, ns uint64) (done bool) {
	lock()
	defer unlock()
	if noRun() || i < firstIndex || i >= nextIndex || pid < 0 {
		return true
	}
	if sizeCost == 0 {
		measureSize()
	}
	shard := min(pid, layout.MaxShards)
	d := extend(&shards[shard].sizes, i)
	if d == nil {
		return true
	}
	usedShards = max(usedShards, shard+1)
	b := d.of[i]
	if b == nil {
		if b = (*sized)(space.New(layout.BlockSizes, uint32(shard), layout.SizesSize)); b == nil {
			return true
		}
		b.marker = uint64(i - firstIndex)
		space.Publish(unsafe.Pointer(b))
		atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&d.of[i])), unsafe.Pointer(b))
	}
	if pid >= layout.MaxShards {
		b.add(n, ns)
		return true
	}
	return false
}

// measureSize measures the cost of recording a size.
//
//go:norace
func measureSize() {
	from := now()
	for range batch {
		procPin()
		scratchSized.add(uint64(sizeCost), from)
		procUnpin()
	}
	sizeCost = max((now()-from)<<costBits/batch, 1)
}
