package isolate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkColors checks the promises of every coloring, and returns its number of colors.
func checkColors(t *testing.T, g *Graph, colors []int) int {
	t.Helper()
	if len(colors) != g.n {
		t.Fatalf("%d colors for %d vertices", len(colors), g.n)
	}
	for a := range g.n {
		for b := range a {
			if g.Joined(a, b) && colors[a] == colors[b] {
				t.Fatalf("vertices %d and %d are joined and both have color %d", a, b, colors[a])
			}
		}
	}
	used := countColors(colors)
	for c := range used {
		if !slices.Contains(colors, c) {
			t.Fatalf("no vertex has color %d of %d", c, used)
		}
	}
	return used
}

func random(rnd *rand.Rand, n int, density float64) *Graph {
	g := NewGraph(n)
	for a := range n {
		for b := range a {
			if rnd.Float64() < density {
				g.Join(a, b)
			}
		}
	}
	return g
}

// fewest returns the chromatic number, by exhaustive search.
func fewest(g *Graph) int {
	for n := 0; ; n++ {
		colors := make([]int, g.n)
		var try func(v int) bool
		try = func(v int) bool {
			if v == g.n {
				return true
			}
			for c := range n {
				colors[v] = c
				if !slices.ContainsFunc(seq(v), func(u int) bool { return g.Joined(u, v) && colors[u] == c }) && try(v+1) {
					return true
				}
			}
			return false
		}
		if try(0) {
			return n
		}
	}
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// largest returns the size of a maximum clique, by exhaustive search.
func largest(g *Graph) (size int) {
	for of := range 1 << g.n {
		var in []int
		for v := range g.n {
			if of>>v&1 != 0 {
				in = append(in, v)
			}
		}
		if len(in) > size && isClique(g, in) {
			size = len(in)
		}
	}
	return size
}

func isClique(g *Graph, vertices []int) bool {
	for i, a := range vertices {
		for _, b := range vertices[:i] {
			if !g.Joined(a, b) {
				return false
			}
		}
	}
	return true
}

// For small graphs the coloring and the clique are optimal.
func TestSmallGraphs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		g := random(rnd, rnd.IntN(10), rnd.Float64())
		clique, exact := g.Clique()
		if want := largest(g); len(clique) != want || !exact || !isClique(g, clique) {
			t.Fatalf("graph %d: clique %v, exact %v, want %d vertices", i, clique, exact, want)
		}
		if got, want := checkColors(t, g, g.Color(len(clique))), fewest(g); got != want {
			t.Fatalf("graph %d of %d vertices: %d colors, and %d will do", i, g.n, got, want)
		}
	}
}

// For graphs with a known chromatic number, it is found or nearly so.
func TestKnownGraphs(t *testing.T) {
	petersen := NewGraph(10)
	for i := range 5 {
		petersen.Join(i, (i+1)%5)
		petersen.Join(i, i+5)
		petersen.Join(i+5, (i+2)%5+5)
	}
	queens := NewGraph(64) // 8 by 8: chromatic number 9
	for a := range 64 {
		for b := range a {
			x, y := a/8-b/8, a%8-b%8
			if x == 0 || y == 0 || x == y || x == -y {
				queens.Join(a, b)
			}
		}
	}
	cycle, bipartite, complete := NewGraph(101), NewGraph(100), NewGraph(70)
	for i := range 101 {
		cycle.Join(i, (i+1)%101)
	}
	for i := range 50 {
		for k := range 50 {
			if i != k {
				bipartite.Join(2*i, 2*k+1) // a crown graph: greedy coloring may use 50 colors
			}
		}
	}
	for i := range 70 {
		for k := range i {
			complete.Join(i, k)
		}
	}
	for _, tt := range []struct {
		name           string
		g              *Graph
		clique, colors int
	}{
		{"none", NewGraph(0), 0, 0}, {"alone", NewGraph(3), 1, 1},
		{"petersen", petersen, 2, 3}, {"mycielski 5", mycielski(5), 2, 5}, {"queens", queens, 8, 9},
		{"odd cycle", cycle, 2, 3}, {"crown", bipartite, 2, 2}, {"complete", complete, 70, 70},
	} {
		clique, exact := tt.g.Clique()
		if len(clique) != tt.clique || !exact {
			t.Errorf("%s: a clique of %d, exact %v, want %d", tt.name, len(clique), exact, tt.clique)
		}
		if got := checkColors(t, tt.g, tt.g.Color(len(clique))); got != tt.colors {
			t.Errorf("%s: %d colors, want %d", tt.name, got, tt.colors)
		}
	}
}

// mycielski returns a graph without triangles with chromatic number n (Mycielski, Sur le coloriage
// des graphes, 1955).
func mycielski(n int) *Graph {
	g := NewGraph(2)
	g.Join(0, 1)
	for range n - 2 {
		h := NewGraph(2*g.n + 1)
		for a := range g.n {
			g.adj[a].each(func(b int) {
				h.Join(a, b)
				h.Join(a, b+g.n)
			})
			h.Join(a+g.n, 2*g.n)
		}
		g = h
	}
	return g
}

// A large graph is colored within seconds, and always in the same way.
func TestLargeGraph(t *testing.T) {
	for _, n := range []int{300, 2000} {
		a := random(rand.New(rand.NewPCG(3, 4)), n, 0.05)
		b := random(rand.New(rand.NewPCG(3, 4)), n, 0.05)
		clique, _ := a.Clique()
		colors := a.Color(len(clique))
		if got := checkColors(t, a, colors); got < len(clique) {
			t.Errorf("%d colors, and a clique of %d", got, len(clique))
		}
		if again := b.Color(len(clique)); !slices.Equal(colors, again) {
			t.Errorf("%d vertices: two colorings of one graph differ", n)
		}
	}
}

func FuzzColor(f *testing.F) {
	f.Add(uint8(5), []byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, n uint8, edges []byte) {
		if n == 0 {
			return
		}
		g := NewGraph(int(n))
		for i := 0; i+1 < len(edges); i += 2 {
			g.Join(int(edges[i]%n), int(edges[i+1]%n))
		}
		clique, _ := g.Clique()
		if !isClique(g, clique) {
			t.Errorf("%v is no clique", clique)
		}
		if got := checkColors(t, g, g.Color(len(clique))); got < len(clique) {
			t.Error(fmt.Sprint(got, " colors, and a clique of ", len(clique)))
		}
	})
}
