package isolate

import (
	"fmt"
	"io"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// WriteText writes the table of functions, followed by notes on the passes and functions. o sets
// the width and whether to use color.
func (r *Result) WriteText(w io.Writer, o report.Options) error {
	var reached, rest []*Function
	for _, f := range r.Functions {
		if f.Reached() {
			reached = append(reached, f)
		} else {
			rest = append(rest, f)
		}
	}
	columns := []report.Column{
		{Name: "function", Left: true, Shorten: true}, {Name: "calls"}, {Name: "mean"}, {Name: "±", Rank: 6}, {Name: "p50", Rank: 3}, {Name: "p99", Rank: 2}, {Name: "max", Rank: 1},
	}
	values := allocations(reached)
	for _, v := range values {
		columns = append(columns, report.Column{Name: v.name, Rank: 4})
	}
	columns = append(columns, report.Column{Name: "group", Rank: 5}, report.Column{Name: "notes", Left: true, Shorten: true, Begins: true})
	path := r.onlyPackage()
	quantum := r.Profile.Clock.QuantumNS
	for _, f := range reached {
		calls := f.Made()
		if len(f.Calls) == 0 {
			calls = f.First
		}
		cells := []string{inPackage(path, f.Name), units.Count(calls)}
		if f.Timed() > 0 {
			se, known := f.StandardError()
			cells = append(cells, units.Measured(f.MeanNS(), quantum), report.Relative(se, f.MeanNS(), known))
			for _, p := range []float64{0.5, 0.99} {
				cells = append(cells, units.Measured(f.QuantileNS(p), quantum))
			}
			cells = append(cells, units.Duration(float64(f.MaxNS)))
		} else {
			cells = append(cells, "-", "-", "-", "-", "-")
		}
		for _, v := range values {
			cells = append(cells, v.perCall(f.Marker))
		}
		group := "-"
		if f.Group > 0 && f.Timed() > 0 {
			group = units.Count(uint64(f.Group))
			if f.Exercised {
				group = "x" + group
			}
		}
		cells = append(cells, group, strings.Join(f.notes(), ", "))
		for i, cell := range cells {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	var b strings.Builder
	if path != "" {
		fmt.Fprintf(&b, "package %s\n\n", path)
	}
	if len(reached) > 0 {
		if err := report.WriteTable(&b, columns, o); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	exercised := 0
	for _, f := range reached {
		if f.Exercised {
			exercised++
		}
	}
	r.summary(&b, len(reached)-exercised)
	if x := r.Exercised; x != nil {
		fmt.Fprintf(&b, "exercised: ")
		x.summary(&b, exercised)
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "\nnot reached by the scenario: %s\n", units.Plural(len(rest), "function"))
		why := map[string]string{}
		for _, r := range r.Refused {
			why[r.Name] = ": " + r.Why
		}
		for _, f := range rest {
			fmt.Fprintf(&b, "  %s  %s:%d%s\n", inPackage(path, f.Name), f.File, f.Line, why[f.Name])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summary writes what was done: functions, groups, passes.
func (r *Result) summary(b *strings.Builder, reached int) {
	fmt.Fprintf(b, "%s in %s", units.Plural(reached, "function"), units.Plural(len(r.Plan.Groups), "group"))
	switch n := r.Plan.Clique; {
	case len(r.Plan.Groups) == n && n > 0:
		fmt.Fprintf(b, ", the fewest there can be")
	case n > 0:
		fmt.Fprintf(b, ", of which %d are needed at least", n)
	}
	fmt.Fprintf(b, "; %s of the scenario in %s\n", units.Plural(r.Passes, "pass"), units.Duration(float64(r.Took)))
	for i, f := range r.Failures {
		if i == 5 {
			fmt.Fprintf(b, "and %s more\n", units.Plural(len(r.Failures)-i, "pass"))
			break
		}
		fmt.Fprintf(b, "failed: %s; what ran until then is in the table\n", f)
	}
}

// notes returns notes on a function that go beyond its statistics.
func (f *Function) notes() (notes []string) {
	if f.Exercised {
		notes = append(notes, "made-up arguments")
		if f.panics != "" {
			notes = append(notes, f.panics)
		}
	}
	if f.Timed() == 0 && f.CountOnly {
		return append(notes, "inlined, and done before a clock is read")
	}
	if len(f.Calls) == 0 {
		notes = append(notes, "in the first pass, not timed")
	}
	if f.Recursive {
		notes = append(notes, "recursive: outermost calls")
	}
	if least, most, varies := f.Varies(); varies && len(f.Calls) > 0 {
		switch {
		case f.Made() == 0:
			notes = append(notes, fmt.Sprintf("vanished: %s in the first pass", units.Plural(int(f.First), "call")))
		case f.First == 0:
			notes = append(notes, "appeared: not in the first pass")
		default:
			notes = append(notes, fmt.Sprintf("%s to %s calls a pass", units.Count(least), units.Count(most)))
		}
	}
	if f.Disturbed {
		notes = append(notes, "not alone on its stack: -exact times it alone")
	}
	return notes
}

// onlyPackage returns the package of all functions, or "" if there are several.
func (r *Result) onlyPackage() string {
	path := ""
	for _, f := range r.Functions {
		if path != "" && path != f.Package {
			return ""
		}
		path = f.Package
	}
	return path
}

// An allocation is a value of the collector alloc, with its name in the table.
type allocation struct{ value, name string }

// allocations returns the values that were read for some of the functions.
func allocations(functions []*Function) (list []allocation) {
	for _, v := range []allocation{{profile.AllocBytes, "B/call"}, {profile.AllocObjects, "allocs/call"}} {
		for _, f := range functions {
			if v.perCall(f.Marker) != "-" {
				list = append(list, v)
				break
			}
		}
	}
	return list
}

// perCall returns the mean allocation of a call, including everything it called.
func (v allocation) perCall(m *profile.Marker) string {
	r := m.Reading(profile.Alloc)
	if value := r.Value(v.value); value != nil && r.Scopes > 0 {
		return significant(r.Mean(*value))
	}
	return "-"
}

// significant formats a mean: integers as they are, other small numbers with two decimals.
func significant(x float64) string {
	if x == float64(uint64(x)) || x >= 100 {
		return units.Count(uint64(x + 0.5))
	}
	return fmt.Sprintf("%.2f", x)
}
