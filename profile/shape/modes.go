package shape

import (
	"fmt"
	"math"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// Modes are the kinds of calls that can be told apart by their times.
type Modes struct {
	// Verdict is Yes if there are several modes, and No if there is only one at the resolution of
	// log2 buckets.
	Verdict  Verdict `json:"verdict"`
	List     []Mode  `json:"list"` // fastest first
	Evidence string  `json:"evidence"`
	Need     string  `json:"need,omitempty"`
}

// A Mode is a peak of the distribution of times.
type Mode struct {
	LoNS      uint64  `json:"lo_ns"` // lower bound of its first bucket
	HiNS      uint64  `json:"hi_ns"` // exclusive upper bound of its last
	Calls     uint64  `json:"calls"`
	Share     float64 `json:"share"`      // fraction of the calls
	TimeShare float64 `json:"time_share"` // of the total time
	MedianNS  float64 `json:"median_ns"`
	MeanNS    float64 `json:"mean_ns"`

	// Valley is an upper bound of the density of calls (per octave) between this mode and the next,
	// divided by the lower of the two peaks; 0 for the last mode.
	Valley float64 `json:"valley"`
}

const (
	// minModeShare (of all calls) and minModeCalls (calls) are the minimum size of a mode; a
	// smaller peak counts as the tail of another.
	minModeShare = 0.01
	minModeCalls = 20

	// maxValley is the highest density accepted in a valley, as a fraction of the lower peak, and
	// minSigma is how many standard deviations below the lower peak a valley must lie.
	maxValley = 0.5
	minSigma  = 4

	// minGap is the narrowest gap between neighbouring buckets that counts, in octaves.
	minGap = 0.2

	// blurNS is the time below which modes are not told apart: the cost of a scope is only known to
	// some ns, and the clock has a finite resolution. The limit is at least blurSteps quanta of the
	// clock.
	blurNS    = 64
	blurSteps = 8
)

// A hill is a range of buckets with a peak.
type hill struct {
	buckets []profile.Bucket
	peak    float64 // calls per octave in its fullest bucket
	valley  float64 // upper bound of calls per octave between its peak and the next hill's
}

func modes(m *profile.Marker, o Options, explained float64) *Modes {
	v := &Modes{Verdict: Undecided}
	hills := split(m, o)
	var calls, ns float64
	for _, b := range m.Buckets {
		calls, ns = calls+float64(b.Count), ns+float64(b.SumNS)
	}
	for i, h := range hills {
		mode := Mode{LoNS: h.buckets[0].LoNS(), HiNS: h.buckets[len(h.buckets)-1].HiNS()}
		sum := 0.0
		for _, b := range h.buckets {
			mode.Calls, sum = mode.Calls+b.Count, sum+float64(b.SumNS)
		}
		own := profile.Marker{Buckets: h.buckets, MinNS: max(mode.LoNS, min(m.MinNS, mode.HiNS-1)), MaxNS: min(mode.HiNS-1, max(m.MaxNS, mode.LoNS))}
		mode.MedianNS = own.QuantileNS(0.5)
		mode.MeanNS, mode.Share = sum/float64(mode.Calls), float64(mode.Calls)/calls
		if ns > 0 {
			mode.TimeShare = sum / ns
		}
		if i+1 < len(hills) {
			mode.Valley = h.valley / min(h.peak, hills[i+1].peak)
		}
		v.List = append(v.List, mode)
	}
	v.judge(m.Measured(), explained)
	return v
}

func (v *Modes) judge(n uint64, explained float64) {
	switch {
	case len(v.List) > 1 && explained > 0:
		v.Evidence = v.text()
		v.Need = "inputs of one size: theirs differ, and make different times"
	case len(v.List) > 1:
		v.Verdict, v.Evidence = Yes, v.text()
	case n < steadyCalls:
		v.Evidence, v.Need = "one, of "+units.Plural(n, "call"), fmt.Sprintf("%d calls", steadyCalls)
	default:
		v.Verdict, v.Evidence = No, "one, as far as a factor of two shows"
	}
}

// text describes the modes in words.
func (v *Modes) text() string {
	var parts []string
	deepest := 0.0
	for _, m := range v.List {
		parts = append(parts, fmt.Sprintf("%s of calls about %s (%s of the time)", percent(m.Share), duration(m.MedianNS), percent(m.TimeShare)))
		deepest = max(deepest, m.Valley)
	}
	return strings.Join(parts, ", ") + fmt.Sprintf("; between them at most %s of the lower peak", percent(deepest))
}

// split merges neighbouring buckets until every remaining valley is statistically significant.
func split(m *profile.Marker, o Options) []hill {
	n, scale := m.Timed(), measuredFraction(m)
	hills := single(m.Buckets, max(blurNS, blurSteps*o.QuantumNS))
	for i := range len(hills) - 1 {
		a, b := hills[i].buckets, hills[i+1].buckets
		hills[i].valley = min(hills[i].peak, hills[i+1].peak, between(a[len(a)-1], b[0], o))
	}
	for len(hills) > 1 {
		worst, at := -1.0, 0
		for i := range len(hills) - 1 {
			if w := doubt(&hills[i], &hills[i+1], n, scale); w > worst {
				worst, at = w, i
			}
		}
		if worst < maxValley {
			break
		}
		a, b := &hills[at], &hills[at+1]
		// The lowest density between a peak and the next hill is the valley of both.
		if a.peak >= b.peak {
			b.valley = min(b.valley, a.valley)
		} else if at > 0 {
			hills[at-1].valley = min(hills[at-1].valley, a.valley)
		}
		a.buckets = append(a.buckets[:len(a.buckets):len(a.buckets)], b.buckets...)
		a.peak, a.valley = max(a.peak, b.peak), b.valley
		hills = append(hills[:at+1], hills[at+2:]...)
	}
	return hills
}

// doubt returns how likely two neighbours are one hill: the valley as a fraction of the lower peak,
// or at least 1 if they can't be two.
func doubt(a, b *hill, n uint64, scale float64) float64 {
	low := min(a.peak, b.peak)
	v := a.valley / low
	for _, h := range []*hill{a, b} {
		sum := 0.0
		for _, c := range h.buckets {
			sum += float64(c.Count)
		}
		if sum < minModeShare*float64(n) || sum*scale < minModeCalls {
			return 1 + v
		}
	}
	if (low-a.valley)*math.Sqrt(scale) < minSigma*math.Sqrt(low+a.valley) {
		return 1 + v
	}
	return v
}

// single makes each bucket a hill, and one hill of all buckets below blur ns.
func single(buckets []profile.Bucket, blur float64) (hills []hill) {
	for _, b := range buckets {
		if last := len(hills) - 1; last >= 0 && float64(b.LoNS()) < blur {
			h := &hills[last]
			h.buckets = append(h.buckets, b)
			h.peak = max(h.peak, float64(b.Count))
			continue
		}
		hills = append(hills, hill{buckets: []profile.Bucket{b}, peak: float64(b.Count)})
	}
	return hills
}

// between returns an upper bound of the calls per octave between two neighbouring buckets, or +Inf
// if there is none. It is 0 if there is an empty bucket in between. Otherwise, by Cantelli's
// inequality, at most 1/(1+z²) of the times of a bucket lie more than z standard deviations beyond
// their mean: if the times of both buckets are tightly clustered, few lie in between.
func between(a, b profile.Bucket, o Options) float64 {
	if b.K > a.K+1 {
		return 0
	}
	least := math.Inf(1)
	n := float64(a.Count) + float64(b.Count)
	for z := 1.5; z < 40; z *= 1.25 {
		lo, hi := mean(a)+z*deviation(a), mean(b)-z*deviation(b)
		if hi-lo < blurSteps*max(doubtNS, o.QuantumNS) {
			break
		}
		if gap := math.Log2(hi / lo); gap >= minGap {
			least = min(least, n/(1+z*z)/gap)
		}
	}
	return least
}

func mean(b profile.Bucket) float64 { return float64(b.SumNS) / float64(b.Count) }

// deviation returns the standard deviation of the times in a bucket, in ns.
func deviation(b profile.Bucket) float64 {
	m := profile.Marker{Buckets: []profile.Bucket{b}}
	return m.StddevNS()
}
