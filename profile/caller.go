package profile

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/registry"
)

// A Caller has the data of a marker's calls under one caller: the innermost marker with an open
// scope when the call began.
type Caller struct {
	ID     registry.ID // 0 if no scope was open
	Name   string      // "" if no scope was open
	Marker             // the data; ID and place are empty
}

// addCallers adds the callers b to a by ID. It modifies a but not b. The result is sorted by name
// and shares no memory with b.
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

// sortedCallers returns the callers sorted by name. It sorts pointers, as Callers are large.
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
