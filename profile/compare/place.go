package compare

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/profile"
)

// sorted returns all markers sorted by name.
func (c *Comparison) sorted() []*series {
	var list []*series
	for _, s := range c.markers {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *series) int { return cmp.Or(profile.CompareNames(a.name, b.name), cmp.Compare(a.id, b.id)) })
	return list
}

func (s *series) place() Place {
	return Place{
		ID: s.id, Name: s.name, Kind: s.kind, File: s.file, Line: s.line,
		Reached: max(s.counts[Old].Hi, s.counts[New].Hi) > 0,
		Guess:   s.guess && s.counts[Old].runs > 0 && s.counts[New].runs > 0,
		OldName: s.oldName,
	}
}

// places finds the markers that only one side has or called.
func (c *Comparison) places(r *Result) {
	for _, s := range c.sorted() {
		old, fresh := s.counts[Old], s.counts[New]
		switch p := s.place(); {
		case old.runs == 0:
			r.Appeared = append(r.Appeared, Work{p, fresh.Range})
		case fresh.runs == 0:
			r.Vanished = append(r.Vanished, Work{p, old.Range})
		case old.Hi == 0 && fresh.Hi > 0:
			r.NewlyCalled = append(r.NewlyCalled, Work{p, fresh.Range})
		case old.Hi > 0 && fresh.Hi == 0:
			r.NoLongerCalled = append(r.NoLongerCalled, Work{p, old.Range})
		}
	}
}
