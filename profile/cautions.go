package profile

import (
	"fmt"
	"math"
	"time"

	"github.com/markgen/markgen/units"
)

// Cautions returns what readers of the profile should know before relying on it: the Warnings of
// the files, and cautions that follow from the data. Every report format with room for text shows
// them.
func (p *Profile) Cautions() []string {
	var list []string
	if text := p.Costly(); text != "" {
		list = append(list, text)
	}
	list = append(list, p.Warnings...)
	list = p.Clock.Cautions(list)
	if p.NoSelf && p.GOARCH != "" && p.GOARCH != "amd64" && p.GOARCH != "arm64" {
		list = append(list, "on "+p.GOARCH+" goroutines can't be distinguished: the total of what calls itself has what is inside each time, and what is still open is not known")
	}
	throttled, shared, timed, sampled, called, recursive := uint64(0), false, 0, false, false, false
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Off == "throttled" && m.Levels.OffNS == 0 {
			throttled++
		}
		shared = shared || m.Reading(ProcessAlloc) != nil
		if m.TotalNS() > 0 {
			timed++
		}
		sampled = sampled || m.Sampled() && m.Count > 0
		recursive = recursive || m.Sampled() && m.NestedNS > 0
		called = called || len(m.Callers) > 0
	}
	switch {
	case !sampled || timed <= 1 || p.NoSelf:
	case p.Paths != nil && p.Paths.Runs >= uint64(p.Runs):
		list = append(list, "only a sample of the outermost scopes was recorded, each with all inside: ± takes scopes for independent, and is too small for what runs more than once in one of these")
	default:
		text := "only a sample of the scopes was recorded: the time of the others counts as self time of the scopes around them"
		if called {
			text += ", and a caller that is not in it is passed over"
		}
		if recursive {
			text += ", and what calls itself has in its total also calls inside those that are not"
		}
		list = append(list, text)
	}
	if s := p.Sampling; s != nil && sampled && s.Windows > 0 && s.Windows < fewWindows {
		list = append(list, fmt.Sprintf("%s show what came in %s: what comes in bursts may have been missed, and no ± knows of that; let the program run longer, or have countdown or all of it recorded",
			units.Plural(s.Windows, "window"), roughly(float64(s.OfNS))))
	}
	if text := p.overBudget(); text != "" {
		list = append(list, text)
	}
	if text := p.paused(); text != "" {
		list = append(list, text)
	}
	if shared {
		list = append(list, "process_alloc is what all goroutines allocated while the marker's scopes were open, in steps of 8 KB or more of objects of one size; markgen build, run and test have -deep for what each goroutine allocates, exactly")
	}
	if throttled > 0 {
		list = append(list, units.Plural(throttled, "marker")+" turned off by throttle=; the scopes after that are missing")
	}
	if text := p.leftOut(); text != "" {
		list = append(list, text)
	}
	if text := p.coarse(); text != "" {
		list = append(list, text)
	}
	if text := p.mostlyOverhead(); text != "" {
		list = append(list, text)
	}
	if t := p.Pairs; t != nil && t.Lost > 0 {
		list = append(list, "of "+units.Plural(t.Lost, "scope")+" it is not known what else was open; there were too many goroutines, or too little memory")
	}
	list = p.Paths.cautions(list)
	return p.Trace.Cautions(list)
}

// fewWindows is the number of sampling windows below which a warning is given: fewer windows all
// miss a program that is active in bursts for one percent of the time with a probability over one
// third.
const fewWindows = 100

// Cautions are only given for markers that matter: minimum fractions of the total self time, for a
// marker alone and for several together.
const (
	mattersAlone    = 0.01
	mattersTogether = 0.1
)

// weight returns the self time of all markers, or their total time if self times are unknown, in
// ns.
func (p *Profile) weight() (sum uint64) {
	for i := range p.Markers {
		sum = Add64(sum, p.weightOf(&p.Markers[i]))
	}
	return sum
}

func (p *Profile) weightOf(m *Marker) uint64 {
	if p.NoSelf {
		return m.TotalNS()
	}
	return m.SelfNS
}

// roughly formats a time with two or three significant digits.
func roughly(ns float64) string {
	unit := 1.0
	for ns/unit >= 1000 {
		unit *= 10
	}
	return time.Duration(math.Round(min(ns, math.MaxInt64/2)/unit) * unit).String()
}
