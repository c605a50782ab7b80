package profile

import (
	"fmt"
	"math"
	"time"

	"github.com/markgen/markgen/units"
)

// What is to be said of figures, of markers that matter: of a part of the self time.
const (
	mattersAlone    = 0.01
	mattersTogether = 0.1
)

// coarse says which percentiles are known only roughly, "" if all are known as well
// as documented: those within a bucket whose times lie at its ends rather than
// between, and whose bounds are wide.
func (p *Profile) coarse() string {
	const (
		wide  = 0.25 // the bounds' distance from their middle
		split = 1.25 // the deviation in the bucket, against that of an even spread over it
	)
	markers, worst, about := uint64(0), wide, ""
	whole := float64(p.weight())
	for i := range p.Markers {
		m := &p.Markers[i]
		if len(m.Buckets) == 0 || float64(p.weightOf(m)) < mattersAlone*whole {
			continue
		}
		found := false
		for _, q := range []float64{0.5, 0.9, 0.99} {
			_, lo, hi := m.quantile(q)
			if (hi-lo)/(hi+lo) <= wide || m.unevenness(q) <= split {
				continue
			}
			found = true
			if (hi-lo)/(hi+lo) > worst {
				worst = (hi - lo) / (hi + lo)
				about = fmt.Sprintf("the p%.0f of %s is anywhere from %s to %s", 100*q, m.Name, roughly(lo), roughly(hi))
			}
		}
		if found {
			markers++
		}
	}
	if markers == 0 {
		return ""
	}
	which := ""
	if markers > 1 {
		which = "; at worst"
	}
	return fmt.Sprintf("percentiles of %s are known only roughly, as there are two kinds of passages within a factor of two%s: %s", units.Plural(markers, "marker"), which, about)
}

// unevenness is the deviation of the times in the bucket that holds the q-quantile,
// against that of an even spread from one end to the other: above 1 they are rather at
// the ends. 0: too few to tell. There have to be passages.
func (m *Marker) unevenness(q float64) float64 {
	i, _ := m.rank(q)
	s := m.spreadOf(i)
	if s.n < fewTimes || s.hi <= s.lo {
		return 0
	}
	return s.dev / (s.hi - s.lo) * math.Sqrt(12)
}

// paused says what the pauses of a run have left out of the scopes that may have been open around them, "" if none was as long as a pause.
func (p *Profile) paused() string {
	if p.NoSelf {
		return ""
	}
	var n, all, began uint64
	shortest := uint64(math.MaxUint64)
	for _, c := range p.Changes {
		switch {
		case c.To == "paused":
			began = c.AtNS
		case c.From == "paused" && c.To == "profiling" && c.AtNS >= began:
			n, all, shortest = n+1, Add64(all, c.AtNS-began), min(shortest, c.AtNS-began)
		}
	}
	if n == 0 || float64(all) < mattersAlone*float64(p.ElapsedNS) {
		return ""
	}
	around, timed := false, 0
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Timed() > 0 {
			timed++
			around = around || m.MaxNS >= shortest
		}
	}
	if !around || timed < 2 {
		return ""
	}
	return fmt.Sprintf("the run was paused %s, for %s in all: what scopes took that were not recorded then counts as self time of those that were open around them",
		units.Plural(n, "time"), roughly(float64(all)))
}

// weight is the self time of all markers, or their total where that is not known.
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

// roughly writes a time with two or three digits.
func roughly(ns float64) string {
	unit := 1.0
	for ns/unit >= 1000 {
		unit *= 10
	}
	return time.Duration(math.Round(min(ns, math.MaxInt64/2)/unit) * unit).String()
}
