package shape

import (
	"fmt"
	"math"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// Tail compares the longest calls with the typical ones.
type Tail struct {
	Verdict Verdict `json:"verdict"` // Yes if the tail is heavy
	P50NS   float64 `json:"p50_ns"`
	P99NS   float64 `json:"p99_ns"`
	P999NS  float64 `json:"p999_ns"`

	// Ratio is the 99.9th percentile divided by the median; with several modes, by the median of
	// the slowest.
	Ratio float64 `json:"ratio"`

	// SlowestShare is the fraction of the total time that the slowest 1 % of calls take.
	SlowestShare float64 `json:"slowest_share"`

	// Index is the tail index: above FromNS, the fraction of calls longer than t falls as t^-Index.
	// IndexLo and IndexHi are its 95 % confidence interval. Below 2 the variance of the times is
	// infinite, below 1 their mean is, too. 0 if there are too few long calls.
	Index   float64 `json:"index,omitempty"`
	IndexLo float64 `json:"index_lo,omitempty"`
	IndexHi float64 `json:"index_hi,omitempty"`
	FromNS  uint64  `json:"from_ns,omitempty"`

	Calls    uint64 `json:"calls"`
	Evidence string `json:"evidence"`
	Need     string `json:"need,omitempty"`
}

const (
	// tailCalls is the minimum number of calls for estimating the 99.9th percentile.
	tailCalls = 5000

	// heavy is the smallest ratio of a heavy tail; up to light, a tail is not heavy. An exponential
	// distribution has 10, a lognormal one with σ = 1 has 22.
	heavy = 25
	light = 10

	// heavyShare is the minimum SlowestShare of a heavy tail. An exponential distribution has 5.6
	// %, a lognormal one with σ = 1 has 9 %.
	heavyShare = 0.15

	// shortNS replaces a median below it: compared with calls of a few ns, every interrupt is a
	// heavy tail.
	shortNS = 100

	// maxTailShare is the maximum fraction of calls in the tail, and minTailCalls the minimum
	// number of calls in it, for estimating the index.
	maxTailShare = 0.1
	minTailCalls = 100
)

func tail(m *profile.Marker, modes *Modes, explained float64, z *noise) *Tail {
	t := &Tail{
		Verdict: Undecided,
		P50NS:   m.QuantileNS(0.5), P99NS: m.QuantileNS(0.99), P999NS: m.QuantileNS(0.999),
		SlowestShare: slowest(m, 0.01),
		Calls:        m.Measured(),
	}
	usual := t.P50NS
	if n := len(modes.List); n > 1 {
		usual = modes.List[n-1].MedianNS
	}
	t.Ratio = t.P999NS / max(usual, shortNS)
	t.index(m)
	t.Evidence = fmt.Sprintf("median %s, p99 %s, p99.9 %s; the slowest 1 %% take %s of the time", duration(t.P50NS), duration(t.P99NS), duration(t.P999NS), percent(t.SlowestShare))
	if t.Index > 0 {
		t.Evidence += fmt.Sprintf("; beyond %s the index is %.1f (%.1f to %.1f)", duration(float64(t.FromNS)), t.Index, t.IndexLo, t.IndexHi)
	}
	switch {
	case t.Calls < tailCalls:
		t.Need = fmt.Sprintf("%s calls", units.Count(tailCalls))
	case t.Ratio <= light:
		t.Verdict = No
	case explained > 0:
		t.Need = "inputs of one size: theirs differ, and make different times"
	case t.Ratio >= heavy && t.SlowestShare >= heavyShare:
		t.Verdict = Yes
		switch {
		case z.explains(m, int(math.Log2(max(t.P999NS, 1)))):
			t.Verdict = No
			t.Evidence += "; the machine, or the whole program, makes calls wait: those of other markers wait as much"
		case z == nil:
			t.Evidence += "; the times of one marker do not show whether the code or the machine causes it"
		}
	default:
		t.Verdict = No
	}
	return t
}

// slowest returns the fraction of the total time that the longest calls take; part is their
// fraction of all calls.
func slowest(m *profile.Marker, part float64) float64 {
	left, sum, all := part*float64(m.Timed()), 0.0, float64(m.SumNS())
	for i := len(m.Buckets) - 1; i >= 0 && left > 0; i-- {
		b := m.Buckets[i]
		n := min(left, float64(b.Count))
		sum += n * mean(b)
		left -= n
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// index estimates the tail index from bucket counts. For a power-law tail, the bucket numbers
// counted from the start of the tail are geometrically distributed (maximum likelihood for binned
// data: Virkar and Clauset, Power-law distributions in binned empirical data, Annals of Applied
// Statistics 8, 2014).
func (t *Tail) index(m *profile.Marker) {
	n, steps, from, part := 0.0, 0.0, -1, measuredFraction(m)
	for i := len(m.Buckets) - 1; i >= 0; i-- {
		c := part * float64(m.Buckets[i].Count)
		if n+c > maxTailShare*float64(t.Calls) {
			break
		}
		n, from = n+c, i
	}
	if from < 0 || n < minTailCalls || from == len(m.Buckets)-1 {
		return
	}
	first := m.Buckets[from]
	for _, b := range m.Buckets[from:] {
		steps += part * float64(b.Count) * float64(b.K-first.K)
	}
	q := steps / (steps + n) // probability that a call in the tail lies in a higher bucket
	if q == 0 {
		return
	}
	se := math.Sqrt(q * (1 - q) * (1 - q) / n)
	t.FromNS = first.LoNS()
	t.Index = -math.Log2(q)
	t.IndexLo = -math.Log2(min(1, q+1.96*se))
	t.IndexHi = -math.Log2(max(q-1.96*se, 1e-3))
}
