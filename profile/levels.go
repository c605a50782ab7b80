package profile

import (
	"fmt"

	"github.com/markgen/markgen/units"
)

// Levels is for how long a marker was collected at which level in runs with a budget (the key budget
// of MARKGEN). The zero value is that of runs without.
type Levels struct {
	TimedNS   uint64 // all its scopes were timed
	CountedNS uint64 // they were counted
	OffNS     uint64 // they are in no figure
}

// The names of the levels in Change.From and Change.To. Cause is "budget".
const (
	LevelTimed   = "timed"
	LevelCounted = "counted"
	LevelOff     = "off"

	CauseBudget = "budget"
)

// AllNS returns the total time of all levels.
func (l Levels) AllNS() uint64 { return Add64(Add64(l.TimedNS, l.CountedNS), l.OffNS) }

// Add adds a time, in ns, at a level.
func (l *Levels) Add(level string, ns uint64) {
	switch level {
	case LevelTimed:
		l.TimedNS = Add64(l.TimedNS, ns)
	case LevelCounted:
		l.CountedNS = Add64(l.CountedNS, ns)
	case LevelOff:
		l.OffNS = Add64(l.OffNS, ns)
	}
}

func (l Levels) plus(m Levels) Levels {
	return Levels{Add64(l.TimedNS, m.TimedNS), Add64(l.CountedNS, m.CountedNS), Add64(l.OffNS, m.OffNS)}
}

func (l Levels) minus(m Levels) Levels {
	return Levels{Sub64(l.TimedNS, m.TimedNS), Sub64(l.CountedNS, m.CountedNS), Sub64(l.OffNS, m.OffNS)}
}

// whole returns by what the number of recorded scopes is multiplied to estimate that of the whole run,
// the time off included.
func (l Levels) whole() float64 {
	if on := Add64(l.TimedNS, l.CountedNS); on > 0 {
		return float64(l.AllNS()) / float64(on)
	}
	return 1
}

// offCost returns what markers that were off took, as a share of what the program took: a test for
// each call of a function, at about half of what counting it takes. It is an estimate, for which the
// function runs as often off as on.
func (p *Profile) offCost() float64 {
	program := p.Cost.Program()
	_, countNS := p.Costs()
	if program == 0 || countNS == 0 {
		return 0
	}
	ns := 0.0
	for i := range p.Markers {
		if m := &p.Markers[i]; m.Kind == "func" {
			ns += float64(m.Count) * (m.Levels.whole() - 1) * countNS / 2
		}
	}
	return ns / program
}

// overBudget returns a caution if markers took more than the budget, else "".
func (p *Profile) overBudget() string {
	share, ok := p.Overhead()
	if p.BudgetPPM == 0 || !ok {
		return ""
	}
	allowed := float64(p.BudgetPPM) / 1e6
	why := ""
	switch {
	case share > allowed:
		why = fmt.Sprintf("recording took about %s%% of the processor time; what cost most had been recorded before it was turned off, or cannot be turned off (stopwatches, markers that triggers watch)",
			units.Significant(100*share))
	case p.offCost() > allowed:
		why = "what tests whether a marker is on that is off probably costs more"
	default:
		return ""
	}
	text := BudgetText(p.BudgetPPM)
	return "the budget of " + text + " was not met: " + why + "; build without the markers that cost most (-budget " + text +
		" -from these data, or -min N), or with -dual, which costs nothing while MARKGEN is unset"
}

// BudgetText formats a budget in ppm, as in MARKGEN: 1%, 0.25%.
func BudgetText(ppm uint64) string {
	return fmt.Sprintf("%v%%", float64(ppm)/1e4)
}
