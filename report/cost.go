package report

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

const (
	affordable = 0.01 // share of the processor time that measuring may take by the advice of -cost
	maxSkipped = 8    // max number of markers that the advice names
)

// writeCost writes what markers cost: in all, each of them, and what would make it affordable.
func writeCost(w *bufio.Writer, p *profile.Profile, o Options) error {
	list, countNS := p.Costs()
	if p.Cost == nil || p.Cost.CPUNS == 0 {
		return profile.ErrNoCost
	}
	o.common = commonPartOf(sorted(p, ""))
	var timed, counted, tests uint64
	for _, c := range list {
		timed, counted = profile.Add64(timed, c.Timed), profile.Add64(counted, c.Counted)
		if !c.FollowsCall {
			tests = profile.Add64(tests, c.Count)
		}
	}
	cpu := float64(p.Cost.CPUNS)
	atEach := func(n uint64, ns float64) string {
		return fmt.Sprintf("%s, %s each: %s", units.Plural(n, "scope"), units.Duration(ns), percentOf(float64(n)*ns, cpu))
	}
	lines := [][2]string{
		{"cost", fmt.Sprintf("%s of %s processor time, %s, estimated", units.WholeDuration(p.Cost.MarkersNS), units.WholeDuration(p.Cost.CPUNS), percentOf(float64(p.Cost.MarkersNS), cpu))},
		{"timed", atEach(timed, p.Clock.WholeNS)},
		{"counted", atEach(counted, countNS)},
	}
	if countNS > 0 { // off, these test a word, which takes about half as long as counting
		lines = append(lines, [2]string{"off", fmt.Sprintf("some %s without MARKGEN", percentOf(float64(tests)*countNS/2, p.Cost.Program()))})
	}
	ink := ink(o.Color)
	for _, line := range append(lines, o.common.heading(p)...) {
		fmt.Fprintf(w, "%s %s\n", ink.paint(faint, fmt.Sprintf("%-9s", line[0])), line[1])
	}
	w.WriteByte('\n')
	writeCosts(w, p, list, o)
	writeAffordable(w, p, list)
	return nil
}

// writeCosts writes the table.
func writeCosts(w *bufio.Writer, p *profile.Profile, list []profile.MarkerCost, o Options) {
	all := list
	if o.Top > 0 && o.Top < len(list) {
		list = list[:o.Top]
	}
	columns := []column{
		{name: "name", left: true, shorten: true},
		{name: "kind", left: true, rank: 1},
		{name: "count"},
		{name: "timed", rank: 3},
		{name: "cost"},
		{name: "share"},
		{name: "place", left: true, shorten: true, rank: 2},
	}
	for _, c := range list {
		for i, cell := range []string{o.common.cut(c.Name), kind(c.Marker), units.Count(c.Count), units.Count(c.Timed), units.Duration(c.NS), percentOf(c.NS, float64(p.Cost.CPUNS)), place(c.Marker)} {
			columns[i].cells = append(columns[i].cells, cell)
		}
	}
	writeRows(w, columns, rows{}, o)
	if rest := all[len(list):]; len(rest) > 0 {
		ns := 0.0
		for _, c := range rest {
			ns += c.NS
		}
		fmt.Fprintln(w, ink(o.Color).paint(faint, fmt.Sprintf("%s more: %s", units.Plural(len(rest), "marker"), percentOf(ns, float64(p.Cost.CPUNS)))))
	}
	w.WriteByte('\n')
}

// writeAffordable writes what would bring the cost down to the affordable.
func writeAffordable(w *bufio.Writer, p *profile.Profile, list []profile.MarkerCost) {
	cpu, cost := p.Cost.Program(), float64(p.Cost.MarkersNS)
	if cost <= affordable*cpu {
		fmt.Fprintln(w, "this is within 1%")
		return
	}
	fmt.Fprintln(w, "to pay at most 1%:")
	n, rest := 0, cost
	for n < len(list) && rest > affordable*cpu {
		rest -= list[n].NS
		n++
	}
	if n <= maxSkipped {
		var names []string
		for _, c := range list[:n] {
			names = append(names, c.Name)
		}
		fmt.Fprintf(w, "  add 'skip=%s' to MARKGEN, or //perf:skip above these; without them %s\n", strings.Join(names, ";"), percentOf(max(rest, 0), cpu))
	} else {
		fmt.Fprintf(w, "  leave out the first %s, with //perf:skip, skip= or -funcs; without them %s\n", units.Plural(n, "marker"), percentOf(max(rest, 0), cpu))
	}
	fmt.Fprintln(w, "  or build with -budget 1% and these data for -from, which leaves such markers out")
	if p.Sampling == nil && !slices.ContainsFunc(p.Markers, func(m profile.Marker) bool { return m.Sampled() }) {
		fmt.Fprintf(w, "  or add sample=1:%d to MARKGEN, which estimates times and counts\n", int(math.Ceil(cost/cpu/affordable)))
	}
}
