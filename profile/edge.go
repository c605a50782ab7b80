package profile

import (
	"cmp"
	"slices"

	layout "github.com/markgen/markgen/runtime"

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
	named := map[uint64]*Marker{}
	for _, t := range r.tables {
		for i, m := range t.markers {
			if m != nil {
				named[t.first+uint64(i)] = m
			}
		}
	}
	find := func(index uint64) *Marker {
		if to, ok := r.aliases[index]; ok {
			index = to
		}
		return named[index]
	}
	for index, e := range r.edges {
		figures, m := r.cells[index], find(e.marker)
		delete(r.cells, index)
		if figures == nil || m == nil {
			continue
		}
		c := Caller{Marker: *figures}
		if from := find(e.caller); from != nil {
			c.ID, c.Name = from.ID, from.Name
		}
		m.Callers = addCallers(m.Callers, []Caller{c})
	}
}

// addCallers adds up two lists by caller, and changes neither. The result is in the
// order of their names.
func addCallers(a, b []Caller) []Caller {
	if len(a)+len(b) == 0 {
		return nil
	}
	sum := make([]Caller, 0, len(a)+len(b))
	for _, list := range [][]Caller{a, b} {
		for _, c := range list {
			i := slices.IndexFunc(sum, func(have Caller) bool { return have.ID == c.ID })
			if i < 0 {
				sum = append(sum, Caller{ID: c.ID})
				i = len(sum) - 1
			}
			sum[i].Name = max(sum[i].Name, c.Name)
			sum[i].add(&c.Marker)
		}
	}
	slices.SortFunc(sum, func(a, b Caller) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return sum
}
