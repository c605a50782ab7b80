// Package relate records relations of markers on goroutine stacks: durations of a marker by caller
// (Edges, for the keys callers and adapt), and which markers have scopes open at once (Row, for the
// key pairs). Any goroutine may use a table at any time; no function blocks or allocates.
//
//	e := edges.Find(caller, marker)
//	if e != nil && e.Index == 0 && edges.Observe(e, ns) { … }
package relate

import (
	"math/bits"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/random"
)

// An Edge is a marker under one caller: the innermost marker whose scope is open when a scope of
// the edge's marker begins.
type Edge struct {
	key   uint64 // the caller in the upper half, the marker in the lower
	Index uint32 // for the user, who accesses it atomically; initially 0
	_     uint32
	// Sums over the logarithms of durations, base 2, in 256ths.
	n, sum, squares uint64
}

const (
	room     = 1 << 16
	maxEdges = room / 4 * 3

	// anyCaller is the caller of the edge with a marker's scopes under all callers.
	anyCaller = 1<<32 - 1

	// compareEach is the number of scopes between two comparisons of an edge.
	compareEach = 64

	// farApart is how many standard errors the means of an edge and of the rest must be apart: by
	// chance that happens once in some 10^8 comparisons.
	farApart = 5.7

	// notable is the minimum difference of the means, in 256ths of an octave: 4 %.
	notable = 16
)

// Edges is a hash table of edges. The zero Edges is empty. It must not be copied.
type Edges struct {
	of    [room]Edge
	count uint32
}

// Find returns the edge of a marker under a caller, making it if necessary, or nil if there are too
// many edges. The marker is not 0; caller is 0 if there is none.
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
		case atomic.AddUint32(&t.count, 1) > maxEdges:
			atomic.AddUint32(&t.count, 1<<32-1)
			return nil
		case atomic.CompareAndSwapUint64(&e.key, 0, key):
			return e
		}
		atomic.AddUint32(&t.count, 1<<32-1)
		i-- // another goroutine has taken the place, perhaps for the same key
	}
}

// Observe adds the duration of a scope of the edge, in ns, and reports whether its marker's
// durations there differ significantly from those under its other callers. After US 8,850,402: a
// function that is slow under one caller is measured in more detail there, and only there.
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
		n:       subtract(atomic.LoadUint64(&all.n), n),
		sum:     subtract(atomic.LoadUint64(&all.sum), e.sum),
		squares: subtract(atomic.LoadUint64(&all.squares), e.squares),
	}
	return rest.n >= compareEach && apart(e, &rest)
}

// subtract returns a-b, or 0 if b is larger, since other goroutines may be adding.
func subtract(a, b uint64) uint64 { return a - min(a, b) }

//go:norace
func (e *Edge) add(x uint64) (n uint64) {
	atomic.AddUint64(&e.sum, x)
	atomic.AddUint64(&e.squares, x*x)
	return atomic.AddUint64(&e.n, 1)
}

// apart reports whether the means of two samples differ significantly (Welch, The Generalization of
// "Student's" Problem when Several Different Population Variances are Involved, Biometrika 34,
// 1947), and by at least notable.
//
//go:norace
func apart(a, b *Edge) bool {
	x, v := a.mean()
	y, w := b.mean()
	return (x-y)*(x-y) > max(farApart*farApart*(v+w), notable*notable)
}

// mean returns the mean of the logarithms, and the variance of that mean.
//
//go:norace
func (e *Edge) mean() (mean, variance float64) {
	n := float64(e.n)
	mean = float64(e.sum) / n
	return mean, max(0, float64(e.squares)/n-mean*mean) / (n - 1)
}

// logarithm returns the base-2 logarithm of ns in 256ths, interpolated linearly between powers of
// two.
func logarithm(ns uint64) uint64 {
	k := uint64(bits.Len64(ns|1) - 1)
	return k<<8 | ns<<(63-k)>>55&255
}
