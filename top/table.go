package top

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// layout has the widths of the parts of a table.
type layout struct {
	name    int
	columns []column
	bars    int
}

const (
	leastName = 16
	leastBars = 8
	mostBars  = 32
	mostName  = 60
	gap       = " "
)

// fit returns a layout that fits width characters; 0 for no limit. It first drops columns, then the
// histogram, and finally shortens names.
func (s *span) fit(width, longest int) layout {
	longest = max(longest, leastName)
	shown := columns
	if !s.sampled {
		shown = slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.se })
	}
	if width <= 0 {
		return layout{longest, shown, mostBars}
	}
	longest = min(longest, mostName)
	l := layout{columns: shown, bars: leastBars}
	used := func() int {
		n := l.bars + len(gap)
		for _, c := range l.columns {
			n += len(gap) + c.width
		}
		return n
	}
	for rank := 1; used()+leastName+8 > width && rank <= len(columns); rank++ {
		var kept []column
		for _, c := range l.columns {
			if c.rank != rank {
				kept = append(kept, c)
			}
		}
		l.columns = kept
	}
	if used()+leastName > width {
		l.bars = 0
	}
	l.name = min(longest, max(1, width-used()))
	if l.bars > 0 {
		l.bars = min(mostBars, max(leastBars, width-used()-l.name+l.bars))
	}
	return l
}

// head returns the header line, with an arrow at the sort order.
func (l layout) head(sc scale, order string, reversed bool) string {
	arrow := map[bool]string{false: "▼", true: "▲"}[reversed != (order == byName)]
	title := func(name string) string {
		if name == order {
			name = arrow + name
		}
		return name
	}
	var b strings.Builder
	b.WriteString(report.Pad(title(byName), l.name))
	for _, c := range l.columns {
		b.WriteString(gap)
		b.WriteString(report.Pad(title(c.name), -c.width))
	}
	if l.bars > 0 {
		b.WriteString(gap + sc.label(l.bars))
	}
	return strings.TrimRight(b.String(), " ")
}

// line returns the line of a row. Names of markers that are off are in brackets, if there is room.
func (l layout) line(s *span, r *row, sc scale) string {
	var b strings.Builder
	name := report.Printable(r.all.Name)
	if r.off && l.name > 2 {
		name = "[" + report.Shorten(name, l.name-2) + "]"
	} else {
		name = report.Shorten(name, l.name)
	}
	b.WriteString(report.Pad(name, l.name))
	for _, c := range l.columns {
		b.WriteString(gap)
		b.WriteString(report.Pad(c.text(s, r), -c.width))
	}
	if l.bars > 0 {
		b.WriteString(gap + sc.histogram(r.in.Buckets))
	}
	return strings.TrimRight(b.String(), " ")
}

// longest returns the length of the longest name.
func longest(rows []*row) int {
	n := 0
	for _, r := range rows {
		length := utf8.RuneCountInString(r.all.Name)
		if r.off {
			length += len("[]")
		}
		n = max(n, length)
	}
	return n
}

// stateLine returns a line about the state of the run.
func stateLine(r *reading) string {
	st := r.status
	parts := []string{fmt.Sprintf("%s pid %d", report.Printable(st.App), st.PID)}
	if !st.Running {
		parts[0] += " ended"
	}
	state := st.State.String()
	if st.Since > 0 && st.Running {
		state += " " + units.Duration(float64(st.Since))
	}
	parts = append(parts, state)
	if st.Elapsed > 0 {
		word := "up"
		if st.Complete { // the program may be running
			word = "ran"
		}
		parts = append(parts, word+" "+units.Duration(float64(st.Elapsed)))
	}
	sample := "all scopes"
	switch {
	case st.Sample > 1:
		sample = "1 in " + units.Count(st.Sample)
	case st.Windows > 0:
		sample = "nearly all scopes"
	}
	parts = append(parts, sample)
	markers := units.Plural(len(r.profile.Markers), "marker")
	if st.Off > 0 {
		markers += fmt.Sprintf(", %s off", units.Count(uint64(st.Off)))
	}
	return strings.Join(append(parts, markers), "  ")
}
