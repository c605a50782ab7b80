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
		Passed:  s.counts[Old].visited+s.counts[New].visited > 0,
		Guess:   s.guess && s.counts[Old].runs > 0 && s.counts[New].runs > 0,
		OldName: s.oldName,
	}
}

// places finds the markers that only one side has or called, and those whose number of calls
// certainly changed.
func (c *Comparison) places(r *Result) {
	for _, s := range c.sorted() {
		old, fresh := s.counts[Old], s.counts[New]
		switch p := s.place(); {
		case old.runs == 0:
			r.Appeared = append(r.Appeared, p)
		case fresh.runs == 0:
			r.Vanished = append(r.Vanished, p)
		case old.visited == 0 && fresh.visited > 0:
			r.NewlyCalled = append(r.NewlyCalled, p)
		case old.visited > 0 && fresh.visited == 0:
			r.NoLongerCalled = append(r.NoLongerCalled, p)
		case s.certain():
			r.Counted = append(r.Counted, Count{p, old.count, fresh.count})
		}
	}
}

// certain reports whether all runs of a side have the same number of calls, and those of the other
// side have another. It requires at least two runs per side.
func (s *series) certain() bool {
	a, b := s.counts[Old], s.counts[New]
	return !s.sampled && !s.off && a.runs > 1 && b.runs > 1 && !a.differ && !b.differ && a.count != b.count && a.count > 0 && b.count > 0
}
