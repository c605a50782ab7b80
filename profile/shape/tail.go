package shape

import (
	"fmt"
	"math"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// Tail is how much longer than usual the longest calls take.
type Tail struct {
	Verdict Verdict `json:"verdict"` // Yes: it is heavy
	P50NS   float64 `json:"p50_ns"`
	P99NS   float64 `json:"p99_ns"`
	P999NS  float64 `json:"p999_ns"`

	// Ratio is the 99.9th percentile against the median, or against that of the slowest of
	// several modes.
	Ratio float64 `json:"ratio"`

	// SlowestShare is the part of the time that the slowest 1 % of the calls take.
	SlowestShare float64 `json:"slowest_share"`

	// Index is that of the tail: the part of calls longer than t falls as t^-Index, above
	// FromNS, within IndexLo and IndexHi with a confidence of 95 %. Below 2 the variance of the times
	// grows with every call, below 1 their mean. 0: there are too few long calls to tell.
	Index   float64 `json:"index,omitempty"`
	IndexLo float64 `json:"index_lo,omitempty"`
	IndexHi float64 `json:"index_hi,omitempty"`
	FromNS  uint64  `json:"from_ns,omitempty"`

	Calls    uint64 `json:"calls"`
	Evidence string `json:"evidence"`
	Need     string `json:"need,omitempty"`
}

const (
	// tailCalls is how many calls it takes to know the 99.9th percentile.
	tailCalls = 5000

	// heavy is from which ratio on a tail is heavy, and light up to which it is not. Of an
	// exponential distribution it is 10, of a lognormal one with a deviation of 1 it is 22.
	heavy = 25
	light = 10

	// heavyShare is what the slowest 1 % take at least; of an exponential distribution 5.6 %,
	// of that lognormal one 9 %.
	heavyShare = 0.15

	// shortNS is taken for the median where that is less: of calls that take next to nothing,
	// an interrupt of the machine is a tail.
	shortNS = 100

	// tailPart is the part of the calls in the tail at most, tailLeast how many there are
	// at least, to tell its index.
	tailPart  = 0.1
	tailLeast = 100
)

func tail(m *profile.Marker, modes *Modes, varies float64, z *noise) *Tail {
	t := &Tail{
		Verdict: Undecided,
		P50NS:   m.QuantileNS(0.5), P99NS: m.QuantileNS(0.99), P999NS: m.QuantileNS(0.999),
		SlowestShare: slowest(m, 0.01),
		Calls:        m.Taken(),
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
	case varies > 0:
		t.Need = "inputs of one size: theirs differ, and make different times"
	case t.Ratio >= heavy && t.SlowestShare >= heavyShare:
		t.Verdict = Yes
		switch {
		case z.explains(m, int(math.Log2(max(t.P999NS, 1)))):
			t.Verdict = No
			t.Evidence += "; the machine, or the whole program, makes calls wait: those of other markers wait as much"
		case z == nil:
			t.Evidence += "; whether it is the code or a machine that let it wait, the times of one marker do not tell"
		}
	default:
		t.Verdict = No
	}
	return t
}

// slowest is the part of the time that a part of the calls takes, the longest ones.
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

// index estimates the index from the counts of buckets, whose numbers, counted from the tail's
// first, have a geometric distribution where the tail is that of a power (maximum
// likelihood for data in buckets: Virkar and Clauset, Power-law distributions in binned
// empirical data, Annals of Applied Statistics 8, 2014).
func (t *Tail) index(m *profile.Marker) {
	n, steps, from, part := 0.0, 0.0, -1, recorded(m)
	for i := len(m.Buckets) - 1; i >= 0; i-- {
		c := part * float64(m.Buckets[i].Count)
		if n+c > tailPart*float64(t.Calls) {
			break
		}
		n, from = n+c, i
	}
	if from < 0 || n < tailLeast || from == len(m.Buckets)-1 {
		return
	}
	first := m.Buckets[from]
	for _, b := range m.Buckets[from:] {
		steps += part * float64(b.Count) * float64(b.K-first.K)
	}
	q := steps / (steps + n) // the chance to be in a higher bucket, being there
	if q == 0 {
		return
	}
	se := math.Sqrt(q * (1 - q) * (1 - q) / n)
	t.FromNS = first.LoNS()
	t.Index = -math.Log2(q)
	t.IndexLo = -math.Log2(min(1, q+1.96*se))
	t.IndexHi = -math.Log2(max(q-1.96*se, 1e-3))
}
