package isolate

import "math/bits"

// A Graph has vertices 0 to n-1, of which some pairs are joined by an edge: functions, and
// which of them share a stack.
type Graph struct {
	n    int
	adj  []set // of each vertex, those it is joined to
	size int   // edges
}

// NewGraph returns a graph of n vertices and no edges.
func NewGraph(n int) *Graph {
	g := &Graph{n: n, adj: make([]set, n)}
	for v := range g.adj {
		g.adj[v] = newSet(n)
	}
	return g
}

// Join adds the edge between two vertices. One between a vertex and itself is none.
func (g *Graph) Join(a, b int) {
	if a == b || g.adj[a].has(b) {
		return
	}
	g.adj[a].add(b)
	g.adj[b].add(a)
	g.size++
}

// Joined tells whether there is an edge between two vertices.
func (g *Graph) Joined(a, b int) bool { return g.adj[a].has(b) }

// Edges is the number of edges.
func (g *Graph) Edges() int { return g.size }

// degree is the number of vertices that v is joined to.
func (g *Graph) degree(v int) int { return g.adj[v].len() }

// A set of small whole numbers.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int)   { s[i/64] &^= 1 << (i % 64) }

func (s set) len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// first is the smallest number in the set, -1 if it is empty.
func (s set) first() int {
	for i, w := range s {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// each calls f for the numbers in the set, in order.
func (s set) each(f func(int)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(i*64 + bits.TrailingZeros64(w))
		}
	}
}

// and stores what is in both a and b.
func (s set) and(a, b set) {
	for i := range s {
		s[i] = a[i] & b[i]
	}
}

// less removes what is in a.
func (s set) less(a set) {
	for i := range s {
		s[i] &^= a[i]
	}
}
