package compare

import (
	"cmp"
	"slices"
)

// sorted are all markers, by name.
func (c *Comparison) sorted() []*series {
	var list []*series
	for _, s := range c.markers {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *series) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id)) })
	return list
}

func (s *series) place() Place { return Place{s.id, s.name, s.kind, s.file, s.line} }

// places sorts out the markers that only one side has, or passed.
func (c *Comparison) places(r *Result) {
	for _, s := range c.sorted() {
		old, fresh := s.counts[Old], s.counts[New]
		switch p := s.place(); {
		case old.runs == 0:
			r.Appeared = append(r.Appeared, p)
		case fresh.runs == 0:
			r.Vanished = append(r.Vanished, p)
		case old.visited == 0 && fresh.visited > 0:
			r.Begun = append(r.Begun, p)
		case old.visited > 0 && fresh.visited == 0:
			r.Ceased = append(r.Ceased, p)
		}
	}
}

// countChange is the number of passages on each side, if all runs of a side counted the same
// and those of the other side another number. One run alone says nothing of others.
func (s *series) countChange() (old, fresh uint64) {
	a, b := s.counts[Old], s.counts[New]
	if s.sampled || s.off || a.runs < 2 || b.runs < 2 || a.differ || b.differ || a.count == b.count {
		return 0, 0
	}
	return a.count, b.count
}
