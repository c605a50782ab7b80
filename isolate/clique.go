package isolate

import (
	"cmp"
	"slices"
)

// Clique returns vertices of which every two are joined, as many as it finds: no coloring
// has fewer colors. Exact says that no graph search would find more; it is false if the
// search was given up after so many steps that it might go on for hours.
//
// It is branch and bound with greedy coloring as the bound (Tomita and Seki, An Efficient
// Branch-and-Bound Algorithm for Finding a Maximum Clique, 2003), on bit sets (San Segundo
// et al., An exact bit-parallel algorithm for the maximum clique problem, 2011).
func (g *Graph) Clique() (vertices []int, exact bool) {
	// In the order of the search vertices of many edges have small numbers.
	order := make([]int, g.n)
	for v := range order {
		order[v] = v
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g.degree(b), g.degree(a)) })
	place := make([]int, g.n)
	for i, v := range order {
		place[v] = i
	}
	s := &cliqueSearch{adj: make([]set, g.n), steps: mostSteps}
	all := newSet(g.n)
	for i, v := range order {
		s.adj[i] = newSet(g.n)
		g.adj[v].each(func(u int) { s.adj[i].add(place[u]) })
		all.add(i)
	}
	s.expand(all)
	for _, i := range s.best {
		vertices = append(vertices, order[i])
	}
	slices.Sort(vertices)
	return vertices, s.steps > 0
}

// mostSteps is how many vertices a search tries: some seconds' worth in a graph of
// thousands.
const mostSteps = 1 << 20

type cliqueSearch struct {
	adj           []set
	current, best []int
	steps         int // that are left
}

// expand looks for cliques of what is in current and some of the candidates, all of which
// are joined to all of that.
func (s *cliqueSearch) expand(candidates set) {
	order, bounds := s.color(candidates)
	next := newSet(len(s.adj))
	rest := slices.Clone(candidates)
	for k := len(order) - 1; k >= 0; k-- {
		if len(s.current)+bounds[k] <= len(s.best) {
			return
		}
		if s.steps--; s.steps <= 0 {
			return
		}
		v := order[k]
		s.current = append(s.current, v)
		next.and(rest, s.adj[v])
		if next.first() >= 0 {
			s.expand(next)
		} else if len(s.current) > len(s.best) {
			s.best = slices.Clone(s.current)
		}
		s.current = s.current[:len(s.current)-1]
		rest.remove(v)
	}
}

// color orders the candidates by the color that each gets from a greedy coloring, and
// says of each how many colors there are up to it: no clique of those before it has more.
func (s *cliqueSearch) color(candidates set) (order, bounds []int) {
	rest := slices.Clone(candidates)
	free := newSet(len(s.adj))
	for color := 1; rest.first() >= 0; color++ {
		copy(free, rest)
		for v := free.first(); v >= 0; v = free.first() {
			free.remove(v)
			free.less(s.adj[v])
			rest.remove(v)
			order, bounds = append(order, v), append(bounds, color)
		}
	}
	return order, bounds
}
