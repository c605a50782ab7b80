package isolate

import (
	"math/rand/v2"
	"slices"
)

// Color gives each vertex a color, from 0, so that no two that are joined have the same,
// with few colors. least is a number of colors that is known to be needed, such as the size
// of a clique: with so many it stops looking for a coloring with fewer. The same graph
// gets the same colors.
//
// The first coloring is that of DSATUR (Brélaz, New methods to color the vertices of a
// graph, 1979); colors are then taken away as long as tabu search finds a coloring without
// one (Hertz and de Werra, Using tabu search techniques for graph coloring, 1987).
// There are libraries for the first; they go through maps, and give other colors each time.
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

// countColors is the largest color and one.
func countColors(colors []int) int {
	if len(colors) == 0 {
		return 0
	}
	return slices.Max(colors) + 1
}

// saturate colors the vertex next whose neighbors have the most different colors, of
// several the one with the most neighbors, with the smallest color that is free.
func (g *Graph) saturate() []int {
	colors := make([]int, g.n)
	taken := make([]set, g.n) // by neighbors, of each vertex
	most := 0                 // no vertex needs more colors
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

// tabuMoves is how many vertices tabu recolors before it gives up.
const tabuMoves = 20000

// tabu looks for a coloring with n colors, from one with more; nil: it found none. In
// each move the vertex that has a neighbor of its color gets the color that leaves the
// fewest such edges; the color it had is not given back to it for a while.
func (g *Graph) tabu(from []int, n int) []int {
	rnd := rand.New(rand.NewPCG(uint64(g.n), uint64(n)))
	colors := make([]int, g.n)
	near := make([][]int, g.n) // of each vertex, how many neighbors have each color
	until := make([][]int, g.n)
	for v := range colors {
		near[v], until[v] = make([]int, n), make([]int, n)
		if colors[v] = from[v]; colors[v] >= n {
			colors[v] = rnd.IntN(n)
		}
	}
	bad := 0 // edges between vertices of one color
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

// tidy numbers the colors by their first vertices, so that none is missing.
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
