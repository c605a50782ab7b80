package isolate

import (
	"cmp"
	"slices"
)

// Clique returns a large set of vertices that are all joined to each other: no coloring has fewer
// colors than it has vertices. exact reports whether it is a maximum clique; it is false if the
// search was stopped after mostSteps, because it might take hours.
//
// The algorithm is branch and bound with greedy coloring as the bound (Tomita and Seki, An
// Efficient Branch-and-Bound Algorithm for Finding a Maximum Clique, 2003), on bit sets (San
// Segundo et al., An exact bit-parallel algorithm for the maximum clique problem, 2011).
func (g *Graph) Clique() (vertices []int, exact bool) {
	// Number the vertices for the search by decreasing degree.
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

// mostSteps is the maximum number of vertices that a search tries: a few seconds in a graph of
// thousands.
const mostSteps = 1 << 20

type cliqueSearch struct {
	adj           []set
	current, best []int
	steps         int // remaining
}

// expand searches for cliques that consist of current and some of the candidates, each of which is
// joined to all of current.
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

// color sorts the candidates by their colors in a greedy coloring. bounds has for each the number
// of colors up to it, which is the maximum size of a clique among it and those before it.
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
