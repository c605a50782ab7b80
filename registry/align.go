package registry

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// aligned pairs points and vanished entries by position. Between two neighbours that are the same
// before and after, points and entries with the same header, or else with the same body, are paired
// in order if there are as many of both. For a function, whose header is its signature, position
// alone suffices: a function stays the same if its signature changes.
func (m *match) aligned() {
	if m.open == 0 {
		return
	}
	gone := map[function][]int{} // vanished entries with a rank, by the present name of their function
	for _, e := range m.vanished() {
		entry := &m.entries[e]
		if entry.Rank == "" {
			continue
		}
		fn := function{entry.Package, entry.Func}
		if to, ok := m.moved[fn]; ok {
			fn = to
		}
		gone[fn] = append(gone[fn], e)
	}
	if len(gone) == 0 {
		return
	}
	for start := 0; start < len(m.points); {
		fn, end := m.points[start].in(), start
		for end < len(m.points) && m.points[end].in() == fn {
			end++
		}
		if entries := gone[fn]; len(entries) > 0 {
			m.gaps(start, end, entries)
		}
		start = end
	}
}

// gaps aligns points[start:end], all points of a function, with the vanished entries of that
// function.
func (m *match) gaps(start, end int, entries []int) {
	ranks := make([]string, end-start) // of the points that were in the function before
	for i := range ranks {
		s := &m.points[start+i]
		if s.entry >= 0 && s.Given == "" {
			ranks[i] = m.rankIn(s)
		}
	}
	slices.SortFunc(entries, func(a, b int) int { return cmp.Compare(m.entries[a].Rank, m.entries[b].Rank) })
	anchors := increasing(ranks)
	after := start
	for k := 0; k <= len(anchors); k++ {
		high, before := "", end
		if k < len(anchors) {
			high, before = ranks[anchors[k]], start+anchors[k]
		}
		here := 0
		for here < len(entries) && (high == "" || m.entries[entries[here]].Rank < high) {
			here++
		}
		m.gap(after, before, entries[:here])
		entries, after = entries[here:], before+1
	}
}

// gap pairs the unpaired ones of points[after:before] with the entries that were between the same
// two neighbours.
func (m *match) gap(after, before int, entries []int) {
	if len(entries) == 0 {
		return
	}
	m.oneByOne(after, before, entries, func(kind, header string, _ uint64) string {
		if kind == "func" {
			return kind
		}
		return kind + " " + header
	})
	m.oneByOne(after, before, entries, func(kind, header string, body uint64) string {
		if body == 0 {
			return ""
		}
		return fmt.Sprintf("%s %x", class(kind, header), body)
	})
}

// oneByOne pairs points[after:before] with the entries of the same class, in order, if there are as
// many of both. Elements of class "" are not paired.
func (m *match) oneByOne(after, before int, entries []int, class func(kind, header string, body uint64) string) {
	type both struct{ points, entries []int }
	classes := map[string]*both{}
	for i := after; i < before; i++ {
		if s := &m.points[i]; s.entry < 0 && s.Given == "" {
			c := class(s.Kind, s.header, s.Body)
			if classes[c] == nil {
				classes[c] = new(both)
			}
			classes[c].points = append(classes[c].points, i)
		}
	}
	for _, e := range entries {
		entry := &m.entries[e]
		if b := classes[class(entry.Kind, entry.Header, entry.Body)]; b != nil && m.free(e) {
			b.entries = append(b.entries, e)
		}
	}
	delete(classes, "")
	for _, c := range slices.Sorted(maps.Keys(classes)) {
		b := classes[c]
		// With two lines of one ID, its previous position is unknown.
		ids := map[int]bool{}
		for _, e := range b.entries {
			if m.free(e) {
				ids[m.serial[e]] = true
			}
		}
		if len(b.points) != len(b.entries) || len(ids) != len(b.entries) {
			continue
		}
		for k, i := range b.points {
			m.take(i, b.entries[k])
		}
	}
}
