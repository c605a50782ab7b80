package profile

import (
	"fmt"
	"math"
	"time"

	"github.com/markgen/markgen/units"
)

// Cautions are only given for markers that matter: minimum fractions of the total self time, for a
// marker alone and for several together.
const (
	mattersAlone    = 0.01
	mattersTogether = 0.1
)

// coarse returns a caution if percentiles are less accurate than documented, else "". That happens
// within a bucket with wide bounds whose times cluster at its ends.
func (p *Profile) coarse() string {
	const (
		wide  = 0.25 // distance of the bounds from their middle, relative to it
		split = 1.25 // standard deviation in the bucket, relative to a uniform distribution
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

// unevenness returns the standard deviation of the times in the bucket of the q-quantile, relative
// to a uniform distribution over the bucket: above 1 they cluster at its ends. It returns 0 if
// there are too few times. The marker must have timed calls.
func (m *Marker) unevenness(q float64) float64 {
	i, _ := m.rank(q)
	s := m.spreadOf(i)
	if s.n < fewTimes || s.hi <= s.lo {
		return 0
	}
	return s.dev / (s.hi - s.lo) * math.Sqrt(12)
}

// paused returns a caution if time in pauses may be missing from the scopes that were open around
// them, else "". It returns "" if no scope was as long as a pause.
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
