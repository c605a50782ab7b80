package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/units"
)

// mostCallers is the number of callers listed below a changed count.
const mostCallers = 3

// countsHeading returns the text of the heading's line on counts, or "" if none were compared.
func countsHeading(r *compare.Result) string {
	if !r.Exact {
		return ""
	}
	text := units.Plural(r.Same+len(r.Counted), "number") + " that every run of a side has alike"
	if n := len(r.Counted); n > 0 {
		text += ", " + units.Count(uint64(n)) + " of them changed"
	}
	switch n := len(r.Varied); n {
	case 0:
	case 1:
		text += "; 1 varies"
	default:
		text += "; " + units.Count(uint64(n)) + " vary"
	}
	return text
}

// countChanges writes the numbers that changed for certain, each with its largest callers.
func (d Diff) countChanges(w *bufio.Writer, r *compare.Result) {
	if len(r.Counted) == 0 {
		return
	}
	columns := []column{
		{name: "in every run", left: true, shorten: true},
		{name: "of", left: true},
		{name: "old"},
		{name: "new"},
		{name: "change", heat: true},
		{name: "verdict", left: true},
		{name: "place", left: true, shorten: true, rank: 1},
	}
	var lines []*compare.Count // nil for that of a caller
	add := func(c *compare.Count, cells ...string) {
		lines = append(lines, c)
		for i, cell := range cells {
			columns[i].cells = append(columns[i].cells, cell)
		}
	}
	for i := range r.Counted {
		c := &r.Counted[i]
		add(c, nameOf(c.Place), c.What, units.Count(c.Old), units.Count(c.New), signed(c.Change()), countVerdict(c), printable(profile.Place(c.File, c.Line)))
		for _, caller := range c.Callers[:min(mostCallers, len(c.Callers))] {
			add(nil, "  "+callerText(caller), "from it", units.Count(caller.Old), units.Count(caller.New), "", "", "")
		}
		if more := len(c.Callers) - mostCallers; more > 0 {
			add(nil, "  "+units.Plural(more, "other caller"), "", "", "", "", "", "")
		}
	}
	style := func(row int) string {
		switch c := lines[row]; {
		case c == nil || c.Guess:
		case c.Verdict == compare.Worse:
			return hot
		case c.Verdict == compare.Better:
			return good
		}
		return plain
	}
	pale := func(row int) bool { return lines[row] != nil && lines[row].Guess }
	writeRows(w, columns, rows{style: style, pale: pale}, Options{Width: d.Width, Color: d.Color})
	w.WriteByte('\n')
}

// callerText returns the name of a caller.
func callerText(c compare.CallerCount) string {
	if c.Name == "" {
		return "no marker"
	}
	return printable(c.Name)
}

// countVerdict is empty for a change below the threshold.
func countVerdict(c *compare.Count) string {
	if c.Verdict < compare.Better {
		return ""
	}
	return c.Verdict.String()
}

// namedVaried is the number of varying counts that are named beside the times.
const namedVaried = 5

// varied names the numbers that differ between the runs of a side: with their ranges if only
// counts were compared.
func (d Diff) varied(w *bufio.Writer, r *compare.Result) {
	if len(r.Varied) == 0 {
		return
	}
	if r.Counts == compare.CountsOnly {
		columns := []column{{name: "vary from run to run", left: true, shorten: true}, {name: "of", left: true}, {name: "old"}, {name: "new"}}
		for _, v := range r.Varied {
			for i, cell := range []string{nameOf(v.Place), v.What, rangeText(v.Old), rangeText(v.New)} {
				columns[i].cells = append(columns[i].cells, cell)
			}
		}
		writeRows(w, columns, rows{}, Options{Width: d.Width, Color: d.Color})
		w.WriteByte('\n')
		return
	}
	var names []string
	for _, v := range r.Varied[:min(namedVaried, len(r.Varied))] {
		names = append(names, printable(v.Name)+" ("+v.What+")")
	}
	text := strings.Join(names, ", ")
	if more := len(r.Varied) - namedVaried; more > 0 {
		text += " and " + units.Count(uint64(more)) + " more"
	}
	fmt.Fprintf(w, "%s: %s; -counts has their ranges\n\n", ink(d.Color).paint(faint, "vary from run to run"), text)
}

func rangeText(r compare.Range) string {
	if r.Lo == r.Hi {
		return units.Count(r.Lo)
	}
	return units.Count(r.Lo) + " … " + units.Count(r.Hi)
}

// workText describes a marker that only one side has.
func workText(p compare.Work) string {
	text := printable(p.Name) + ", " + rangeText(p.Scopes) + " scopes"
	if p.Scopes == (compare.Range{Lo: 1, Hi: 1}) {
		text = printable(p.Name) + ", 1 scope"
	}
	if p.File != "" {
		text += ", " + printable(profile.Place(p.File, p.Line))
	}
	return text
}

// countsSummary returns how many counts have which verdict.
func countsSummary(r *compare.Result) string {
	text := fmt.Sprintf("%d worse, %d better", r.CountsOf(compare.Worse), r.CountsOf(compare.Better))
	if changed := r.CountsOf(compare.Changed); changed > 0 {
		text += fmt.Sprintf(", %d changed by less than %s", changed, percent(r.Threshold))
	}
	return text
}
