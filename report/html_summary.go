package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// pageSummary is the summary above the table.
type pageSummary struct {
	Facts     []headLine
	Word      string // why the markers in Most are first: self time, total time or count
	Most      []pageMost
	Unvisited string // how many markers were never executed, out of how many; "" if none
}

// pageMost is one of the first markers in the default order.
type pageMost struct {
	ID          string
	Name, Short string // with and without the common prefix of all names
	Amount      string
	Share       string // share of the self time of all markers; "" for total times, which include each other
}

// mostShown is the maximum number of markers that the summary names.
const mostShown = 3

// summarize returns the summary of a page; prefix is the part that the table omits from names. A
// catalogue only has the facts, since it shows only some of the markers, to readers who did not
// mark them.
func summarize(p *profile.Profile, o Options, prefix string) pageSummary {
	s := pageSummary{}
	if o.Against == nil {
		s.Facts = facts(p)
	}
	if o.API {
		return s
	}
	order := defaultOrder(p)
	s.Word = map[string]string{"self": "most self time", "running": "most running self time", "total": "largest total", "count": "most scopes"}[order]
	all := runningOf(p)
	for _, m := range sorted(p, order) {
		if m.Count == 0 || len(s.Most) == mostShown {
			break
		}
		name := printable(m.Name)
		most := pageMost{ID: m.ID.String(), Name: name, Short: strings.TrimPrefix(name, prefix)}
		switch order {
		case "self", "running":
			most.Amount = units.WholeDuration(m.RunningNS())
			if all > 0 {
				most.Share = percent(float64(m.RunningNS()) / all)
			}
		case "total":
			most.Amount = units.WholeDuration(m.TotalNS())
		default:
			most.Amount = units.Count(m.Count)
		}
		s.Most = append(s.Most, most)
	}
	if n := len(unvisited(p)); n > 0 {
		s.Unvisited = fmt.Sprintf("%s of %s", units.Count(uint64(n)), units.Plural(len(p.Markers), "marker"))
	}
	return s
}

// facts returns the elapsed time and CPU time of the run, and the cost of its markers.
func facts(p *profile.Profile) (lines []headLine) {
	if p.ElapsedNS > 0 {
		elapsed := units.Duration(float64(p.ElapsedNS))
		if p.Runs > 1 {
			elapsed += " in all runs"
		}
		lines = append(lines, headLine{Word: "elapsed", Now: elapsed})
	}
	c := p.Cost
	if c == nil {
		return lines
	}
	cpu := units.WholeDuration(c.CPUNS)
	if c.Runs < uint64(p.Runs) {
		cpu += " of " + units.Plural(c.Runs, "run")
	}
	markers := "about " + units.WholeDuration(c.MarkersNS)
	if c.CPUNS > 0 {
		markers += fmt.Sprintf(", %s of it", percent(c.Share()))
	}
	lines = append(lines, headLine{Word: "processor time", Now: cpu}, headLine{Word: "cost of markers", Now: markers})
	if line := waiting(p); line != "" {
		lines = append(lines, headLine{Word: "waiting", Now: line})
	}
	return lines
}

// unvisited returns the markers that were never executed.
func unvisited(p *profile.Profile) (list []*profile.Marker) {
	for i := range p.Markers {
		if m := &p.Markers[i]; isUnvisited(p, m) {
			list = append(list, m)
		}
	}
	return list
}

// aboutRun returns a one-line description of a run.
func aboutRun(lines []headLine) string {
	var some []string
	for _, l := range lines {
		switch text := cmp.Or(l.Now, l.Before); l.Word {
		case "app", "run":
			some = append(some, text)
		case "runs":
			some = append(some, "runs: "+text)
		}
	}
	return strings.Join(some, ", ")
}
