package profile

import (
	"fmt"
	"math"

	"github.com/markgen/markgen/units"
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
	return fmt.Sprintf("percentiles of %s are known only roughly, as there are two kinds of scopes within a factor of two%s: %s", units.Plural(markers, "marker"), which, about)
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
