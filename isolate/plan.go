package isolate

import (
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// A Plan says which functions are timed in which pass.
type Plan struct {
	Groups [][]registry.ID // one pass each; in order
	Clique int             // every plan for the scenario has at least so many groups
	Best   bool            // and no plan is known to need fewer since that search was complete
}

// NewPlan puts the functions that the first pass reached into groups in which no two share
// a stack; with exact each has a group of its own. What it did not reach is in the first
// group: it costs nothing there, and is seen if it turns up. Functions that are only
// counted are in none.
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

// StackGraph joins those of the functions that were on one stack.
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
