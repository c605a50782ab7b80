package isolate

import "math/bits"

// A Graph is an undirected graph with vertices 0 to n-1: functions, and which of them share a
// stack.
type Graph struct {
	n    int
	adj  []set // neighbors of each vertex
	size int   // number of edges
}

// NewGraph returns a graph of n vertices and no edges.
func NewGraph(n int) *Graph {
	g := &Graph{n: n, adj: make([]set, n)}
	for v := range g.adj {
		g.adj[v] = newSet(n)
	}
	return g
}

// Join adds the edge between two vertices. It does nothing if they are the same.
func (g *Graph) Join(a, b int) {
	if a == b || g.adj[a].has(b) {
		return
	}
	g.adj[a].add(b)
	g.adj[b].add(a)
	g.size++
}

// Joined reports whether there is an edge between two vertices.
func (g *Graph) Joined(a, b int) bool { return g.adj[a].has(b) }

// Edges returns the number of edges.
func (g *Graph) Edges() int { return g.size }

// degree returns the number of neighbors of v.
func (g *Graph) degree(v int) int { return g.adj[v].len() }

// A set is a bit set of small non-negative integers.
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

// first returns the smallest element, or -1 if the set is empty.
func (s set) first() int {
	for i, w := range s {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// each calls f for the elements in ascending order.
func (s set) each(f func(int)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			f(i*64 + bits.TrailingZeros64(w))
		}
	}
}

// and sets s to the intersection of a and b.
func (s set) and(a, b set) {
	for i := range s {
		s[i] = a[i] & b[i]
	}
}

// less removes the elements of a from s.
func (s set) less(a set) {
	for i := range s {
		s[i] &^= a[i]
	}
}
