package main

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"math"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/units"
)

// exactRuns is the number of runs of each end after which a figure in which they agree is taken for
// exact.
const exactRuns = 2

// compareEnds runs both ends and chooses the marker and the figure.
func (b *bisection) compareEnds(ctx context.Context) error {
	var runs endRuns
	more := func(n int) error {
		for len(runs[0]) < n {
			b.shown.show(fmt.Sprintf("markgen bisect: %s and %s, run %d of %d", b.old, b.new, len(runs[0])+1, n))
			order := []int{0, 1}
			if len(runs[0])%2 == 1 {
				order = []int{1, 0}
			}
			for _, i := range order {
				p, err := b.runOnce(ctx, b.ends[i])
				if err != nil {
					return fmt.Errorf("%s, %w", []string{b.old, b.new}[i], err)
				}
				runs[i] = append(runs[i], p)
			}
		}
		return nil
	}
	if b.metric == "count" || strings.Contains(b.metric, ".") {
		if err := more(exactRuns); err != nil {
			return err
		}
		if again, err := b.chooseExact(runs); err != nil || !again {
			return err
		}
	} else { // the first runs warm up
		if err := more(1); err != nil {
			return err
		}
		runs = endRuns{}
	}
	if err := more(b.runs); err != nil {
		return err
	}
	return b.chooseNoisy(runs)
}

// endRuns are the runs of the old end and of the new.
type endRuns [2][]*profile.Profile

// places returns the markers of the runs, with the names and places of the new end.
func (r *endRuns) places() []compare.Place {
	at := map[registry.ID]int{}
	var places []compare.Place
	for side, runs := range r {
		for i := range runs[0].Markers {
			m := &runs[0].Markers[i]
			p := compare.Place{ID: m.ID, Name: m.Name, Kind: m.Kind, File: m.File, Line: m.Line, Guess: m.Guess}
			if side == 0 {
				p.OldName = m.Name
				at[m.ID] = len(places)
				places = append(places, p)
			} else if k, ok := at[m.ID]; ok {
				p.OldName = places[k].OldName
				places[k] = p
			} else {
				places = append(places, p)
			}
		}
	}
	return places
}

// valuesOf returns a figure of a marker in the runs of a side. exact is false if it is estimated, or
// differs from run to run.
func (b *bisection) valuesOf(runs []*profile.Profile, id registry.ID, of func(*profile.Marker) float64) (values []float64, exact bool) {
	exact = true
	for _, p := range runs {
		v, m := math.NaN(), markerOf(p, id)
		if m != nil {
			v = of(m)
			exact = exact && !m.Sampled()
		}
		if math.IsNaN(v) && b.metric == "count" {
			v = 0
		}
		values = append(values, v)
		exact = exact && v == values[0]
	}
	return values, exact
}

// A difference is a figure of a marker that differs between the ends.
type difference struct {
	compare.Place
	figure   string
	old, new float64
	p        float64 // probability of such a difference if nothing changed; 0 if it is exact
}

// size is the distance of the values, by which differences are compared.
func (d difference) size() float64 { return math.Abs(math.Log(d.new / d.old)) }

// chooseExact chooses the marker if runs of an end agree. If again is true, that takes more runs.
func (b *bisection) chooseExact(runs endRuns) (again bool, err error) {
	places, err := b.wanted(runs.places())
	if err != nil {
		return false, err
	}
	of, _, err := compare.Value(b.metric, "")
	if err != nil {
		return false, err
	}
	var found []difference
	reached := false
	for _, p := range places {
		old, oldExact := b.valuesOf(runs[0], p.ID, of)
		fresh, freshExact := b.valuesOf(runs[1], p.ID, of)
		reached = reached || old[0] != 0 || fresh[0] != 0
		switch {
		case !oldExact || !freshExact:
			again = true
		case old[0] != fresh[0]:
			found = append(found, difference{Place: p, figure: b.metric, old: old[0], new: fresh[0]})
		}
	}
	if best := b.largest(found); best != nil {
		return false, b.take(*best, len(places), runs)
	}
	if !reached && b.marker == "" {
		return false, fmt.Errorf("no marker is reached in %s or %s; see that the tests, or the command, run what is marked", b.old, b.new)
	}
	if !again {
		return false, b.noDifference(places)
	}
	return true, nil
}

// chooseNoisy chooses the marker by the test of markgen diff.
func (b *bisection) chooseNoisy(runs endRuns) error {
	places, err := b.wanted(runs.places())
	if err != nil {
		return err
	}
	c, err := compare.NewComparison(compare.Options{Metric: b.metric, Alpha: b.alpha, Counts: compare.CountsOff})
	if err != nil {
		return err
	}
	for label, side := range runs {
		for _, p := range side {
			some := *p
			if b.marker != "" {
				some.Markers = slices.DeleteFunc(slices.Clone(p.Markers), func(m profile.Marker) bool { return m.ID != places[0].ID })
			}
			if err := c.Add(compare.Label(label), &some); err != nil {
				return err
			}
		}
	}
	r := c.Result()
	var found []difference
	for i := range r.Markers {
		if m := &r.Markers[i]; m.Verdict >= compare.Changed {
			f := m.Lead()
			found = append(found, difference{m.Place, f.Name, f.Old.Median, f.New.Median, f.Adjusted})
		}
	}
	switch best := b.largest(found); {
	case best != nil:
		return b.take(*best, len(r.Markers), runs)
	case len(r.Markers) > 0:
		return b.noDifference(places)
	case b.marker != "":
		return fmt.Errorf("%s has no %s in both %s and %s: it was not reached, or is only counted, as small functions are that are inlined", places[0].Name, b.metric, b.old, b.new)
	}
	return fmt.Errorf("no marker has %s in both %s and %s; see that the tests or the command reach what is marked", b.metric, b.old, b.new)
}

// wanted returns the marker that -marker names, or all.
func (b *bisection) wanted(places []compare.Place) ([]compare.Place, error) {
	if b.marker == "" {
		return places, nil
	}
	ends := func(name string) bool {
		before, ok := strings.CutSuffix(name, b.marker)
		return ok && before != "" && strings.ContainsRune("./:", rune(before[len(before)-1]))
	}
	for _, fits := range []func(p compare.Place) bool{
		func(p compare.Place) bool { return p.Name == b.marker || p.ID.String() == b.marker },
		func(p compare.Place) bool { return p.OldName == b.marker },
		func(p compare.Place) bool { return ends(p.Name) },
		func(p compare.Place) bool { return ends(p.OldName) },
	} {
		var found []compare.Place
		var names []string
		for _, p := range places {
			if fits(p) {
				found, names = append(found, p), append(names, p.Name)
			}
		}
		if len(found) == 1 {
			return found, nil
		}
		if len(found) > 1 {
			return nil, fmt.Errorf("-marker %s: several markers fit: %s; give one of them", b.marker, strings.Join(names[:min(5, len(names))], ", "))
		}
	}
	return nil, fmt.Errorf("-marker %s: no marker of that name is in %s or %s; -all marks loops and branches, too, and markgen list -all lists the names", b.marker, b.old, b.new)
}

// largest returns the largest difference, or nil. Guesses come last; of equal ones it is that of a
// function, and the first by name.
func (b *bisection) largest(found []difference) *difference {
	if b.marker == "" { // what only one end ran is no change of anything
		found = slices.DeleteFunc(found, func(d difference) bool { return d.old == 0 || d.new == 0 })
	}
	if len(found) == 0 {
		return nil
	}
	best := slices.MinFunc(found, func(x, y difference) int {
		return cmp.Or(btoi(x.Guess)-btoi(y.Guess), cmp.Compare(y.size(), x.size()),
			btoi(x.Kind != "func")-btoi(y.Kind != "func"), profile.CompareNames(x.Name, y.Name))
	})
	return &best
}

// noDifference is the error if nothing changed.
func (b *bisection) noDifference(places []compare.Place) error {
	what := "no marker's " + b.metric
	if b.marker != "" {
		what = "the " + b.metric + " of " + places[0].Name
	} else if len(places) == 0 {
		return fmt.Errorf("%s and %s have no marker in common", b.old, b.new)
	}
	verb := "differs"
	if b.marker != "" {
		verb = "does not differ"
	}
	return fmt.Errorf("%s %s between %s and %s, as far as these runs tell; name other revisions, another -metric, or more -runs", what, verb, b.old, b.new)
}

// take makes a difference the one to search for.
func (b *bisection) take(d difference, compared int, runs endRuns) (err error) {
	b.subject, b.named = d.Place, d.figure
	if b.figure, b.unit, err = compare.Value(b.metric, d.figure); err != nil {
		return err
	}
	for i := range runs {
		b.values[i], _ = b.valuesOf(runs[i], d.ID, b.figure)
		if slices.ContainsFunc(b.values[i], math.IsNaN) {
			return fmt.Errorf("%s: not every run has its %s; name another marker", d.Name, d.figure)
		}
	}
	b.shown.clear()
	why := "as -marker says"
	if b.marker == "" {
		why = fmt.Sprintf("the largest change of %s", units.Plural(compared, "marker"))
	}
	if d.p > 0 {
		why += fmt.Sprintf(", p=%.2g", d.p)
	}
	fmt.Fprintf(b.env.Stderr, "markgen bisect: %s: %s %s → %s (%s), %s\n", d.Name, d.figure, b.format(d.old), b.format(d.new), percent(d.old, d.new), why)
	if d.Guess {
		b.env.Warn(fmt.Sprintf("%s may be other code in %s than in %s; see that the result makes sense", d.Name, b.old, b.new))
	}
	return nil
}

// percent formats a change.
func percent(old, new float64) string {
	if old == 0 {
		return "new"
	}
	return fmt.Sprintf("%+.3g%%", 100*(new/old-1))
}

// format formats a value of the figure.
func (b *bisection) format(v float64) string {
	switch {
	case b.unit == "ns":
		return units.Duration(v)
	case v == math.Trunc(v):
		return units.Count(uint64(v))
	}
	return units.Number(v)
}

// sayPlan says what is ahead.
func (b *bisection) sayPlan(suspects int) {
	how := "one run of each that is built"
	if !b.judge.Exact {
		how = fmt.Sprintf("about %s of each that is built, in turn with both ends", units.Plural(b.judge.Blocks(), "run"))
	}
	fmt.Fprintf(b.env.Stderr, "markgen bisect: %s between %s and %s, code near the marker changed by %d; %s\n",
		units.Plural(b.between, "commit"), b.old, b.new, suspects, how)
}

// conclude prints the result.
func (b *bisection) conclude(ctx context.Context, found []string) error {
	b.shown.clear()
	w := b.env.Stdout
	if len(found) > 1 {
		for _, commit := range found {
			fmt.Fprintln(w, commit)
		}
		return fmt.Errorf("it is one of these %s; those between can't be measured, see above", units.Plural(len(found), "commit"))
	}
	first := found[0]
	about, err := b.repo.git(ctx, "log", "-1", "--no-show-signature", "--format=%s%n        %an, %ad, %h", "--date=short", first)
	if err != nil {
		return err
	}
	after, ok := b.known[first]
	if !ok {
		after = b.judge.New
	}
	before, from := b.judge.Old, b.ends[0].commit
	if b.lastOld != "" {
		before, from = b.known[b.lastOld], b.lastOld
	}
	fmt.Fprintf(w, "%s is the first commit with the new %s\n", first, b.named)
	fmt.Fprintf(w, "commit  %s\n", about)
	fmt.Fprintf(w, "marker  %s (%s, %s)\n", b.subject.Name, b.subject.Kind, profile.Place(b.subject.File, b.subject.Line))
	fmt.Fprintf(w, "before  %s, in %.12s\n", b.format(before), from)
	fmt.Fprintf(w, "after   %s, %s\n", b.format(after), percent(before, after))
	sure := "exact: all runs agreed"
	if !b.judge.Exact {
		sure = fmt.Sprintf("the chance that noise led to another commit is at most %v%%", math.Ceil(1000*b.wrong)/10)
	}
	fmt.Fprintf(w, "sure    %s\n", sure)
	skipped := ""
	if b.skipped > 0 {
		skipped = fmt.Sprintf(", %d of them skipped", b.skipped)
	}
	tried := len(b.known) + b.skipped
	_, err = fmt.Fprintf(w, "builds  %d: both ends, and %d of %s%s\n", 2+tried, tried, units.Plural(b.between, "commit"), skipped)
	return err
}

// functionsOf returns the names of the functions that have markers of these names.
func functionsOf(markers ...string) (names []string) {
	for _, m := range markers {
		m = m[strings.LastIndexByte(m, '/')+1:]
		m, _, _ = strings.Cut(m, ":")
		m = m[strings.LastIndexByte(m, '.')+1:]
		if token.IsIdentifier(m) && !slices.Contains(names, m) {
			names = append(names, m)
		}
	}
	return names
}
