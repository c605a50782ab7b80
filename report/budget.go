package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// budget describes what a budget (the key budget of MARKGEN) changed, or returns "".
func budget(p *profile.Profile) string {
	if p.BudgetPPM == 0 {
		return ""
	}
	counted, off := 0, 0
	for i := range p.Markers {
		switch l := p.Markers[i].Levels; {
		case l.OffNS > 0:
			off++
		case l.CountedNS > 0 && !p.Markers[i].CountOnly:
			counted++
		}
	}
	var parts []string
	if counted > 0 {
		parts = append(parts, fmt.Sprintf("%s only counted for a part of the run", units.Plural(counted, "marker")))
	}
	if off > 0 {
		parts = append(parts, fmt.Sprintf("%s off for a part, of which no scope is in count and times", units.Plural(off, "marker")))
	}
	if parts == nil {
		parts = append(parts, "kept without changes")
	}
	text := profile.BudgetText(p.BudgetPPM) + " of the processor time: " + strings.Join(parts, ", ")
	if share, ok := p.Overhead(); ok {
		text += fmt.Sprintf("; recording took about %s%%", units.Significant(100*share))
	}
	return text
}

// levelColumns returns the columns with the part of the run in which a budget had a marker timed,
// counted and off.
func levelColumns(p *profile.Profile, markers []*profile.Marker) (columns []column) {
	if p.BudgetPPM == 0 {
		return nil
	}
	for _, level := range []struct {
		name string
		of   func(profile.Levels) uint64
	}{
		{profile.LevelTimed, func(l profile.Levels) uint64 { return l.TimedNS }},
		{profile.LevelCounted, func(l profile.Levels) uint64 { return l.CountedNS }},
		{profile.LevelOff, func(l profile.Levels) uint64 { return l.OffNS }},
	} {
		text := func(m *profile.Marker) string {
			ns, all := level.of(m.Levels), m.Levels.AllNS()
			switch {
			case all == 0:
				return none
			case ns == 0:
				return "0"
			}
			return percentOf(float64(ns), float64(all))
		}
		if slices.ContainsFunc(markers, func(m *profile.Marker) bool { return level.of(m.Levels) > 0 }) {
			columns = append(columns, column{name: level.name, text: text, rank: 2})
		}
	}
	return columns
}
