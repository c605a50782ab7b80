package isolate

import (
	"math/rand/v2"
	"slices"
)

// Color assigns each vertex a color, from 0, so that joined vertices have different colors. It
// tries to use few colors, and stops when it has a coloring with least colors, a known lower bound
// such as the size of a clique. The result depends only on the graph.
//
// The first coloring is by DSATUR (Brélaz, New methods to color the vertices of a graph, 1979).
// Then colors are removed as long as tabu search finds a coloring without one (Hertz and de Werra,
// Using tabu search techniques for graph coloring, 1987). There are libraries for DSATUR, but they
// iterate over maps, so their colors differ from run to run.
func (g *Graph) Color(least int) (colors []int) {
	colors = g.saturate()
	for n := countColors(colors); n > max(least, 1); n-- {
		fewer := g.tabu(colors, n-1)
		if fewer == nil {
			break
		}
		colors = fewer
	}
	return g.tidy(colors)
}

// countColors returns the largest color plus one.
func countColors(colors []int) int {
	if len(colors) == 0 {
		return 0
	}
	return slices.Max(colors) + 1
}

// saturate colors the vertices one after another. The next one is always a vertex whose neighbors
// have the most different colors, among these one with the most neighbors; it gets the smallest
// free color.
func (g *Graph) saturate() []int {
	colors := make([]int, g.n)
	taken := make([]set, g.n) // colors of the neighbors of each vertex
	most := 0                 // no vertex needs more colors than this
	for v := range g.n {
		colors[v] = -1
		most = max(most, g.degree(v)+1)
	}
	for v := range taken {
		taken[v] = newSet(most)
	}
	saturation := make([]int, g.n)
	for range g.n {
		next := -1
		for v, c := range colors {
			if c < 0 && (next < 0 || saturation[v] > saturation[next] ||
				saturation[v] == saturation[next] && g.degree(v) > g.degree(next)) {
				next = v
			}
		}
		color := 0
		for taken[next].has(color) {
			color++
		}
		colors[next] = color
		g.adj[next].each(func(v int) {
			if !taken[v].has(color) {
				taken[v].add(color)
				saturation[v]++
			}
		})
	}
	return colors
}

// tabuMoves is the number of moves after which tabu gives up.
const tabuMoves = 20000

// tabu searches for a coloring with n colors, starting from one with more; it returns nil if it
// finds none. In each move, a vertex with a neighbor of its color gets the color that leaves the
// fewest such edges; it cannot get the old color again for a while.
func (g *Graph) tabu(from []int, n int) []int {
	rnd := rand.New(rand.NewPCG(uint64(g.n), uint64(n)))
	colors := make([]int, g.n)
	near := make([][]int, g.n) // for each vertex, the number of neighbors of each color
	until := make([][]int, g.n)
	for v := range colors {
		near[v], until[v] = make([]int, n), make([]int, n)
		if colors[v] = from[v]; colors[v] >= n {
			colors[v] = rnd.IntN(n)
		}
	}
	bad := 0 // number of edges between vertices of the same color
	for v := range g.adj {
		g.adj[v].each(func(u int) {
			near[v][colors[u]]++
			if u > v && colors[u] == colors[v] {
				bad++
			}
		})
	}
	best := bad
	for move := 1; bad > 0; move++ {
		if move > tabuMoves {
			return nil
		}
		pick, to, gain, equal, conflicts := -1, 0, 0, 0, 0
		for v, c := range colors {
			if near[v][c] == 0 {
				continue
			}
			conflicts++
			for k := range n {
				d := near[v][k] - near[v][c]
				if k == c || until[v][k] > move && bad+d >= best {
					continue
				}
				switch {
				case pick < 0 || d < gain:
					pick, to, gain, equal = v, k, d, 1
				case d == gain:
					if equal++; rnd.IntN(equal) == 0 {
						pick, to = v, k
					}
				}
			}
		}
		if pick < 0 {
			continue // all moves are tabu
		}
		old := colors[pick]
		until[pick][old] = move + conflicts*3/5 + rnd.IntN(10)
		colors[pick] = to
		g.adj[pick].each(func(u int) {
			near[u][old]--
			near[u][to]++
		})
		bad += gain
		best = min(best, bad)
	}
	return colors
}

// tidy renumbers the colors by their first vertices, without gaps.
func (g *Graph) tidy(colors []int) []int {
	number := map[int]int{}
	tidy := make([]int, len(colors))
	for v, c := range colors {
		if _, ok := number[c]; !ok {
			number[c] = len(number)
		}
		tidy[v] = number[c]
	}
	return tidy
}
