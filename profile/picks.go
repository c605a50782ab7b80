package profile

import (
	"math"
)

// A Wild says what processes did that were to pick a few functions at random and collect
// at these only (collect=wild).
type Wild struct {
	Runs   uint64 // that picked
	Picked uint64 // functions, added up over these
	Of     uint64 // functions there were to pick from, added up

	// Processes that declined to collect, by the reason: the machine was busy; as many
	// processes as may collected already; that could not be told.
	Loaded, Full, NoPlace uint64
}

// Declined is how many processes declined to collect.
func (w *Wild) Declined() uint64 { return Add64(Add64(w.Loaded, w.Full), w.NoPlace) }

// add adds v up; nil is none.
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

// Picks is how often a function was picked at random, and what follows from that for
// all runs that picked, whether it was among them or not.
//
// A run that picked the function with probability p stands for 1/p runs (Horvitz and
// Thompson, A generalization of sampling without replacement from a finite universe,
// JASA 47, 1952). The estimate is free of bias, given that the file that
// processes know earlier runs by does not follow from the figures that are estimated.
type Picks struct {
	Runs uint64 // in which it was picked

	// Sums over these, in 1024ths: of 1/p, p being the probability that it was picked, of
	// passages/p, and of the variance of the latter that is due to the choice.
	Weight, Passages, PassagesVar Uint128
}

func (p Picks) add(q Picks) Picks {
	return Picks{Add64(p.Runs, q.Runs), p.Weight.Add(q.Weight), p.Passages.Add(q.Passages), p.PassagesVar.Add(q.PassagesVar)}
}

// InRuns estimates how many runs could have picked the function: where it is near the
// number of those that picked, the other estimates are good.
func (p Picks) InRuns() float64 { return p.Weight.Float64() / varUnit }

// Count estimates the passages in all runs that picked some functions, and its standard
// error as far as the choice is its cause.
func (p Picks) Count() (n, se float64) {
	return p.Passages.Float64() / varUnit, math.Sqrt(p.PassagesVar.Float64() / varUnit)
}

// addPicks adds to how often the marker was picked.
func (m *Marker) addPicks(p Picks) {
	if m.Picks == nil {
		m.Picks = &Picks{}
	}
	*m.Picks = m.Picks.add(p)
}
