package report

import (
	"fmt"

	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/units"
)

// pageVerdicts are what a comparison of the runs has found, as the text of markgen diff has it.
type pageVerdicts struct {
	Enough  bool          `json:"enough"`  // of runs, to tell anything
	Markers []pageVerdict `json:"markers"` // in the order of diff
}

type pageVerdict struct {
	At      int        `json:"at"` // marker
	Verdict string     `json:"verdict"`
	Change  *float64   `json:"change"`  // of the figure that tells most; null: infinite
	P       *float64   `json:"p"`       // of it; null: not known
	Lead    int        `json:"lead"`    // which of the figures that is
	Figures [][]string `json:"figures"` // the cells of each, see figureCells
	guess   bool       // it is no finding
}

// verdicts gives those on the markers of a page; at is where each stands. Without a comparison they
// are nil.
func verdicts(r *compare.Result, at map[registry.ID]int) *pageVerdicts {
	if r == nil {
		return nil
	}
	v := &pageVerdicts{Enough: r.Enough, Markers: []pageVerdict{}}
	for i := range r.Markers {
		m := &r.Markers[i]
		where, shown := at[m.ID]
		if !shown {
			continue
		}
		lead := m.Lead()
		line := pageVerdict{At: where, Verdict: m.Verdict.String(), Change: known(lead.Change), P: known(lead.Adjusted), Figures: [][]string{}, guess: m.Guess}
		for k := range m.Figures {
			f := &m.Figures[k]
			if f == lead {
				line.Lead = k
			}
			line.Figures = append(line.Figures, figureCells(f, f.Verdict))
		}
		v.Markers = append(v.Markers, line)
	}
	return v
}

// pageCompared is what the top of a page says of the comparison.
type pageCompared struct {
	Facts         []headLine // how much was compared, and what would have been found
	Shared        []pageShared
	Worse, Better string // how many markers are; "": none
	Rule          string // which changes are one of these; "" if none can be
	Unknown       string // why nothing can be told; ""
}

// pageShared is a finding on all markers together.
type pageShared struct{ At, Change, Verdict string }

// summarizeComparison says what a comparison has found of the markers in the page, and by which
// rule; r may be nil.
func summarizeComparison(r *compare.Result, shown *pageVerdicts) *pageCompared {
	if r == nil {
		return nil
	}
	c := &pageCompared{}
	for _, line := range diffHeading(r) {
		if line[0] != "old" && line[0] != "new" {
			c.Facts = append(c.Facts, headLine{Word: line[0], Now: line[1]})
		}
	}
	if !r.Enough || len(r.Markers) == 0 {
		c.Unknown = diffSummary(r)
		return c
	}
	for i := range r.Shared {
		if f := &r.Shared[i]; f.Verdict >= compare.Better {
			c.Shared = append(c.Shared, pageShared{f.Name, signed(f.Change), f.Verdict.String()})
		}
	}
	count := func(v compare.Verdict) string {
		n := uint64(0)
		for _, m := range shown.Markers {
			if m.Verdict == v.String() && !m.guess {
				n++
			}
		}
		if n == 0 {
			return ""
		}
		return units.Count(n)
	}
	c.Worse, c.Better = count(compare.Worse), count(compare.Better)
	c.Rule = fmt.Sprintf("which are more than chance (alpha %v for all markers together) and may be as large as the threshold (%s)", r.Alpha, percent(r.Threshold))
	return c
}
