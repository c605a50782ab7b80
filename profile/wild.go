package profile

import (
	"math"
	"math/bits"

	"github.com/markgen/markgen/runtime/layout"
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
func (w *Wild) Declined() uint64 { return add64(add64(w.Loaded, w.Full), w.NoPlace) }

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
			Runs: add64(sum.Runs, w.Runs), Picked: add64(sum.Picked, w.Picked), Of: add64(sum.Of, w.Of),
			Loaded: add64(sum.Loaded, w.Loaded), Full: add64(sum.Full, w.Full), NoPlace: add64(sum.NoPlace, w.NoPlace),
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

// pickUnits is n/p, and what it adds to the variance, in units of 1/varUnit.
func pickUnits(n, p float64) (est, variance Uint128) {
	est = toUint128(n / p * varUnit)
	return est, toUint128((1 - p) * (n / p) * (n / p) * varUnit)
}

// newPicks is of one run, with n passages and the probability p of being picked.
func newPicks(n uint64, p float64) Picks {
	picks := Picks{Runs: 1}
	picks.Weight, _ = pickUnits(1, p)
	picks.Passages, picks.PassagesVar = pickUnits(float64(n), p)
	return picks
}

func (p Picks) add(q Picks) Picks {
	return Picks{add64(p.Runs, q.Runs), p.Weight.Add(q.Weight), p.Passages.Add(q.Passages), p.PassagesVar.Add(q.PassagesVar)}
}

// InRuns estimates how many runs could have picked the function: where it is near the
// number of those that picked, the other estimates are good.
func (p Picks) InRuns() float64 { return p.Weight.Float64() / varUnit }

// Count estimates the passages in all runs that picked some functions, and its standard
// error as far as the choice is its cause.
func (p Picks) Count() (n, se float64) {
	return p.Passages.Float64() / varUnit, math.Sqrt(p.PassagesVar.Float64() / varUnit)
}

// pickProbability is that of a function in a run, from its limit and the runs that it was
// measured in before (see layout.BlockWild).
func pickProbability(limit, runs uint64) float64 {
	if limit == layout.NoLimit {
		return 1
	}
	return -math.Expm1(-(float64(limit) + 0.5) / (1 << 32) / (float64(runs) + 1))
}

// wild takes in what a process picked.
func (r *run) wild(b block) error {
	head, err := r.content(b, layout.OffWildData)
	if err != nil {
		return err
	}
	if r.Wild != nil {
		return r.damaged(b.offset, "a second list of functions that were picked; it is left out")
	}
	word := func(data []byte, at uint64) uint64 { return r.order.Uint64(data[at:]) }
	refused, of, n := word(head, layout.OffWildRefused), word(head, layout.OffWildOf), word(head, layout.OffWildLen)
	if n > (b.size-layout.OffWildData)/layout.WildSize || n > of {
		return r.damaged(b.offset, "%d functions picked of %d, in a block of %d bytes; they are left out", n, of, b.size)
	}
	w := Wild{}
	switch refused {
	case layout.WildPicked:
		w = Wild{Runs: 1, Of: of}
	case layout.WildLoaded:
		w.Loaded = 1
	case layout.WildFull:
		w.Full = 1
	case layout.WildNoPlace:
		w.NoPlace = 1
	default:
		return r.damaged(b.offset, "a process that declined to collect for reason %d, which is none; it is left out", refused)
	}
	if refused != layout.WildPicked {
		n = 0
	}
	picked, impossible := map[uint64]float64{}, false
	err = r.each(b.offset+layout.OffWildData, n, layout.WildSize, func(data []byte) {
		for ; len(data) > 0 && !impossible; data = data[layout.WildSize:] {
			p := pickProbability(word(data, layout.WildLimit), word(data, layout.WildRuns))
			impossible = p <= 0 || bits.Len64(word(data, layout.WildRuns)) > 24
			if _, ok := picked[word(data, layout.WildMarker)]; !ok {
				picked[word(data, layout.WildMarker)] = p
			}
		}
	})
	if err != nil {
		return err
	}
	if impossible {
		return r.damaged(b.offset, "a function that was picked with a probability that can't be; all are left out")
	}
	r.picked, w.Picked = picked, uint64(len(picked))
	r.Wild = &w
	if w.Runs == 0 { // what its clock costs was not measured
		r.Clock, r.Newest = Clock{}, 0
	}
	return nil
}

// pickedFigures are those of a marker with an index in a run that picked: what was
// recorded before a better one was there to pick is left out.
func (r *run) pickedFigures(index uint64, to, figures *Marker) *Marker {
	if r.Wild == nil {
		return figures
	}
	p, ok := r.picked[index]
	if !ok {
		return nil
	}
	n := uint64(0)
	if figures != nil {
		n = figures.Count
	}
	to.addPicks(newPicks(n, p))
	return figures
}

// addPicks adds to how often the marker was picked.
func (m *Marker) addPicks(p Picks) {
	if m.Picks == nil {
		m.Picks = &Picks{}
	}
	*m.Picks = m.Picks.add(p)
}
