package runfile

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/estimate"
)

// figures are the additive figures of a marker or path.
type figures [4]uint64

func figuresOf(m *profile.Marker) figures { return figures{m.Count, m.SumNS(), m.NestedNS, m.SelfNS} }

// countdown estimates the data of markers of which one scope in so many was recorded.
func (r *run) countdown() {
	for index, m := range r.totals.all() {
		if m.Seen > 0 && len(r.tree.nodes) > 0 {
			r.tree.recorded[index] = figures{m.Timed(), m.SumNS(), m.NestedNS, m.SelfNS}
		}
		estimate.Countdown(m)
	}
}

// scale makes the paths of such markers add up to the estimates, each in proportion to what was
// recorded on it. It rounds sums, not the figures of a path, so that errors do not add up.
func (t *pathTree) scale(estimateOf func(index uint64) *profile.Marker) {
	was, is := map[uint64]figures{}, map[uint64]figures{} // of the paths so far, by index of the marker
	for i := range t.nodes {
		index, n := t.marker[i], &t.nodes[i]
		recorded, ok := t.recorded[index]
		if !ok {
			continue
		}
		all, before, after := figuresOf(estimateOf(index)), was[index], is[index]
		for k, v := range []*uint64{&n.Count, &n.SumNS, &n.NestedNS, &n.SelfNS} {
			before[k] = profile.Add64(before[k], *v)
			*v = profile.Sub64(profile.Times(before[k], profile.Ratio(all[k], recorded[k])), after[k])
			after[k] = profile.Add64(after[k], *v)
		}
		was[index], is[index] = before, after
	}
}
