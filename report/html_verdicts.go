package report

import (
	"fmt"

	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/units"
)

// pageVerdicts has the results of a comparison of runs, as in the text of markgen diff.
type pageVerdicts struct {
	Enough  bool          `json:"enough"`  // there were enough runs for a verdict
	Markers []pageVerdict `json:"markers"` // in the order of markgen diff
}

type pageVerdict struct {
	At      int        `json:"at"` // index of the marker
	Verdict string     `json:"verdict"`
	Change  *float64   `json:"change"`  // of the leading statistic; null if infinite
	P       *float64   `json:"p"`       // p-value of that change; null if unknown
	Lead    int        `json:"lead"`    // index of the leading statistic in Figures
	Figures [][]string `json:"figures"` // cells for each statistic, see figureCells
	guess   bool       // may not be the same marker, so does not count as a change
}

// verdicts returns the verdicts on the markers of a page; at has the index of each. It returns nil
// if r is nil.
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

// pageCompared is the summary of the comparison at the top of a page.
type pageCompared struct {
	Facts         []headLine // amount of data, and the change that would have been detected
	Shared        []pageShared
	Worse, Better string // number of markers; "" if none
	Rule          string // rule by which a marker is worse or better; "" if there is no verdict
	Unknown       string // why there is no verdict, or ""
}

// pageShared is a change common to all markers.
type pageShared struct{ At, Change, Verdict string }

// summarizeComparison returns the summary of a comparison, for the markers in the page; r may be
// nil.
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
	c.Rule = fmt.Sprintf("which are more than chance (alpha %v for all markers) and may be as large as the threshold (%s)", r.Alpha, percent(r.Threshold))
	return c
}
