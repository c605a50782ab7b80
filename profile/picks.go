package profile

import (
	"math"
)

// A Wild describes the runs of processes configured to pick a few functions at random and collect
// only these (collect=wild).
type Wild struct {
	Runs   uint64 // runs that picked functions
	Picked uint64 // functions picked, summed over these runs
	Of     uint64 // functions available, summed over these runs

	// Processes that declined to collect, by reason: the machine was busy; the maximum number of
	// processes was already collecting; that number could not be determined.
	Loaded, Full, NoPlace uint64
}

// Declined returns the number of processes that declined to collect.
func (w *Wild) Declined() uint64 { return Add64(Add64(w.Loaded, w.Full), w.NoPlace) }

// add returns the sum of w and v, either of which may be nil.
func (w *Wild) add(v *Wild) *Wild {
	if w == nil && v == nil {
		return nil
	}
	sum := Wild{}
	for _, w := range []*Wild{w, v} {
		if w == nil {
			continue
		}
		sum = Wild{
			Runs: Add64(sum.Runs, w.Runs), Picked: Add64(sum.Picked, w.Picked), Of: Add64(sum.Of, w.Of),
			Loaded: Add64(sum.Loaded, w.Loaded), Full: Add64(sum.Full, w.Full), NoPlace: Add64(sum.NoPlace, w.NoPlace),
		}
	}
	return &sum
}

// Picks is how often a function was picked at random, and the resulting estimates for all runs that
// picked functions, including those that did not pick this one.
//
// A run that picked the function with probability p stands for 1/p runs (Horvitz and Thompson, A
// generalization of sampling without replacement from a finite universe, JASA 47, 1952). The
// estimate is unbiased, provided that the file of known earlier runs does not depend on the data
// being estimated.
type Picks struct {
	Runs uint64 // runs that picked it

	// Sums over these runs, in 1024ths: 1/p, with p the probability of the pick; calls/p; and the
	// variance of the latter due to random picking.
	Weight, Scopes, ScopesVar Uint128
}

func (p Picks) add(q Picks) Picks {
	return Picks{Add64(p.Runs, q.Runs), p.Weight.Add(q.Weight), p.Scopes.Add(q.Scopes), p.ScopesVar.Add(q.ScopesVar)}
}

// InRuns estimates the number of runs that could have picked the function. If it is close to the
// number of runs that picked functions, the other estimates are good.
func (p Picks) InRuns() float64 { return p.Weight.Float64() / varUnit }

// Count estimates the number of calls in all runs that picked functions, and its standard error due
// to random picking.
func (p Picks) Count() (n, se float64) {
	return p.Scopes.Float64() / varUnit, math.Sqrt(p.ScopesVar.Float64() / varUnit)
}

// addPicks adds p to the marker's picks.
func (m *Marker) addPicks(p Picks) {
	if m.Picks == nil {
		m.Picks = &Picks{}
	}
	*m.Picks = m.Picks.add(p)
}
