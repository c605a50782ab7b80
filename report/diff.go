package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/units"
)

// Diff has the options for writing a comparison. The zero value writes changes as text, without
// width limit or colour.
type Diff struct {
	Format string // one of DiffFormats; "" is text
	All    bool   // include markers that did not change; the json format always does
	Width  int    // of text, as in Options
	Color  bool
}

// DiffFormats returns the formats of a comparison, the default first.
func DiffFormats() []string { return []string{"text", "json", "markdown"} }

// Write writes the result of a comparison. It returns an error if there is no such format.
func (d Diff) Write(out io.Writer, r *compare.Result) error {
	w := bufio.NewWriterSize(out, 1<<16)
	var err error
	switch d.Format {
	case "", "text":
		d.text(w, r)
	case "json":
		err = writeDiffJSON(w, r)
	case "markdown":
		err = d.markdown(w, r)
	default:
		err = fmt.Errorf("unknown format %q; the formats are %s", d.Format, list(DiffFormats()))
	}
	return cmp.Or(err, w.Flush())
}

// text writes what was compared, a line for each changed marker and for changes common to all
// markers, markers on one side only, and a summary.
func (d Diff) text(w *bufio.Writer, r *compare.Result) {
	ink := ink(d.Color)
	for _, line := range diffHeading(r) {
		fmt.Fprintf(w, "%s %s\n", ink.paint(faint, fmt.Sprintf("%-9s", line[0])), line[1])
	}
	w.WriteByte('\n')
	d.table(w, r)
	d.countChanges(w, r)
	d.paths(w, r)
	d.varied(w, r)
	var unvisited []string // listing each would hide the others: a program has many that runs never reach
	for _, list := range []struct {
		word   string
		places []compare.Work
	}{
		{"new", r.Appeared}, {"vanished", r.Vanished}, {"reached only now", r.NewlyCalled}, {"no longer reached", r.NoLongerCalled},
	} {
		n := 0
		for _, p := range list.places {
			if !p.Reached {
				n++
				continue
			}
			fmt.Fprintf(w, "%s: %s\n", ink.paint(faint, list.word), workText(p))
		}
		if n > 0 {
			unvisited = append(unvisited, units.Count(uint64(n))+" "+list.word)
		}
	}
	if len(unvisited) > 0 {
		fmt.Fprintf(w, "%s: %s; -json lists them\n", ink.paint(faint, "unvisited"), strings.Join(unvisited, ", "))
	}
	if len(r.Appeared)+len(r.Vanished)+len(r.NewlyCalled)+len(r.NoLongerCalled) > 0 {
		w.WriteByte('\n')
	}
	if guesses := d.guesses(r); len(guesses) > 0 {
		for _, p := range guesses {
			if p.OldName != p.Name {
				fmt.Fprintf(w, "%s: %s was %s\n", ink.paint(faint, "guess"), printable(p.Name), printable(p.OldName))
			}
		}
		fmt.Fprintf(w, "%s\n\n", ink.paint(faint, guessText))
	}
	if r.Counts == compare.CountsBeside && r.Exact && len(r.Counted) > 0 {
		fmt.Fprintln(w, ink.paint(faint, "counts: "+countsSummary(r)))
	}
	fmt.Fprintln(w, ink.paint(faint, diffSummary(r)))
	for _, caution := range r.Cautions {
		fmt.Fprintf(w, "%s %s\n", ink.paint(alarm, "warning:"), printable(caution))
	}
}

// hundredfold is the change from which on the exact detectable change does not matter.
const hundredfold = 99

// diffHeading returns the first lines: a keyword and its text.
func diffHeading(r *compare.Result) [][2]string {
	side := func(s compare.Side) string {
		return joined(" ", units.Plural(s.Runs, "run"), "of", printable(s.App), parenthesis(printable(joined(" ", s.Go, joined("/", s.OS, s.Arch)))))
	}
	tests := units.Plural(len(r.Markers), "marker") + " by " + printable(r.Metric)
	if r.Tests > len(r.Markers) {
		tests += ", " + units.Plural(r.Tests, "figure")
	}
	lines := [][2]string{{"old", side(r.Old)}, {"new", side(r.New)}}
	if r.Counts != compare.CountsOnly {
		lines = append(lines, [2]string{"compared", tests})
	}
	if text := countsHeading(r); text != "" {
		lines = append(lines, [2]string{"counted", text})
	}
	if !r.Enough {
		return lines
	}
	if r.Shared != nil {
		lines = append(lines, [2]string{"shared", fmt.Sprintf("%s from run to run in all markers, %s", percent(r.Spread), sharedVerdict(r))})
	}
	switch {
	case math.IsInf(r.Half, 0):
	case r.Half > hundredfold:
		lines = append(lines, [2]string{"finds", "next to nothing: half of the markers would have to change a hundredfold; give more runs, or longer ones"})
	default:
		text := "changes from " + percent(r.Half) + " on in half of the markers"
		if r.Most <= hundredfold {
			text += ", from " + percent(r.Most) + " in nine of ten"
		}
		lines = append(lines, [2]string{"finds", text})
	}
	return lines
}

// sharedVerdict describes the change common to all markers.
func sharedVerdict(r *compare.Result) string {
	for _, f := range r.Shared {
		if f.Verdict > compare.Unchanged {
			return "which changed; it is not taken off"
		}
	}
	return "taken off"
}

// sharedName is used instead of a marker's name.
const sharedName = "all markers"

// shows reports whether the table includes a marker.
func (d Diff) shows(m *compare.Marker) bool { return d.All || m.Verdict != compare.Unchanged }

// guessText explains the remark that nameOf adds to some names.
const guessText = "(guess): was renamed, moved or edited, and may not be what it is compared with; it fails nothing"

// guesses returns the markers that the tables show as guesses, by name.
func (d Diff) guesses(r *compare.Result) []compare.Place {
	var list []compare.Place
	for i := range r.Markers {
		if m := &r.Markers[i]; m.Guess && d.shows(m) {
			list = append(list, m.Place)
		}
	}
	for _, c := range r.Counted {
		if c.Guess {
			list = append(list, c.Place)
		}
	}
	slices.SortFunc(list, func(a, b compare.Place) int {
		return cmp.Or(profile.CompareNames(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(list, func(a, b compare.Place) bool { return a.ID == b.ID })
}

// nameOf returns a marker's name in the tables.
func nameOf(p compare.Place) string {
	if p.Guess {
		return printable(p.Name) + " (guess)"
	}
	return printable(p.Name)
}

// table writes a line for each change, worse ones first.
func (d Diff) table(w *bufio.Writer, r *compare.Result) {
	type line struct {
		name    string
		f       *compare.Figure
		verdict compare.Verdict
		guess   bool
	}
	var lines []line
	for i := range r.Shared {
		if f := &r.Shared[i]; f.Verdict >= compare.Better {
			lines = append(lines, line{sharedName, f, f.Verdict, false})
		}
	}
	for i := range r.Markers {
		m := &r.Markers[i]
		if !d.shows(m) {
			continue
		}
		lines = append(lines, line{nameOf(m.Place), m.Lead(), m.Verdict, m.Guess})
		if m.Verdict == compare.Worse { // values that got better nevertheless
			for k := range m.Figures {
				if f := &m.Figures[k]; f.Verdict == compare.Better {
					lines = append(lines, line{"", f, f.Verdict, m.Guess})
				}
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	columns := []column{
		{name: "name", left: true, shorten: true},
		{name: "at", left: true, rank: 2},
		{name: "old"},
		{name: "±", rank: 3},
		{name: "new"},
		{name: "±", rank: 3},
		{name: "change", heat: true},
		{name: "from … to", rank: 1, left: true},
		{name: "verdict", left: true},
		{name: "p"},
	}
	for _, l := range lines {
		for i, cell := range append([]string{l.name}, figureCells(l.f, l.verdict)...) {
			columns[i].cells = append(columns[i].cells, cell)
		}
	}
	columns = slices.DeleteFunc(columns, func(c column) bool { // columns that are empty in all lines
		return !slices.ContainsFunc(c.cells, func(cell string) bool { return cell != "" })
	})
	style := func(row int) string {
		switch l := lines[row]; {
		case l.guess:
		case l.verdict == compare.Worse:
			return hot
		case l.verdict == compare.Better:
			return good
		}
		return plain
	}
	pale := func(row int) bool { return lines[row].verdict == compare.Unchanged || lines[row].guess }
	writeRows(w, columns, rows{style: style, pale: pale}, Options{Width: d.Width, Color: d.Color})
	w.WriteByte('\n')
}

// paths writes a line for each change of which it is known where most of it happened.
func (d Diff) paths(w *bufio.Writer, r *compare.Result) {
	any := false
	write := func(what string, v compare.Verdict, p *compare.PathChange) {
		if p == nil || v < compare.Better {
			return
		}
		var steps []string
		for _, s := range p.Steps {
			step := cmp.Or(printable(s.Name), "(other)")
			if s.Go {
				step = "go " + step
			}
			if s.Label != "" {
				step += " " + strconv.Quote(s.Label)
			}
			steps = append(steps, step)
		}
		fmt.Fprintf(w, "%s %s of the change of %s on one of %d: %s\n", ink(d.Color).paint(faint, "path"),
			percent(p.Share), printable(what), p.Of, strings.Join(steps, " > "))
		any = true
	}
	for i := range r.Markers {
		write(r.Metric, r.Markers[i].Verdict, r.Markers[i].Path)
	}
	for i := range r.Counted {
		write(r.Counted[i].What, r.Counted[i].Verdict, r.Counted[i].Path)
	}
	if any {
		w.WriteByte('\n')
	}
}

// figureCells returns the cells for a statistic: its name, the old value and its uncertainty, the
// new value and its uncertainty, the change and its interval, the verdict and the p-value.
func figureCells(f *compare.Figure, verdict compare.Verdict) []string {
	cells := []string{f.Name, value(f.Old.Median, f.Unit), around(f.Old), value(f.New.Median, f.Unit), around(f.New), "~", "", "", none}
	if verdict != compare.Unchanged {
		cells[5] = signed(f.Change)
	}
	if verdict != compare.Unchanged && !math.IsInf(f.Hi, 0) {
		cells[6] = signed(f.Lo) + " … " + signed(f.Hi)
	}
	if verdict >= compare.Better {
		cells[7] = verdict.String()
	}
	if !math.IsNaN(f.Adjusted) {
		cells[8] = probability(f.Adjusted)
	}
	return cells
}

// diffSummary returns the line below the tables.
func diffSummary(r *compare.Result) string {
	if r.Counts == compare.CountsOnly {
		if r.Compared() == 0 {
			return "no number to compare: none is known for both sides and the same in all runs of one"
		}
		return countsSummary(r) + "; threshold " + percent(r.Threshold)
	}
	if len(r.Markers) == 0 {
		return "no marker to compare: none was reached on both sides, and has the metric " + printable(r.Metric)
	}
	if !r.Enough {
		return fmt.Sprintf("%s; with %d and %d runs, no change can be told from chance: it takes %d on each side", units.Plural(len(r.Markers), "marker"), r.Old.Runs, r.New.Runs, r.Need)
	}
	changed := 0
	for i := range r.Markers {
		if r.Markers[i].Verdict == compare.Changed {
			changed++
		}
	}
	worse, better := r.Worse()-r.CountsOf(compare.Worse), r.Better()-r.CountsOf(compare.Better)
	text := fmt.Sprintf("%d worse, %d better", worse, better)
	if changed > 0 {
		text += fmt.Sprintf(", %d changed by less than %s", changed, percent(r.Threshold))
	}
	return text + fmt.Sprintf("; threshold %s, alpha %v", percent(r.Threshold), r.Alpha)
}

// value formats a number with its unit.
func value(v float64, unit string) string {
	switch {
	case math.IsNaN(v):
		return none
	case unit == "ns":
		return units.Duration(v)
	}
	return units.Number(v)
}

// around formats a confidence interval as the larger of its distances from the median.
func around(s compare.Summary) string {
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return "∞"
	}
	if s.Median == 0 {
		return none
	}
	return strconv.FormatFloat(100*max(s.Hi-s.Median, s.Median-s.Lo)/s.Median, 'f', 0, 64) + "%"
}

// percent formats a fraction as a percentage with at least two significant digits.
func percent(v float64) string {
	v *= 100
	digits := 0
	if v < 9.95 {
		digits = 1
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if digits == 1 && text[len(text)-2:] == ".0" {
		text = text[:len(text)-2]
	}
	return text + "%"
}

// probability formats a p-value with three digits.
func probability(p float64) string {
	if p < 0.0005 {
		return "<0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// signed formats a change.
func signed(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+∞"
	case v > 9.995:
		return "×" + strconv.FormatFloat(1+v, 'f', 1, 64)
	}
	digits := 1
	if math.Abs(v) >= 0.9995 {
		digits = 0
	}
	if math.Abs(v) < 0.0005 {
		v = 0
	}
	text := strconv.FormatFloat(100*v, 'f', digits, 64) + "%"
	if v > 0 {
		return "+" + text
	}
	return text
}
