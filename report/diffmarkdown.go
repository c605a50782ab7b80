package report

import (
	"bufio"
	"fmt"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/units"
)

// mostWorse is the number of rows for what got worse in the markdown format. What got better has
// the rest of mostMarkdown.
const mostWorse = 10

// markdown writes the verdict, a table of what got worse and better, and the text collapsed.
func (d Diff) markdown(w *bufio.Writer, r *compare.Result) error {
	fmt.Fprintf(w, "### markgen: %s\n\n", diffTitle(r))
	runs := units.Plural(r.New.Runs, "run") + " a side"
	if r.Old.Runs != r.New.Runs {
		runs = fmt.Sprintf("%d old and %s", r.Old.Runs, units.Plural(r.New.Runs, "new run"))
	}
	what := "times"
	switch {
	case r.Counts == compare.CountsOnly:
		what = "counts"
	case r.Metric != "time":
		what = markdownText(r.Metric)
	case r.Exact:
		what += " and counts"
	}
	fmt.Fprintf(w, "%s of %s, compared by %s; threshold %s.", runs, markdownText(r.New.App), what, percent(r.Threshold))
	if n := len(r.Cautions); n > 0 {
		fmt.Fprintf(w, " See %s below.", units.Plural(n, "warning"))
	}
	w.WriteString("\n\n")
	worse, better := diffFindings(r, compare.Worse), diffFindings(r, compare.Better)
	shown := worse[:min(len(worse), mostWorse)]
	shown = append(shown[:len(shown):len(shown)], better[:min(len(better), mostMarkdown-len(shown))]...)
	columns := []column{{name: "verdict", left: true}, {name: "marker", left: true}, {name: "of", left: true}, {name: "old"}, {name: "new"}, {name: "change"}, {name: "place", left: true}}
	for _, cells := range shown {
		for i, cell := range cells {
			columns[i].cells = append(columns[i].cells, cell)
		}
	}
	writeMarkdownTable(w, columns)
	if more := len(worse) + len(better) - len(shown); more > 0 {
		fmt.Fprintf(w, "And %s below.\n\n", units.Plural(more, "other change"))
	}
	d.Width, d.Color = 0, false
	return writeDetails(w, "Details", func(w *bufio.Writer) error {
		d.text(w, r)
		return nil
	})
}

// diffTitle returns the verdict in a few words.
func diffTitle(r *compare.Result) string {
	better := ""
	if n := r.Better(); n > 0 {
		better = fmt.Sprintf(", %d better", n)
	}
	switch diffVerdict(r) {
	case "worse":
		return fmt.Sprintf("**%d worse**%s", r.Worse(), better)
	case "ok":
		return "nothing worse" + better
	}
	if r.Counts != compare.CountsOnly && len(r.Markers) > 0 && !r.Enough {
		return fmt.Sprintf("too few runs to tell, it takes %d on each side", r.Need)
	}
	return "nothing could be compared"
}

// diffFindings returns the rows of a verdict: shared figures, markers, and counts. Guesses are
// none.
func diffFindings(r *compare.Result, v compare.Verdict) (rows [][]string) {
	name := v.String()
	if v == compare.Worse {
		name = "**" + name + "**"
	}
	place := func(p compare.Place) string {
		if p.File == "" {
			return ""
		}
		return markdownCode(profile.Place(p.File, p.Line))
	}
	figure := func(marker, at string, f *compare.Figure) {
		rows = append(rows, []string{name, marker, markdownText(f.Name), value(f.Old.Median, f.Unit), value(f.New.Median, f.Unit), signed(f.Change), at})
	}
	for i := range r.Shared {
		if f := &r.Shared[i]; f.Verdict == v {
			figure(sharedName, "", f)
		}
	}
	for i := range r.Markers {
		if m := &r.Markers[i]; m.Verdict == v && !m.Guess {
			figure(markdownCode(m.Name), place(m.Place), m.Lead())
		}
	}
	for i := range r.Counted {
		if c := &r.Counted[i]; c.Verdict == v && !c.Guess {
			of := c.What
			if len(c.Callers) > 0 && c.Callers[0].Name != "" {
				of += ", most from " + markdownCode(c.Callers[0].Name)
			}
			rows = append(rows, []string{name, markdownCode(c.Name), of, units.Count(c.Old), units.Count(c.New), signed(c.Change()), place(c.Place)})
		}
	}
	return rows
}
