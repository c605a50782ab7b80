package runfile

import (
	"math"
	"math/bits"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// newPicks returns the Picks of one run with n calls, in which the function was picked with
// probability p.
func newPicks(n uint64, p float64) profile.Picks {
	est := float64(n) / p
	return profile.Picks{Runs: 1, Weight: profile.VarUnits(1 / p), Scopes: profile.VarUnits(est), ScopesVar: profile.VarUnits((1 - p) * est * est)}
}

// pickProbability returns the probability with which a function was picked, from its limit and the
// number of earlier runs in which it was measured (see layout.BlockWild).
func pickProbability(limit, runs uint64) float64 {
	if limit == layout.NoLimit {
		return 1
	}
	return -math.Expm1(-(float64(limit) + 0.5) / (1 << 32) / (float64(runs) + 1))
}

// wild reads which functions the process picked.
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
	w := profile.Wild{}
	switch refused {
	case layout.WildPicked:
		w = profile.Wild{Runs: 1, Of: of}
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
	if w.Runs == 0 { // the cost of its clock was not measured
		r.Clock, r.Newest = profile.Clock{}, 0
	}
	return nil
}

// pickedTotal returns the data of a marker in a run that picked functions. It returns nil unless
// the marker was picked: data recorded before another function replaced it are dropped.
func (r *run) pickedTotal(index uint64, to, total *profile.Marker) *profile.Marker {
	if r.Wild == nil {
		return total
	}
	p, ok := r.picked[index]
	if !ok {
		return nil
	}
	n := uint64(0)
	if total != nil {
		n = total.Count
	}
	picks := newPicks(n, p)
	to.Add(&profile.Marker{Picks: &picks})
	return total
}
