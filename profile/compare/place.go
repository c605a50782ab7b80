package compare

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/profile"
)

// sorted are all markers, by name.
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

// places sorts out the markers that only one side has, or passed, or that were surely
// passed more or less often.
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
		case s.certain():
			r.Counted = append(r.Counted, Count{p, old.count, fresh.count})
		}
	}
}

// certain is whether all runs of a side passed the marker equally often, and those of the other side
// another number of times. One run alone says nothing of others.
func (s *series) certain() bool {
	a, b := s.counts[Old], s.counts[New]
	return !s.sampled && !s.off && a.runs > 1 && b.runs > 1 && !a.differ && !b.differ && a.count != b.count && a.count > 0 && b.count > 0
}
