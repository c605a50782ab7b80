package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// wild describes the processes that picked functions to collect at random, and how many declined to
// collect; "" if nothing was random.
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
		{w.NoPlace, "as it was unknown whether others collect"},
	} {
		if why.n > 0 {
			parts = append(parts, fmt.Sprintf("%s declined, %s", howMany(why.n, "run"), why.text))
		}
	}
	return strings.Join(parts, "; ")
}

// howMany formats a number of things.
func howMany(n uint64, noun string) string { return units.Plural(int(min(n, math.MaxInt)), noun) }

// about formats a mean of integers.
func about(x float64) string {
	if x == math.Trunc(x) {
		return units.Count(uint64(x))
	}
	return fmt.Sprintf("%.1f", x)
}

// pickedRuns returns the number of runs in which a marker was picked.
func pickedRuns(m *profile.Marker) string {
	if m.Picks == nil {
		return none
	}
	return units.Count(m.Picks.Runs)
}

// inAll returns the estimated count of a marker in all runs that picked.
func inAll(m *profile.Marker) string {
	if m.Picks == nil {
		return none
	}
	n, _ := m.Picks.Count()
	return units.Count(uint64(math.Round(n)))
}

// jsonWild has the totals of random picking.
type jsonWild struct {
	Runs     uint64       `json:"runs"`   // runs that picked
	Picked   uint64       `json:"picked"` // picked functions, summed over the runs
	Of       uint64       `json:"of"`     // functions to pick from, summed over the runs
	Declined jsonDeclined `json:"declined"`
}

// jsonDeclined has the number of runs that declined to collect, by reason.
type jsonDeclined struct {
	Busy    uint64 `json:"busy"`
	Full    uint64 `json:"full"`
	NoPlace uint64 `json:"no_place"`
}

// jsonPicks has the picks of one marker, and estimates for all runs that picked.
type jsonPicks struct {
	Runs    uint64  `json:"runs"`     // runs in which it was picked
	InRuns  float64 `json:"in_runs"`  // estimated number of runs that could have picked it
	Count   float64 `json:"count"`    // estimated scopes in those runs
	CountSE float64 `json:"count_se"` // standard error of count, as far as it is due to the choice
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
