//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/layout"
)

// An edge is a marker under one caller: the innermost marker whose scope is open
// when one of its own begins. With the key callers every edge has cells, beside
// those of the marker. With adapt those have that take another time than the
// marker does under its other callers, beyond chance; of each edge so much is known
// that this can be told. After US 8,850,402: what is slow under one caller gets
// more measurement there, and only there.
type edge struct {
	key   uint64 // index of the caller, and of the marker in the lower half
	index uint32 // of its cells; 0: none yet
	_     uint32
	// Of the logarithms of durations, base 2, in 256ths.
	n, sum, squares uint64
}

const (
	edgeRoom  = 1 << 16
	mostEdges = edgeRoom / 4 * 3

	// allCallers stands for the caller of what is known of a marker under all.
	allCallers = 1<<32 - 1

	// An edge is looked at each so many passages.
	edgeLook = 64

	// farApart is how many standard errors the means of an edge and of the rest
	// must be apart: by chance that happens once in some 10^8 looks.
	farApart = 5.7

	// notable is by how much they must differ at least, in 256ths of an octave: 4 %.
	notable = 16
)

var (
	edges     unsafe.Pointer // [edgeRoom]edge
	edgeCount uint32
	noPlace   Marker // stands for the marker of an edge's index
)

// firstEdges makes room for edges; false: there is no memory.
func firstEdges() bool {
	edges = anonymous(edgeRoom * unsafe.Sizeof(edge{}))
	edgeCount = 0
	return edges != nil
}

// edgeOf finds or makes the edge of that key; nil: there are too many.
//
//go:norace
//go:nocheckptr
func edgeOf(key uint64) *edge {
	for i := random.Mix(key); ; i++ {
		e := (*edge)(unsafe.Add(edges, uintptr(i%edgeRoom)*unsafe.Sizeof(edge{})))
		switch k := atomic.LoadUint64(&e.key); {
		case k == key:
			return e
		case k != 0:
			continue
		case atomic.AddUint32(&edgeCount, 1) > mostEdges:
			atomic.AddUint32(&edgeCount, 1<<32-1)
			return nil
		case atomic.CompareAndSwapUint64(&e.key, 0, key):
			return e
		}
		atomic.AddUint32(&edgeCount, 1<<32-1)
		i-- // somebody else has it, perhaps for the same key
	}
}

// edge records a passage through the marker of that index, whose scope is at
// position pos on the stack, under its caller.
//
//go:norace
//go:nocheckptr
//go:noinline
func (p *slot) edge(index, pos uint32, passage passage) {
	caller := uint32(0)
	if pos > 1 {
		caller = p.stack.at(pos-2).index &^ scopeBits
	}
	e := edgeOf(uint64(caller)<<32 | uint64(index))
	if e == nil {
		return
	}
	i := atomic.LoadUint32(&e.index)
	if i == 0 {
		if !conf.Callers && !e.differs(index, passage.ns) {
			return
		}
		if index == scratchIndex {
			i = scratchEdgeIndex
		} else if i = e.open(caller, index); i == 0 {
			return
		}
	}
	recordSlow(i, passage)
}

// edgeIndex is the index under which the innermost scope, of the marker of that
// index, is recorded as one of its caller's; 0: under none.
//
//go:norace
//go:nocheckptr
func (p *slot) edgeIndex(index uint32) uint32 {
	caller := uint32(0)
	if n := p.stack.n; n > 1 {
		caller = p.stack.at(n-2).index &^ scopeBits
	}
	if index < firstIndex || edges == nil {
		return 0
	}
	e := edgeOf(uint64(caller)<<32 | uint64(index))
	if e == nil {
		return 0
	}
	return atomic.LoadUint32(&e.index)
}

// open gives the edge cells of its own, and says under which index; 0: there is no
// room, or no run.
//
//go:norace
//go:nocheckptr
func (e *edge) open(caller, index uint32) uint32 {
	lock()
	defer unlock()
	if e.index != 0 {
		return e.index
	}
	if noRun() || nextIndex >= maxIndex {
		return 0
	}
	b := newBlock(layout.BlockEdge, 0, layout.BlockAlign)
	if b == nil {
		return 0
	}
	i := nextIndex
	nextIndex++
	numbers = append(numbers, 0)
	live = append(live, &noPlace)
	firsts = append(firsts, now())
	firstPassages = append(firstPassages, firstPassage{took: notFirst})
	*(*uint64)(unsafe.Add(b, layout.OffEdgeIndex)) = uint64(i - firstIndex)
	*(*uint64)(unsafe.Add(b, layout.OffEdgeCaller)) = layout.NoMarker
	if caller >= firstIndex {
		*(*uint64)(unsafe.Add(b, layout.OffEdgeCaller)) = uint64(caller - firstIndex)
	}
	*(*uint64)(unsafe.Add(b, layout.OffEdgeMarker)) = uint64(index - firstIndex)
	publish(b)
	atomic.StoreUint32(&e.index, i)
	return i
}

// differs takes note of a duration, and says whether the edge differs from the
// marker's others.
//
//go:norace
func (e *edge) differs(index uint32, ns uint64) bool {
	x := logarithm(ns)
	all := edgeOf(allCallers<<32 | uint64(index))
	if all == nil {
		return false
	}
	n := e.add(x)
	all.add(x)
	if n%edgeLook != 0 {
		return false
	}
	rest := edge{
		n:       less(atomic.LoadUint64(&all.n), n),
		sum:     less(atomic.LoadUint64(&all.sum), e.sum),
		squares: less(atomic.LoadUint64(&all.squares), e.squares),
	}
	return rest.n >= edgeLook && apart(e, &rest)
}

//go:norace
func (e *edge) add(x uint64) (n uint64) {
	atomic.AddUint64(&e.sum, x)
	atomic.AddUint64(&e.squares, x*x)
	return atomic.AddUint64(&e.n, 1)
}

// apart says whether the means of two samples differ beyond chance (Welch, The
// Generalization of "Student's" Problem when Several Different Population
// Variances are Involved, Biometrika 34, 1947), and by enough to matter.
//
//go:norace
func apart(a, b *edge) bool {
	d := a.mean() - b.mean()
	return d*d > farApart*farApart*(a.variance()+b.variance()) && d*d > notable*notable
}

//go:norace
func (e *edge) mean() float64 { return float64(e.sum) / float64(e.n) }

// variance is that of the mean.
//
//go:norace
func (e *edge) variance() float64 {
	n, m := float64(e.n), e.mean()
	return max(0, float64(e.squares)/n-m*m) / (n - 1)
}

// logarithm is that of ns to the base 2, in 256ths, with straight lines between
// powers of two.
func logarithm(ns uint64) uint64 {
	k := bucketOf(ns)
	if k >= 8 {
		return uint64(k)<<8 | ns>>(k-8)&255
	}
	return uint64(k)<<8 | ns<<(8-k)&255
}
