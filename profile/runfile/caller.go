package runfile

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// An edge is a marker and one of its callers; the file has an index of its own for the calls from
// there. Both fields are global indexes.
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

// callers moves the data recorded for edges to the Callers of their markers. It needs all tables
// and aliases.
func (r *run) callers() {
	number := r.numbering()
	find := func(index uint64) (uint64, *profile.Marker) {
		index = number(index)
		return index, r.named(index)
	}
	lists := map[uint64][]profile.Caller{} // by marker
	for index, e := range r.edges {
		total := r.totals.at(index)
		to, m := find(e.marker)
		r.totals.set(index, nil)
		if total == nil || m == nil {
			continue
		}
		c := profile.Caller{Marker: *total}
		if _, from := find(e.caller); from != nil {
			c.ID, c.Name = from.ID, from.Name
		}
		lists[to] = append(lists[to], c)
	}
	for to, list := range lists {
		r.total(to).Add(&profile.Marker{Callers: list})
	}
}
