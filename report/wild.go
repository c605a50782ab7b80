package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// wild says what processes picked at random to collect at, and how many declined to
// collect; "" if nothing was left to chance.
func wild(p *profile.Profile) string {
	w := p.Wild
	if w == nil {
		return ""
	}
	var parts []string
	runs := float64(w.Runs)
	switch {
	case w.Runs == 0:
		parts = append(parts, "nothing")
	case w.Runs == 1:
		parts = append(parts, fmt.Sprintf("%s of %s at random", units.Count(w.Picked), howMany(w.Of, "function")))
		if p.Runs > 1 {
			parts[0] += " in 1 run"
		}
	default:
		parts = append(parts, fmt.Sprintf("%s of %s functions at random in each of %s, on average",
			about(float64(w.Picked)/runs), about(float64(w.Of)/runs), howMany(w.Runs, "run")))
	}
	for _, why := range []struct {
		n    uint64
		text string
	}{
		{w.Loaded, "as the machine was busy"},
		{w.Full, "as six processes collected already"},
		{w.NoPlace, "as whether others collect could not be told"},
	} {
		if why.n > 0 {
			parts = append(parts, fmt.Sprintf("%s declined, %s", howMany(why.n, "run"), why.text))
		}
	}
	return strings.Join(parts, "; ")
}

// howMany writes how many there are of something.
func howMany(n uint64, noun string) string { return units.Plural(int(min(n, math.MaxInt)), noun) }

// about writes a mean of whole numbers.
func about(x float64) string {
	if x == math.Trunc(x) {
		return units.Count(uint64(x))
	}
	return fmt.Sprintf("%.1f", x)
}

// pickedRuns is in how many runs a marker was picked.
func pickedRuns(m *profile.Marker) string {
	if m.Picks == nil {
		return none
	}
	return units.Count(m.Picks.Runs)
}

// inAll is an estimate of a marker's passages in all runs that picked.
func inAll(m *profile.Marker) string {
	if m.Picks == nil {
		return none
	}
	n, _ := m.Picks.Count()
	return units.Count(uint64(math.Round(n)))
}

// jsonWild is what was left to chance.
type jsonWild struct {
	Runs     uint64       `json:"runs"`   // that picked
	Picked   uint64       `json:"picked"` // functions, added up over these
	Of       uint64       `json:"of"`     // functions there were to pick from, added up
	Declined jsonDeclined `json:"declined"`
}

// jsonDeclined is how many runs declined to collect, by the reason.
type jsonDeclined struct {
	Busy    uint64 `json:"busy"`
	Full    uint64 `json:"full"`
	NoPlace uint64 `json:"no_place"`
}

// jsonPicks is of one marker, and what follows for all runs that picked.
type jsonPicks struct {
	Runs    uint64  `json:"runs"`     // in which it was picked
	InRuns  float64 `json:"in_runs"`  // that could have picked it, an estimate
	Count   float64 `json:"count"`    // passages in these, an estimate
	CountSE float64 `json:"count_se"` // standard error of that, as far as the choice is its cause
}

func jsonWildOf(w *profile.Wild) *jsonWild {
	if w == nil {
		return nil
	}
	return &jsonWild{w.Runs, w.Picked, w.Of, jsonDeclined{w.Loaded, w.Full, w.NoPlace}}
}

func jsonPicksOf(p *profile.Picks) *jsonPicks {
	if p == nil {
		return nil
	}
	n, se := p.Count()
	return &jsonPicks{p.Runs, p.InRuns(), n, se}
}
