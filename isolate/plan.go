package isolate

import (
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// A Plan assigns functions to the passes in which they are timed.
type Plan struct {
	Groups [][]registry.ID // one pass each, in order
	Clique int             // lower bound for the number of groups of any plan for the scenario
	Best   bool            // Clique is exact: the search for it was complete
}

// NewPlan divides the functions that the first pass reached into groups in which no two share a
// stack; with exact, each has its own group. Functions that were not reached are in the first
// group: they cost nothing there, and are seen if they run after all. Functions that are only
// counted are in no group.
func NewPlan(first *profile.Profile, api func(*profile.Marker) bool, exact bool) *Plan {
	var reached, others []registry.ID
	for i := range first.Markers {
		m := &first.Markers[i]
		switch {
		case !api(m) || m.CountOnly || m.Off == "choice":
		case m.Count+m.Open > 0:
			reached = append(reached, m.ID)
		default:
			others = append(others, m.ID)
		}
	}
	g := StackGraph(first.Pairs, reached)
	clique, complete := g.Clique()
	plan := &Plan{Clique: len(clique), Best: complete}
	if exact {
		for _, id := range reached {
			plan.Groups = append(plan.Groups, []registry.ID{id})
		}
	} else {
		for v, color := range g.Color(len(clique)) {
			if color == len(plan.Groups) {
				plan.Groups = append(plan.Groups, nil)
			}
			plan.Groups[color] = append(plan.Groups[color], reached[v])
		}
	}
	if len(plan.Groups) > 0 {
		plan.Groups[0] = slices.Concat(plan.Groups[0], others)
	}
	return plan
}

// StackGraph returns a graph that joins those of the functions that were on one stack.
func StackGraph(pairs *profile.Pairs, functions []registry.ID) *Graph {
	vertex := map[registry.ID]int{}
	for v, id := range functions {
		vertex[id] = v
	}
	g := NewGraph(len(functions))
	if pairs == nil {
		return g
	}
	for _, pair := range pairs.List {
		a, ok := vertex[pair[0]]
		b, ok2 := vertex[pair[1]]
		if ok && ok2 {
			g.Join(a, b)
		}
	}
	return g
}
