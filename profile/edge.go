package profile

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/runtime/layout"

	"github.com/markgen/markgen/registry"
)

// A Caller is what was recorded of a marker under one caller: the innermost marker
// that was open when its scope began.
type Caller struct {
	ID     registry.ID // 0: no marker was open
	Name   string      // "" as well
	Marker             // the figures; its own ID and place are empty
}

// edge says what is recorded under an index: passages through a marker under a
// caller. All are global indexes.
type edge struct{ caller, marker uint64 }

func (r *run) edge(b block) error {
	data, err := r.content(b, layout.OffEdgeMarker+8)
	if err != nil {
		return err
	}
	index := r.order.Uint64(data[layout.OffEdgeIndex:])
	if _, ok := r.edges[index]; ok {
		return r.damaged(b.offset, "a second edge with the number %d; it is left out", index)
	}
	r.edges[index] = edge{r.order.Uint64(data[layout.OffEdgeCaller:]), r.order.Uint64(data[layout.OffEdgeMarker:])}
	return nil
}

// callers gives the figures of edges to their markers. The tables are known, and
// names have been given to indexes.
func (r *run) callers() {
	number := r.numbering()
	find := func(index uint64) (uint64, *Marker) {
		index = number(index)
		return index, r.named(index)
	}
	lists := map[uint64][]Caller{} // by marker
	for index, e := range r.edges {
		figures := r.cells.at(index)
		to, m := find(e.marker)
		r.cells.set(index, nil)
		if figures == nil || m == nil {
			continue
		}
		c := Caller{Marker: *figures}
		if _, from := find(e.caller); from != nil {
			c.ID, c.Name = from.ID, from.Name
		}
		lists[to] = append(lists[to], c)
	}
	for to, list := range lists {
		m := r.figures(to)
		m.Callers = addCallers(m.Callers, list)
	}
}

// addCallers adds the callers b to a, by their IDs. It changes a, not b, and the result,
// in the order of their names, shares no memory with b.
func addCallers(a, b []Caller) []Caller {
	before, renamed := len(a), false
	a = addKeyed(a, b, callerID, func(sum, c *Caller) {
		renamed = renamed || c.Name > sum.Name
		sum.ID, sum.Name = c.ID, max(sum.Name, c.Name)
		sum.Add(&c.Marker)
	})
	if len(a) != before || renamed {
		a = sortedCallers(a)
	}
	return a
}

// sortedCallers are the callers in the order of their names. They are too large to be moved about while that is found.
func sortedCallers(list []Caller) []Caller {
	order := make([]*Caller, len(list))
	for i := range list {
		order[i] = &list[i]
	}
	if slices.IsSortedFunc(order, compareCallers) {
		return list
	}
	slices.SortFunc(order, compareCallers)
	sorted := make([]Caller, len(list))
	for i, c := range order {
		sorted[i] = *c
	}
	return sorted
}

func compareCallers(a, b *Caller) int {
	return cmp.Or(CompareNames(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}
