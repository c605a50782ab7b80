package report

import (
	"fmt"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// selfOf returns the self time of all markers of a profile, including hidden ones, in ns.
func selfOf(p *profile.Profile) float64 {
	return float64(p.HiddenSelfNS) + sum(p, func(m *profile.Marker) uint64 { return m.SelfNS })
}

// runningOf returns the time of which markers have shares, in ns: the part of all self time in
// which goroutines ran, or all self time if that part is unknown.
func runningOf(p *profile.Profile) float64 {
	return float64(p.HiddenSelfNS) + sum(p, (*profile.Marker).RunningNS)
}

// sum returns the sum of a time over all markers of a profile, in ns.
func sum(p *profile.Profile, of func(*profile.Marker) uint64) (ns float64) {
	for i := range p.Markers {
		ns += float64(of(&p.Markers[i]))
	}
	return ns
}

// waiting describes how much of the self time was not on a processor, and how to see where. It
// returns "" if that is unknown or little. Self times are elapsed times, and those of goroutines
// that wait concurrently add up.
func waiting(p *profile.Profile) string {
	switch waited, self := waited(p); {
	case waited == 0:
	case p.KnowsWaiting():
		line := units.Duration(sum(p, (*profile.Marker).WaitingNS)) + " of the self times, " + units.Duration(self) + " in all"
		if other := sum(p, (*profile.Marker).RunningNS) - float64(p.Cost.CPUNS); other >= leastWaiting*self {
			line += "; " + units.Duration(other) + " of the rest was not on a processor either"
		}
		return line
	default:
		return units.Duration(waited) + " or more of the self times, " + units.Duration(self) + " in all, was not on a processor: collect=wait in a build with -deep shows where"
	}
	return ""
}

// waited returns how much of the self time was not on a processor, and the self time, in ns; 0 if
// that is unknown or little.
func waited(p *profile.Profile) (ns, self float64) {
	c := p.Cost
	if c == nil || c.Runs != uint64(p.Runs) || p.NoSelf || p.Sampling != nil {
		return 0, 0
	}
	self = selfOf(p)
	if ns = self - float64(c.CPUNS); ns >= leastWaiting*self && ns >= 1e6 {
		return ns, self
	}
	return 0, 0
}

// leastWaiting is the minimum share of waiting in the self time to be reported.
const leastWaiting = 0.1

// share formats a marker's share of the self or running time of all markers.
func share(m *profile.Marker, sum float64) string {
	if len(m.Buckets) == 0 {
		return none
	}
	return percentOf(float64(m.RunningNS()), sum)
}

// percentOf formats a percentage with one decimal: 12.3%, 100%. Nonzero values are at least <0.1%.
func percentOf(part, whole float64) string {
	switch text := fmt.Sprintf("%.1f%%", 100*part/whole); {
	case part == 0:
		return "0%"
	case text == "0.0%":
		return "<0.1%"
	case text == "100.0%":
		return "100%"
	default:
		return text
	}
}

// isUnvisited reports whether a marker was on, but never reached.
func isUnvisited(p *profile.Profile, m *profile.Marker) bool {
	return m.Count == 0 && m.Open == 0 && m.Samples == 0 && m.Off != "choice" && !onlyTraced(p, m) && (p.Wild == nil || m.Picks != nil)
}

// others returns the line below the table about the omitted markers.
func others(p *profile.Profile, rest []*profile.Marker) string {
	self, never := 0.0, 0
	for _, m := range rest {
		self += float64(m.RunningNS())
		if isUnvisited(p, m) {
			never++
		}
	}
	text := fmt.Sprintf("… %s more", units.Count(uint64(len(rest))))
	if sum := runningOf(p); sum > 0 && !p.NoSelf {
		of := "self"
		if p.KnowsWaiting() {
			of = "running"
		}
		text += ": " + percentOf(self, sum) + " of the " + of + " time"
	}
	if never > 0 {
		text += fmt.Sprintf(", %s unvisited", units.Count(uint64(never)))
	}
	return text
}
