package shape

import (
	"fmt"
	"math"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// Startup compares the first call in a process with the calls that follow.
type Startup struct {
	Verdict Verdict `json:"verdict"`
	Runs    uint64  `json:"runs"`     // runs whose first call is known
	Slow    uint64  `json:"apart"`    // runs whose first call was in the bucket of the median one or above
	FirstNS float64 `json:"first_ns"` // mean of the first calls
	MinNS   uint64  `json:"min_ns"`   // shortest first call
	MaxNS   uint64  `json:"max_ns"`
	LaterNS float64 `json:"later_ns"` // median of the later calls
	ExtraNS float64 `json:"extra_ns"` // median first call minus LaterNS
	Later   uint64  `json:"later"`    // number of later calls
	Chance  float64 `json:"chance"`   // probability of Slow such first calls if they were like later ones

	Evidence string `json:"evidence"`
	Need     string `json:"need,omitempty"`
}

const (
	// coldNS is what the first call of any function may cost, because its code and what it calls
	// are not in the caches yet, or not in memory. In the tests of encoding/json, go/printer and
	// text/template that was up to 57 µs, and the tables that encoding/json builds for a type cost
	// 190 µs and more.
	coldNS = 100_000

	// minStartupRatio is the minimum ratio of the median first call to the median later call.
	minStartupRatio = 10

	// maxChance is the highest Chance at which a start-up cost is reported.
	maxChance = 0.01
)

// startup compares first calls with later ones. It returns nil if no first call is known.
func startup(m, later *profile.Marker) *Startup {
	runs := m.First.Count()
	if runs == 0 {
		return nil
	}
	s := &Startup{Verdict: Undecided, Runs: runs, FirstNS: m.First.MeanNS(), MinNS: m.First.MinNS, MaxNS: m.First.MaxNS}
	if later == m {
		s.Evidence = fmt.Sprintf("there was no other call than the first: %s in %s", duration(s.FirstNS), units.Plural(int(runs), "run"))
		s.Need = "calls after the first"
		return s
	}
	s.Later, s.LaterNS = later.Measured(), later.QuantileNS(0.5)
	firsts := profile.Marker{Buckets: m.First.Buckets, MinNS: m.First.MinNS, MaxNS: m.First.MaxNS}
	median := firsts.QuantileNS(0.5)
	s.ExtraNS = median - s.LaterNS

	// Chance is the probability that s.Slow or more of the first calls fall into bucket k or above
	// if first calls are like later ones. The share of later calls in there is computed as if there
	// were one more, so that it is not underestimated for small samples.
	k := firsts.Buckets[0].K
	for _, b := range firsts.Buckets {
		if float64(b.LoNS()) <= median {
			k = b.K
		}
	}
	s.Slow = above(firsts.Buckets, k)
	slow := uint64(math.Round(measuredFraction(later) * float64(above(later.Buckets, k))))
	part := float64(slow+1) / float64(s.Later+1)
	s.Chance = atLeast(s.Slow, runs, part)

	took := duration(median)
	if runs > 1 {
		took += fmt.Sprintf(" (median of %d runs, from %s)", runs, duration(float64(s.MinNS)))
	}
	s.Evidence = fmt.Sprintf("first call %s, later ones %s", took, duration(s.LaterNS))
	switch {
	case s.ExtraNS < coldNS || median < minStartupRatio*s.LaterNS:
		s.Verdict = No
		if s.ExtraNS > 0 && median >= minStartupRatio*s.LaterNS {
			s.Evidence += fmt.Sprintf("; up to %s more is what cold code and caches cost anyone", duration(coldNS))
		}
	case s.Chance <= maxChance:
		s.Verdict = Yes
		s.Evidence += fmt.Sprintf(": %s times as long", number(median/max(s.LaterNS, 1)))
		if runs == 1 {
			s.Evidence += "; known of one run only"
		}
	default:
		s.Evidence += fmt.Sprintf("; %s of %s were as long", units.Plural(int(slow), "later call"), number(float64(s.Later)))
		s.Need = "more runs (-runs), or more calls in each"
	}
	return s
}

// above returns the number of calls in bucket k and higher buckets.
func above(buckets []profile.Bucket, k uint8) (n uint64) {
	for _, b := range buckets {
		if b.K >= k {
			n += b.Count
		}
	}
	return n
}

// atLeast returns the probability of r or more successes in n trials with probability p. For more
// than a million trials it uses the normal approximation.
func atLeast(r, n uint64, p float64) float64 {
	if p >= 1 || r == 0 {
		return 1
	}
	if n > 1_000_000 {
		mean := float64(n) * p
		return math.Erfc((float64(r)-0.5-mean)/math.Sqrt(2*mean*(1-p))) / 2
	}
	sum := 0.0
	for i := r; i <= n; i++ {
		term := math.Exp(logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		if sum += term; term < sum*1e-12 && float64(i) > float64(n)*p {
			break
		}
	}
	return min(1, sum)
}

func logChoose(n, k uint64) float64 {
	a, _ := math.Lgamma(float64(n) + 1)
	b, _ := math.Lgamma(float64(k) + 1)
	c, _ := math.Lgamma(float64(n-k) + 1)
	return a - b - c
}
