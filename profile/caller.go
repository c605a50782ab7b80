package profile

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/registry"
)

// A Caller is what was recorded of a marker under one caller: the innermost marker
// that was open when its scope began.
type Caller struct {
	ID     registry.ID // 0: no marker was open
	Name   string      // "" as well
	Marker             // the figures; its own ID and place are empty
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
