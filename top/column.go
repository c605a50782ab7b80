package top

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// A column shows one value of a row, for the span that is shown.
type column struct {
	name  string // as in -sort
	width int
	text  func(s *span, r *row) string
	key   func(s *span, r *row) float64 // sort key, descending; nil to sort by name, ascending
	rank  int                           // narrow tables drop columns in ascending order; 0 for never
	se    bool                          // standard error: only shown if a marker is sampled, and not sortable
}

// none is shown for values that were not measured.
const none = "-"

// timed returns a column of a time, which is none in rows without calls in the span.
func timed(name string, width, rank int, of func(r *row) float64, write func(ns, quantumNS float64) string) column {
	return column{name, width, func(s *span, r *row) string {
		if len(r.in.Buckets) == 0 {
			return none
		}
		return write(of(r), s.quantum)
	}, func(_ *span, r *row) float64 { return of(r) }, rank, false}
}

// columns are all columns except the name and the histogram, in order.
var columns = []column{
	{"rate", 7, func(s *span, r *row) string { return r.about() + rate(s.perSecond(r.in.Count)) },
		func(s *span, r *row) float64 { return s.perSecond(r.in.Count) }, 0, false},
	{"count", 10, func(_ *span, r *row) string { return r.about() + large(r.in.Count) },
		func(_ *span, r *row) float64 { return float64(r.in.Count) }, 2, false},
	{"self", 6, func(s *span, r *row) string { return percent(s.share(r), r.in.CountOnly) },
		func(s *span, r *row) float64 { return s.share(r) }, 0, false},
	timed("total", 7, 3, func(r *row) float64 { return float64(r.in.TotalNS()) },
		func(ns, _ float64) string { return units.Duration(ns) }),
	timed("mean", 7, 0, func(r *row) float64 { return r.in.MeanNS() }, units.Measured),
	timed("p50", 7, 4, func(r *row) float64 { return r.in.QuantileNS(0.5) }, units.Measured),
	timed("p99", 7, 0, func(r *row) float64 { return r.in.QuantileNS(0.99) }, units.Measured),
	{"all", 10, func(_ *span, r *row) string { return r.about() + large(r.all.Count) },
		func(_ *span, r *row) float64 { return float64(r.all.Count) }, 1, false},
	{"±", 6, func(_ *span, r *row) string {
		return report.Relative(r.all.CountSE(), float64(r.all.Count), r.all.Sampled())
	}, nil, 1, true},
}

// byName is the sort order without a column.
const byName = "name"

// Sorts returns the sort orders, the default first.
func Sorts() []string {
	var names []string
	for _, c := range columns {
		if !c.se {
			names = append(names, c.name)
		}
	}
	return append(names, byName)
}

// rate formats calls per second.
func rate(perSecond float64) string {
	switch {
	case perSecond == 0:
		return "0"
	case perSecond < 9.95:
		return strconv.FormatFloat(perSecond, 'f', 1, 64)
	}
	return scaled(perSecond)
}

// about returns the prefix of estimated counts, for sampled markers.
func (r *row) about() string {
	if r.all.Samples > 0 && r.all.Count > 0 {
		return "~"
	}
	return ""
}

// large formats a count in at most 9 characters.
func large(n uint64) string {
	if n < 10_000_000 {
		return units.Count(n)
	}
	return scaled(float64(n))
}

// scaled formats a number with three significant digits and a unit: 12.3k, 4.56M.
func scaled(v float64) string {
	for _, unit := range []string{"", "k", "M", "G", "T", "P"} {
		switch {
		case unit == "" && v < 999.5:
			return strconv.FormatFloat(v, 'f', 0, 64)
		case v < 9.995:
			return strconv.FormatFloat(v, 'f', 2, 64) + unit
		case v < 99.95:
			return strconv.FormatFloat(v, 'f', 1, 64) + unit
		case v < 999.5:
			return strconv.FormatFloat(v, 'f', 0, 64) + unit
		}
		v /= 1000
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + "E"
}

// percent formats a share of the span.
func percent(share float64, countOnly bool) string {
	switch p := 100 * share; {
	case countOnly:
		return none
	case p == 0:
		return "0"
	case p < 0.05:
		return "<0.1%"
	case p < 99.95:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	default:
		return scaled(p) + "%"
	}
}

// sorted returns the rows whose names contain the filter, in the given or the reversed order. Ties
// are sorted by name.
func (s *span) sorted(order string, reversed bool, filter string) []*row {
	var list []*row
	for i := range s.rows {
		if report.Matches(filter, s.rows[i].all.Name) {
			list = append(list, &s.rows[i])
		}
	}
	var key func(*span, *row) float64
	for _, c := range columns {
		if c.name == order {
			key = c.key
		}
	}
	if key == nil { // rows are already sorted by name
		if reversed {
			slices.Reverse(list)
		}
		return list
	}
	keys := make(map[*row]float64, len(list))
	for _, r := range list {
		keys[r] = key(s, r)
	}
	slices.SortStableFunc(list, func(a, b *row) int {
		if reversed {
			a, b = b, a
		}
		return -cmp.Compare(keys[a], keys[b])
	})
	return list
}
