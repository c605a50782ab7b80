// Package relate has what is recorded of how markers relate on the stacks of goroutines: what time a marker
// takes under which caller (Edges, for the keys callers and adapt), and which markers have scopes open at
// once (Row, for the key pairs). Any goroutine may use a table at any time; nothing waits or allocates.
//
//	e := edges.Find(caller, marker)
//	if e != nil && e.Index == 0 && edges.Observe(e, ns) { … }
package relate

import (
	"math/bits"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/random"
)

// An Edge is a marker under one caller: the innermost marker whose scope is open when one of its
// own begins.
type Edge struct {
	key   uint64 // the caller, and the marker in the lower half
	Index uint32 // the user's, who reads and writes it atomically; 0 to begin with
	_     uint32
	// Of the logarithms of durations, base 2, in 256ths.
	n, sum, squares uint64
}

const (
	room      = 1 << 16
	mostEdges = room / 4 * 3

	// anyCaller stands for the caller of what is known of a marker under all.
	anyCaller = 1<<32 - 1

	// An edge is compared each so many scopes.
	compareEach = 64

	// farApart is how many standard errors the means of an edge and of the rest
	// must be apart: by chance that happens once in some 10^8 comparisons.
	farApart = 5.7

	// notable is by how much they must differ at least, in 256ths of an octave: 4 %.
	notable = 16
)

// Edges is a hash table of edges. It is empty when it is zero, and is not copied.
type Edges struct {
	of    [room]Edge
	count uint32
}

// Find gives the edge of a marker under a caller, which it makes if there is none; nil: there are too many.
// No marker is 0. A caller may be: none.
//
//go:norace
func (t *Edges) Find(caller, marker uint32) *Edge {
	key := uint64(caller)<<32 | uint64(marker)
	for i := random.Mix(key); ; i++ {
		e := &t.of[i%room]
		switch k := atomic.LoadUint64(&e.key); {
		case k == key:
			return e
		case k != 0:
			continue
		case atomic.AddUint32(&t.count, 1) > mostEdges:
			atomic.AddUint32(&t.count, 1<<32-1)
			return nil
		case atomic.CompareAndSwapUint64(&e.key, 0, key):
			return e
		}
		atomic.AddUint32(&t.count, 1<<32-1)
		i-- // somebody else has it, perhaps for the same key
	}
}

// Observe takes note of how long a scope of the edge took, ns, and says whether its marker takes another
// time there than under its other callers, beyond chance. After US 8,850,402: what is slow under one caller
// gets more measurement there, and only there.
//
//go:norace
func (t *Edges) Observe(e *Edge, ns uint64) (differs bool) {
	all := t.Find(anyCaller, uint32(e.key))
	if all == nil {
		return false
	}
	x := logarithm(ns)
	n := e.add(x)
	all.add(x)
	if n%compareEach != 0 {
		return false
	}
	rest := Edge{
		n:       less(atomic.LoadUint64(&all.n), n),
		sum:     less(atomic.LoadUint64(&all.sum), e.sum),
		squares: less(atomic.LoadUint64(&all.squares), e.squares),
	}
	return rest.n >= compareEach && apart(e, &rest)
}

// less is a-b, 0 at least: others may add meanwhile.
func less(a, b uint64) uint64 { return a - min(a, b) }

//go:norace
func (e *Edge) add(x uint64) (n uint64) {
	atomic.AddUint64(&e.sum, x)
	atomic.AddUint64(&e.squares, x*x)
	return atomic.AddUint64(&e.n, 1)
}

// apart says whether the means of two samples differ beyond chance (Welch, The
// Generalization of "Student's" Problem when Several Different Population
// Variances are Involved, Biometrika 34, 1947), and by enough to matter.
//
//go:norace
func apart(a, b *Edge) bool {
	x, v := a.mean()
	y, w := b.mean()
	return (x-y)*(x-y) > max(farApart*farApart*(v+w), notable*notable)
}

// mean gives the mean of the logarithms, and the variance of that.
//
//go:norace
func (e *Edge) mean() (mean, variance float64) {
	n := float64(e.n)
	mean = float64(e.sum) / n
	return mean, max(0, float64(e.squares)/n-mean*mean) / (n - 1)
}

// logarithm is that of ns to the base 2, in 256ths, with straight lines between
// powers of two.
func logarithm(ns uint64) uint64 {
	k := uint64(bits.Len64(ns|1) - 1)
	return k<<8 | ns<<(63-k)>>55&255
}
