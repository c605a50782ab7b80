package compare

import (
	"math"
	"sync"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// confidence is that of all intervals.
const confidence = 0.95

// Summary is the median over runs and its confidence interval, which is infinite if
// the runs are too few for one.
type Summary struct {
	Median, Lo, Hi float64
	Runs           int // that the marker has the figure in
}

// summary leaves out NaN.
func summary(values []float64) Summary {
	s := benchmath.NewSample(present(values), &benchmath.DefaultThresholds)
	if len(s.Values) == 0 {
		return Summary{math.NaN(), math.Inf(-1), math.Inf(1), 0}
	}
	m := benchmath.AssumeNothing.Summary(s, confidence)
	return Summary{m.Center, m.Lo, m.Hi, len(s.Values)}
}

// mannWhitney is the p-value of one comparison by itself.
func mannWhitney(old, fresh []float64) float64 {
	a := benchmath.NewSample(present(old), &benchmath.DefaultThresholds)
	b := benchmath.NewSample(present(fresh), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Compare(a, b).P
}

// shift is by how much the new values exceed the old, and its confidence interval: the
// median of all differences of a new and an old value, and the differences of such
// ranks that the Mann–Whitney test would not reject them (Hodges and Lehmann 1963; Hollander, Wolfe and Chicken,
// Nonparametric Statistical Methods, 4.2 and 4.3).
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

// ranks are those that outerRank has worked out, by the two numbers of values.
var ranks sync.Map

// outerRank is the rank of the difference that begins the confidence interval: the
// largest r with P(U ≤ r-1) no more than half of what the interval may leave out; 0 if there is none.
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
	} else { // U is normal then
		product := float64(n * m)
		r = max(0, int(product/2-1.96*math.Sqrt(product*float64(n+m+1)/12)))
	}
	ranks.Store([2]int{n, m}, r)
	return r
}
