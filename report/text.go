package report

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/trace"
	"github.com/markgen/markgen/units"
)

// writeText writes the text report: a head with the run and the quality of the measurement, a line
// for each marker, and a summary with anything unusual.
func writeText(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) error {
	if o.Cost {
		return writeCost(w, p, o)
	}
	if o.Paths && p.Paths == nil {
		return errNoPaths
	}
	ink := ink(o.Color)
	costly := p.Costly() // first, since it affects all values
	if costly != "" {
		fmt.Fprintf(w, "%s %s\n\n", ink.paint(alarm, "warning:"), costly)
	}
	o.common = commonPartOf(sorted(p, ""))
	for _, line := range append(heading(p), o.common.heading(p)...) {
		fmt.Fprintf(w, "%s %s\n", ink.paint(faint, fmt.Sprintf("%-9s", line[0])), line[1])
	}
	if slices.ContainsFunc(p.Markers, func(m profile.Marker) bool { return m.Demoted() }) {
		fmt.Fprintf(w, "%s %s\n", ink.paint(faint, fmt.Sprintf("%-9s", "~")), timesOfDemoted(p))
	}
	w.WriteByte('\n')
	var rest []*profile.Marker
	if o.Top > 0 && o.Top < len(markers) {
		markers, rest = markers[:o.Top], markers[o.Top:]
	}
	all := markers // traced markers can have readings, too
	if p.Untimed {
		markers = slices.DeleteFunc(slices.Clone(markers), func(m *profile.Marker) bool { return onlyTraced(p, m) })
	}
	if len(markers) > 0 {
		writeTable(w, p, columnsOf(p, markers, o), markers, o)
	}
	if len(rest) > 0 {
		line := joined("; ", others(p, rest), printable(o.Rest))
		if o.Width > 0 && width(line) > o.Width {
			line = joined("\n", others(p, rest), printable(o.Rest))
		}
		fmt.Fprintln(w, ink.paint(faint, line))
	}
	if len(markers) > 0 || len(rest) > 0 {
		w.WriteByte('\n')
	}
	writeReadings(w, all, o)
	writeSizes(w, p, markers, o)
	if o.Shapes {
		writeShapes(w, p, markers, o)
	}
	writeCallers(w, p, markers, o)
	if o.Paths {
		writePaths(w, p, o)
	}
	writeNotes(w, markers, o)
	fmt.Fprintln(w, ink.paint(faint, summary(p, o.Sort)))
	for _, warning := range p.Cautions() {
		if warning == costly {
			continue
		}
		fmt.Fprintf(w, "%s %s\n", ink.paint(alarm, "warning:"), printable(warning))
	}
	return nil
}

// timesOfDemoted says what the figures of demoted markers are.
func timesOfDemoted(p *profile.Profile) string {
	if p.BudgetPPM != 0 {
		return "estimated; counts are exact, without the scopes while it was off"
	}
	return "estimated; counts are exact (-exact times all)"
}

// writeNotes writes notes on how values were obtained, for each marker that has some.
func writeNotes(w *bufio.Writer, markers []*profile.Marker, o Options) {
	some := false
	for _, m := range markers {
		if len(m.Notes) == 0 {
			continue
		}
		if !some {
			fmt.Fprintln(w, ink(o.Color).paint(strong, "notes"))
			some = true
		}
		fmt.Fprintf(w, "%s: %s\n", o.common.cut(m.Name), printable(strings.Join(m.Notes, "; ")))
	}
	if some {
		w.WriteByte('\n')
	}
}

// heading returns the first lines: a keyword and its text.
func heading(p *profile.Profile) [][2]string {
	lines := [][2]string{{"app", joined(" ", printable(p.App), parenthesis(printable(joined(" ", p.Go, joined("/", p.GOOS, p.GOARCH)))))}}
	if p.Version != "" {
		lines = append(lines, [2]string{"build", printable(p.Build())})
	}
	if p.CPU != "" {
		lines = append(lines, [2]string{"cpu", printable(p.CPU)})
	}

	run, began := [2]string{"run", joined(", ", printable(p.Run), ending(p))}, ""
	if p.Runs > 1 {
		run, began = [2]string{"runs", fmt.Sprintf("%s, %s", units.Count(uint64(p.Runs)), ending(p))}, ", the first of them"
	}
	lines = append(lines, run)
	if !p.Start.IsZero() {
		lines = append(lines, [2]string{"started", p.Start.UTC().Format(time.DateTime) + " UTC" + began})
	}
	if p.ElapsedNS > 0 {
		elapsed := units.Duration(float64(p.ElapsedNS))
		if p.Runs > 1 {
			elapsed += " in all runs"
		}
		lines = append(lines, [2]string{"elapsed", elapsed + cost(p)})
	}
	if line := waiting(p); line != "" {
		lines = append(lines, [2]string{"waiting", line})
	}
	if line := sampled(p); line != "" {
		lines = append(lines, [2]string{"sampled", line})
	}
	if line := wild(p); line != "" {
		lines = append(lines, [2]string{"picked", line})
	}
	if line := budget(p); line != "" {
		lines = append(lines, [2]string{"budget", line})
	}
	if line := steered(p); line != "" {
		lines = append(lines, [2]string{"state", line})
	}
	if c := p.Clock; c.Kind != "" {
		lines = append(lines,
			[2]string{"clock", fmt.Sprintf("%s %s, quantum %s, read %s", printable(c.Kind), units.Frequency(c.Hz), units.Duration(c.QuantumNS), units.Duration(c.ReadNS))},
			[2]string{"overhead", fmt.Sprintf("%s a scope, %s of it inside the measured time", units.Duration(c.WholeNS), units.Duration(c.InsideNS))},
		)
	}
	if t := p.Trace; t != nil {
		text := units.Plural(int(min(t.Records, math.MaxInt)), "record")
		if t.Lost > 0 {
			text += fmt.Sprintf(", and %s lost", units.Count(t.Lost))
		}
		if mb := math.Round(float64(t.Records) * trace.RecordBytes / 1e6); mb > 0 {
			text += fmt.Sprintf(": %s MB", units.Count(uint64(mb)))
		}
		lines = append(lines, [2]string{"trace", text})
	}
	return lines
}

// cost returns the CPU time and the cost of markers, for the line of the elapsed time.
func cost(p *profile.Profile) string {
	c := p.Cost
	if c == nil {
		return ""
	}
	of := ""
	if c.Runs < uint64(p.Runs) {
		of = fmt.Sprintf(" of %s", units.Plural(c.Runs, "run"))
	}
	return fmt.Sprintf("; processor time%s %s, of it markers about %s", of, units.WholeDuration(c.CPUNS), units.WholeDuration(c.MarkersNS))
}

// onlyTraced reports whether a marker has no values because its scopes are only in a trace.
func onlyTraced(p *profile.Profile, m *profile.Marker) bool {
	return p.Untimed && m.Count == 0 && m.Off != "choice" && (!m.CountOnly || m.Kind == "point")
}

// countTraced returns the number of such markers.
func countTraced(p *profile.Profile) (n int) {
	for i := range p.Markers {
		if onlyTraced(p, &p.Markers[i]) {
			n++
		}
	}
	return n
}

// ending describes how the run or runs ended.
func ending(p *profile.Profile) string {
	switch {
	case p.Complete:
		return "complete"
	case p.Runs > 1:
		return "not all complete"
	case p.State == "stopped":
		return "data missing"
	}
	text := "not seen to end"
	if p.Alive {
		text = "still running"
	}
	if p.State != "profiling" {
		text += ", " + printable(p.State)
	}
	return text
}

// summary returns the line below the table.
func summary(p *profile.Profile, order string) string {
	if len(p.Markers) == 0 && p.Wild != nil && p.Wild.Runs == 0 {
		return "no markers: the program declined to collect"
	}
	if len(p.Markers) == 0 && p.Hidden > 0 {
		return fmt.Sprintf("none of %s", units.Plural(p.Hidden, "marker"))
	}
	if len(p.Markers) == 0 && len(p.Blocks) == 0 {
		return "no markers: the program registered none before it ended"
	}
	if len(p.Markers) == 0 {
		return fmt.Sprintf("no markers, %s: -format cover writes them", units.Plural(len(p.Blocks), "cover block"))
	}
	const times = "traced and not timed: markgen between FROM TO DATA gives times"
	traced := countTraced(p)
	markers := units.Plural(len(p.Markers), "marker")
	if p.Hidden > 0 {
		markers = units.Count(uint64(len(p.Markers))) + " of " + units.Plural(len(p.Markers)+p.Hidden, "marker")
	}
	if traced == len(p.Markers) {
		return markers + ", " + times
	}
	unvisited, open, left, off, turned, enough, unseen, scopes := 0, 0, 0, 0, 0, 0, 0, uint64(0)
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Open > 0 {
			open++
			scopes += m.Open
		}
		if m.Off == "enough" {
			enough++
		}
		switch {
		case m.Count > 0 && m.Off == "choice":
			turned++
		case m.Count > 0, m.Open > 0, onlyTraced(p, m):
		case m.Samples > 0:
			unseen++
		case p.Wild != nil && m.Picks == nil:
			left++
		case m.Off == "choice":
			off++
		default:
			unvisited++ // as in unvisited
		}
	}
	text := markers
	if left > 0 {
		text += fmt.Sprintf(", %s not picked", units.Count(uint64(left)))
	}
	if off > 0 {
		text += fmt.Sprintf(", %s off by only=, skip= or ctl", units.Count(uint64(off)))
	}
	if turned > 0 {
		text += fmt.Sprintf(", %s off for a time (scopes meanwhile are missing)", units.Count(uint64(turned)))
	}
	if enough > 0 {
		text += fmt.Sprintf(", %s off by enough= (the scopes after that are missing)", units.Count(uint64(enough)))
	}
	if unvisited > 0 {
		text += fmt.Sprintf(", %s %s", units.Count(uint64(unvisited)), map[bool]string{false: "unvisited", true: "unvisited or without data"}[p.State == "stopped" && !p.Complete])
	}
	if open > 0 {
		text += fmt.Sprintf(", %s still open", units.Count(uint64(open)))
		if scopes > uint64(open) {
			text += fmt.Sprintf(" (%s)", units.Plural(int(scopes), "scope"))
		}
	}
	if unseen > 0 {
		text += fmt.Sprintf(", %s in no window", units.Count(uint64(unseen)))
	}
	if traced > 0 {
		text += fmt.Sprintf(", %s %s", units.Count(uint64(traced)), times)
	}
	if order != "" {
		text += ", by " + order
	}
	return text
}

// columnsOf returns the columns of a profile's table, without those that would have no values.
func columnsOf(p *profile.Profile, markers []*profile.Marker, o Options) []column {
	timed := false
	for _, m := range markers {
		timed = timed || !m.CountOnly
	}
	whole := func(f func(m *profile.Marker) uint64) func(*profile.Marker) string {
		return func(m *profile.Marker) string {
			if len(m.Buckets) == 0 {
				return none
			}
			return tilde(m) + units.WholeDuration(f(m))
		}
	}
	extreme := func(f func(m *profile.Marker) uint64) func(*profile.Marker) string {
		return func(m *profile.Marker) string {
			if len(m.Buckets) == 0 {
				return none
			}
			return units.WholeDuration(f(m))
		}
	}
	part := func(f func(m *profile.Marker) float64) func(*profile.Marker) string {
		return func(m *profile.Marker) string {
			if len(m.Buckets) == 0 {
				return none
			}
			return tilde(m) + units.Measured(f(m), p.Clock.QuantumNS)
		}
	}
	columns := []column{
		{name: "name", text: func(m *profile.Marker) string { return o.common.cut(m.Name) }, tail: NewHeaders(o.Source).Of, left: true, shorten: true, whole: true},
		{name: "kind", text: kind, left: true, rank: 1},
		{name: "count", text: func(m *profile.Marker) string { return units.Count(m.Count) }},
	}
	columns = append(columns, levelColumns(p, markers)...)
	if p.Wild != nil && p.Runs > 1 {
		columns = append(columns, column{name: "picked", text: pickedRuns, rank: 9}, column{name: "in all", text: inAll, rank: 9})
	}
	if slices.ContainsFunc(markers, func(m *profile.Marker) bool { return m.CountSE() > 0 }) {
		columns = append(columns, column{name: "±", text: func(m *profile.Marker) string { return Relative(m.CountSE(), float64(m.Count), m.Sampled()) }, rank: 8})
	}
	if timed {
		columns = append(columns, column{name: "total", text: whole((*profile.Marker).TotalNS), rank: 7})
		if all, waits := runningOf(p), p.KnowsWaiting(); !p.NoSelf {
			self := column{name: "self", text: whole(func(m *profile.Marker) uint64 { return m.SelfNS }), heat: true}
			if waits {
				self.rank, self.heat = 7, false
			}
			columns = append(columns, self)
			if waits {
				columns = append(columns,
					column{name: "running", text: whole((*profile.Marker).RunningNS), heat: true},
					column{name: "waiting", text: whole((*profile.Marker).WaitingNS), rank: 12},
				)
			}
			columns = append(columns, column{name: "share", text: func(m *profile.Marker) string { return share(m, all) }, rank: 11, heat: true})
		}
		columns = append(columns,
			column{name: "mean", text: part((*profile.Marker).MeanNS), rank: 10},
		)
		if slices.ContainsFunc(markers, (*profile.Marker).Sampled) {
			columns = append(columns, column{name: "±", text: func(m *profile.Marker) string {
				se, ok := m.MeanSE()
				return Relative(se, m.MeanNS(), ok && m.Sampled())
			}, rank: 8})
		}
		columns = append(columns,
			column{name: "min", text: extreme(func(m *profile.Marker) uint64 { return m.MinNS }), rank: 3},
			column{name: "p50", text: part(func(m *profile.Marker) float64 { return m.QuantileNS(0.5) }), rank: 4},
			column{name: "p99", text: part(func(m *profile.Marker) float64 { return m.QuantileNS(0.99) }), rank: 5},
			column{name: "max", text: extreme(func(m *profile.Marker) uint64 { return m.MaxNS }), rank: 6},
		)
	}
	columns = append(columns, column{name: "place", text: place, left: true, shorten: true, rank: 2})
	for i := range columns {
		if columns[i].name == o.Sort {
			columns[i].rank = 0 // always show the sort column
		}
	}
	return columns
}

// tilde returns the prefix of an estimate from only some of the scopes.
func tilde(m *profile.Marker) string {
	if m.Demoted() {
		return "~"
	}
	return ""
}

// Relative formats a standard error relative to its value, in percent; "-" if there is none, and a
// bound above 1000 %.
func Relative(se, of float64, known bool) string {
	switch {
	case !known || of == 0:
		return none
	case se == 0:
		return "0"
	case se > 10*of:
		return ">1000%"
	}
	return strconv.FormatFloat(100*se/of, 'f', 1, 64) + "%"
}

// none is shown for values that were not measured.
const none = "-"

// kind returns a marker's kind, with the rate if only some scopes were recorded, and the reason if
// it was turned off.
func kind(m *profile.Marker) string {
	text := printable(m.Kind)
	if m.Sampled() {
		text += " " + m.Rate()
	}
	switch {
	case m.Off == "choice" && m.Count > 0: // in part of the run, or in some runs
		text += ", off"
	case m.Off != "choice" && m.Off != "" && !m.Demoted() && m.Levels.OffNS == 0:
		text += ", " + printable(m.Off)
	}
	return text
}

// sampled describes the sampling of which the values are estimates, or returns "".
func sampled(p *profile.Profile) string {
	if s := p.Sampling; s != nil {
		if s.Windows == 0 { // nothing runs often enough, or the run ended before
			return fmt.Sprintf("1:%d, but the run had no window; figures with a rate are estimates", s.N)
		}
		return fmt.Sprintf("1:%d in %s of %s in all, out of %s; counts and times are estimates",
			s.N, units.Plural(int(s.Windows), "window"), units.Duration(float64(s.OpenNS)), units.Duration(float64(s.OfNS)))
	}
	for i := range p.Markers {
		if m := &p.Markers[i]; m.Samples > 0 && m.Sampled() {
			if p.Paths != nil {
				return "with a rate: all scopes were counted, and one outermost scope in N, at random, was timed with all inside"
			}
			return "with a rate: all scopes were counted, and one in N, at random, was timed"
		}
	}
	return ""
}

// mostChanges is the maximum number of state changes that are listed one by one.
const mostChanges = 4

// steered describes the state changes of the run, if it was steered.
func steered(p *profile.Profile) string {
	var parts []string
	for _, c := range p.Changes {
		if c.Cause == "begin" || c.Cause == "end" || c.Cause == profile.CauseBudget {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s after %s (%s)", c.To, units.Duration(float64(c.AtNS)), c.Cause))
	}
	if n := len(parts); n > mostChanges {
		return strings.Join(parts[:mostChanges], ", ") + fmt.Sprintf(", and %s more", units.Count(uint64(n-mostChanges)+p.Unlogged))
	}
	return strings.Join(parts, ", ")
}

func place(m *profile.Marker) string {
	if m.File == "" {
		return none
	}
	return printable(profile.Place(m.File, m.Line))
}

// joined joins the non-empty parts.
func joined(sep string, parts ...string) string {
	var some []string
	for _, part := range parts {
		if part != "" {
			some = append(some, part)
		}
	}
	return strings.Join(some, sep)
}

func parenthesis(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}
