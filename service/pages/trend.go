package pages

import (
	"fmt"
	"math"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

const (
	trendWidth  = 480
	trendHeight = 130 // of the plot area
	trendLeft   = 66  // room for the labels of the y axis
	trendTop    = 8
	trendBuilds = 40 // max number of builds, the newest
)

// A trend is a plot of p50 and p90 by build, with a logarithmic scale, and its description.
type trend struct {
	Title, Desc   string
	Width, Height int
	Left, Right   int
	Lines         []trendLine
	Grid          []drawnMark // X is the y of the line, Text that of the label
	Base          string
	Older         int // number of builds that are not drawn
}

type trendLine struct {
	Class  string // p50, p90
	Points string
	Dots   []trendDot
}

// A trendDot is an estimate for a build, with error bars of one standard error.
type trendDot struct {
	X, Y, Low, High string
	Title           string
}

// quantile returns the q-quantile of a marker's times, and the quantiles one standard error of the
// rank below and above it: √(q(1-q)/n) as a fraction of all calls (Cox and Hinkley, Theoretical
// Statistics, appendix 2), as if calls were sampled independently.
func quantile(m *profile.Marker, q float64) (at, lo, hi float64) {
	off := math.Sqrt(q * (1 - q) / float64(max(1, m.Measured())))
	return m.QuantileNS(q), m.QuantileNS(max(0, q-off)), m.QuantileNS(min(1, q+off))
}

// trendOf draws the builds that have times, or returns nil if there are fewer than two.
func trendOf(builds []fleet.Group) *trend {
	var list []fleet.Group
	for _, g := range builds {
		if g.Marker.Timed() > 0 {
			list = append(list, g)
		}
	}
	if len(list) < 2 {
		return nil
	}
	older := max(0, len(list)-trendBuilds)
	list = list[older:]
	t := &trend{
		Title: "p50 and p90 from build to build", Width: trendWidth, Height: trendTop + trendHeight + 10,
		Left: trendLeft, Right: trendWidth, Base: number(trendTop + trendHeight), Older: older,
	}
	type figures struct{ at, lo, hi float64 }
	lines := []struct {
		class string
		q     float64
		dots  []figures
	}{{class: "p90", q: 0.9}, {class: "p50", q: 0.5}}
	least, most := math.Inf(1), 1.0
	for k := range lines {
		l := &lines[k]
		for i := range list {
			at, lo, hi := quantile(&list[i].Marker, l.q)
			f := figures{max(at, 0.5), max(lo, 0.5), max(hi, 0.5)} // a logarithmic scale has no 0
			l.dots = append(l.dots, f)
			least, most = min(least, f.lo), max(most, f.hi)
		}
	}
	// Add a margin, and show at least a factor of two, so that constant values look constant.
	least, most = least/1.1, most*1.1
	if grow := math.Sqrt(2 * least / most); grow > 1 {
		least, most = least/grow, most*grow
	}
	y := func(ns float64) float64 {
		return trendTop + trendHeight*(1-math.Log(ns/least)/math.Log(most/least))
	}
	step := float64(trendWidth-trendLeft-24) / float64(len(list)-1)
	for _, l := range lines {
		line := trendLine{Class: l.class}
		for i, f := range l.dots {
			x := number(trendLeft + 12 + step*float64(i))
			d := trendDot{X: x, Y: number(y(f.at)), Low: number(y(f.lo)), High: number(y(f.hi))}
			d.Title = fmt.Sprintf("%s: %s %s, from %s to %s with a standard error", shown(list[i].Key), l.class,
				units.Duration(f.at), units.Duration(f.lo), units.Duration(f.hi))
			if i > 0 {
				line.Points += " "
			}
			line.Points += x + "," + d.Y
			line.Dots = append(line.Dots, d)
		}
		t.Lines = append(t.Lines, line)
	}
	t.Grid = grid(least, most, y)
	was, is := lines[1].dots[0], lines[1].dots[len(list)-1]
	tail, now := lines[0].dots[0], lines[0].dots[len(list)-1]
	t.Desc = fmt.Sprintf("From %s to %s, in the order in which they were first seen, the p50 went from %s to %s and the p90 from %s to %s. The table by build has all figures.",
		shown(list[0].Key), shown(list[len(list)-1].Key), units.Duration(was.at), units.Duration(is.at), units.Duration(tail.at), units.Duration(now.at))
	return t
}

// grid returns lines at round times, three to seven if possible.
func grid(least, most float64, y func(float64) float64) (list []drawnMark) {
	for _, steps := range [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}, {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}} {
		list = list[:0]
		for e := math.Floor(math.Log10(least)); e <= math.Log10(most); e++ {
			for _, s := range steps {
				if ns := s * math.Pow(10, e); ns >= least && ns <= most {
					list = append(list, drawnMark{X: number(y(ns)), Text: number(y(ns) + 3.5), Name: units.Duration(ns)})
				}
			}
		}
		if len(list) >= 3 {
			break
		}
	}
	for len(list) > 7 {
		half := list[:0:0]
		for i := 0; i < len(list); i += 2 {
			half = append(half, list[i])
		}
		list = half
	}
	return list
}
