package compare

import (
	"math"
	"sync"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// confidence is the confidence level of all intervals.
const confidence = 0.95

// Summary is the median over runs and its confidence interval, which is infinite if there are too
// few runs.
type Summary struct {
	Median, Lo, Hi float64
	Runs           int // number of runs with a value
}

// summary summarizes values, ignoring NaN.
func summary(values []float64) Summary {
	s := benchmath.NewSample(present(values), &benchmath.DefaultThresholds)
	if len(s.Values) == 0 {
		return Summary{math.NaN(), math.Inf(-1), math.Inf(1), 0}
	}
	m := benchmath.AssumeNothing.Summary(s, confidence)
	return Summary{m.Center, m.Lo, m.Hi, len(s.Values)}
}

// mannWhitney returns the p-value of one comparison, not corrected for others.
func mannWhitney(old, fresh []float64) float64 {
	a := benchmath.NewSample(present(old), &benchmath.DefaultThresholds)
	b := benchmath.NewSample(present(fresh), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Compare(a, b).P
}

// shift returns how much the new values exceed the old, and its confidence interval: the median of
// all pairwise differences, and the differences at the ranks that the Mann–Whitney test would just
// not reject (Hodges and Lehmann 1963; Hollander, Wolfe and Chicken, Nonparametric Statistical
// Methods, 4.2 and 4.3).
func shift(old, fresh []float64) (estimate, lo, hi float64) {
	old, fresh = present(old), present(fresh)
	differences := make([]float64, 0, len(old)*len(fresh))
	for _, a := range old {
		for _, b := range fresh {
			differences = append(differences, b-a)
		}
	}
	estimate = median(differences)
	rank := outerRank(len(old), len(fresh))
	if rank == 0 {
		return estimate, math.Inf(-1), math.Inf(1)
	}
	return estimate, differences[rank-1], differences[len(differences)-rank]
}

// ranks caches the results of outerRank by its arguments.
var ranks sync.Map

// outerRank returns the rank of the difference at the lower end of the confidence interval: the
// largest r with P(U ≤ r-1) ≤ (1-confidence)/2, or 0 if there is none.
func outerRank(n, m int) int {
	if r, ok := ranks.Load([2]int{n, m}); ok {
		return r.(int)
	}
	r := 0
	if n <= 50 && m <= 50 {
		u := stats.UDist{N1: n, N2: m}
		for r < n*m/2 && u.CDF(float64(r)) <= (1-confidence)/2 {
			r++
		}
	} else { // U is approximately normal
		product := float64(n * m)
		r = max(0, int(product/2-1.96*math.Sqrt(product*float64(n+m+1)/12)))
	}
	ranks.Store([2]int{n, m}, r)
	return r
}
