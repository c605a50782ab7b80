package change

import (
	"fmt"
	"maps"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/units"
)

// Cautions returns what a reader must know before trusting the result. differ lists what differs
// between the sides besides the build, see Machines.
func (r *Result) Cautions(differ []string) []string {
	list := []string{}
	if n := min(r.OldRuns, r.NewRuns); n < MinRuns {
		list = append(list, fmt.Sprintf("one build has no more than %s, and a verdict takes %d of each, as the calls of one run share its machine and its moment; compare fewer with markgen diff",
			units.Plural(n, "run"), MinRuns))
	}
	for _, what := range differ {
		list = append(list, "the sides differ in "+what+" as well, which is part of each change; choose one that both have")
	}
	if r.Sampled > 0 {
		list = append(list, fmt.Sprintf("of %d APIs the figures are estimates from samples", r.Sampled))
	}
	return list
}

// Machines returns in what the origins of two sides differ besides the build: "processor", "Go
// version", "operating system", "architecture".
func Machines(old, new []fleet.OriginSum) []string {
	var list []string
	for _, part := range []struct {
		what string
		of   func(fleet.OriginSum) string
	}{
		{"processor", func(o fleet.OriginSum) string { return o.CPU }},
		{"Go version", func(o fleet.OriginSum) string { return o.Go }},
		{"operating system", func(o fleet.OriginSum) string { return o.GOOS }},
		{"architecture", func(o fleet.OriginSum) string { return o.GOARCH }},
	} {
		sides := [2]map[string]bool{{}, {}}
		for i, origins := range [][]fleet.OriginSum{old, new} {
			for _, o := range origins {
				sides[i][part.of(o)] = true
			}
		}
		if !maps.Equal(sides[0], sides[1]) {
			list = append(list, part.what)
		}
	}
	return list
}
