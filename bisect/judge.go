package bisect

import (
	"errors"
	"math"
	"slices"
)

// A Judge tells from a figure's value to which end of a search a commit belongs: to that whose
// value is nearer, by ratio if all values are positive.
//
// If all runs at an end have the same value, one run decides, for certain. Otherwise runs decide by
// Wald's sequential probability ratio test (Sequential Tests of Statistical Hypotheses, Annals of
// Mathematical Statistics 16, 1945). Runs come in blocks: one of the old end, one of the commit and
// one of the new end, one after another, so that what slows down the machine for a while slows down
// all three. Tested is the distance of the commit's value from the middle of the other two. Its
// variance is three quarters of that of the difference of the ends, to which each block adds a value.
// It is estimated on the high side as long as there are few blocks. With each block, the evidence of
// all is computed anew.
type Judge struct {
	Old, New float64 // typical values of the ends
	Exact    bool    // all runs at an end have the same value

	scale func(float64) float64
	pairs []float64 // differences of the ends' runs, scaled
	alpha float64
}

// ErrSame says that the figure does not differ between the ends.
var ErrSame = errors.New("both ends have the same value")

// NewJudge returns a Judge for the values of runs at both ends, made in turn, at least two of each.
// Alpha is the largest probability of a wrong decision about a commit.
func NewJudge(old, new []float64, alpha float64) (*Judge, error) {
	j := &Judge{Old: median(old), New: median(new), Exact: same(old) && same(new), scale: math.Log, alpha: alpha}
	if slices.Min(old) <= 0 || slices.Min(new) <= 0 {
		j.scale = func(v float64) float64 { return v }
	}
	for i := range min(len(old), len(new)) {
		j.pairs = append(j.pairs, j.scale(new[i])-j.scale(old[i]))
	}
	if j.Old == j.New {
		return nil, ErrSame
	}
	return j, nil
}

// Certain returns the verdict on a value if the Judge is exact.
func (j *Judge) Certain(v float64) Verdict {
	old, new := j.scale(j.Old), j.scale(j.New)
	if (j.scale(v)-(old+new)/2)*(new-old) < 0 {
		return Old
	}
	return New
}

// spread returns the shift from the old end to the new, and an upper estimate of the variance of the
// tested value: two standard errors above the estimate from the pairs, of which those far out are
// drawn in: one disturbed run must not make all others worthless.
func (j *Judge) spread() (shift, variance float64) {
	shift = median(j.pairs)
	var far []float64
	for _, p := range j.pairs {
		far = append(far, math.Abs(p-shift))
	}
	limit := 3 * 1.4826 * median(far)
	sum, n := 0.0, float64(len(far))
	for _, d := range far {
		if limit > 0 {
			d = min(d, limit)
		}
		sum += d * d
	}
	return shift, 0.75 * sum / (n - 1) * (1 + 2*math.Sqrt(2/(n-1)))
}

// enough is the evidence at which a decision is made: the logarithm of the odds against an error.
func (j *Judge) enough() float64 { return math.Log((1 - j.alpha) / j.alpha) }

// Blocks returns the number of blocks that a decision is expected to take.
func (j *Judge) Blocks() int {
	if j.Exact {
		return 1
	}
	shift, variance := j.spread()
	n := math.Ceil(2 * j.enough() * variance / (shift * shift))
	return int(max(least, min(n, most)))
}

// A decision takes at least so many blocks: no block counts for more than its part of the evidence,
// however far out it is. More than so many are expected of none: ends that differ so little could not
// be told apart.
const (
	least = 3
	most  = 200
)

// A Trial is the decision about one commit by runs.
type Trial struct {
	j        *Judge
	tested   []float64 // distances from the middle of the ends, scaled
	values   []float64
	evidence float64 // for the new end: the logarithm of the odds
	most     int
}

// Trial begins a decision. It ends at the latest after four times the expected number of blocks,
// and ten: the value of a commit may be in the middle.
func (j *Judge) Trial() *Trial { return &Trial{j: j, most: 4*j.Blocks() + 10} }

// Add adds the values of a block of runs, in whichever order they were made.
func (t *Trial) Add(old, commit, new float64) {
	j := t.j
	t.values = append(t.values, commit)
	a, b := j.scale(old), j.scale(new)
	if pair := b - a; !math.IsNaN(pair) && !math.IsInf(pair, 0) {
		j.pairs = append(j.pairs, pair)
	}
	t.tested = append(t.tested, j.scale(commit)-(a+b)/2)
	shift, variance := j.spread()
	limit := j.enough()/least + 1e-9
	t.evidence = 0
	for _, x := range t.tested {
		if e := x * shift / variance; !math.IsNaN(e) {
			t.evidence += min(max(e, -limit), limit)
		}
	}
}

// Done reports whether the decision is made.
func (t *Trial) Done() bool {
	return math.Abs(t.evidence) >= t.j.enough() || len(t.values) >= t.most
}

// Verdict returns the decision, and the probability that it is wrong.
func (t *Trial) Verdict() (Verdict, float64) {
	wrong := 1 / (1 + math.Exp(math.Abs(t.evidence)))
	if t.evidence < 0 {
		return Old, wrong
	}
	return New, wrong
}

// Value returns the commit's typical value.
func (t *Trial) Value() float64 { return median(t.values) }

func same(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != values[0] })
}

// median returns the median of values, of which there is at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
