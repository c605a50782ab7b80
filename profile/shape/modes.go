package shape

import (
	"fmt"
	"math"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// Modes are the kinds of calls that their times tell apart.
type Modes struct {
	// Verdict is Yes where there are several, No where there is one as far as buckets of a
	// factor of two show.
	Verdict  Verdict `json:"verdict"`
	List     []Mode  `json:"list"` // the quickest first
	Evidence string  `json:"evidence"`
	Need     string  `json:"need,omitempty"`
}

// A Mode is one kind of calls.
type Mode struct {
	LoNS      uint64  `json:"lo_ns"` // of its first bucket
	HiNS      uint64  `json:"hi_ns"` // of its last
	Calls     uint64  `json:"calls"`
	Share     float64 `json:"share"`      // of the calls
	TimeShare float64 `json:"time_share"` // of their time
	MedianNS  float64 `json:"median_ns"`
	MeanNS    float64 `json:"mean_ns"`

	// Valley is how few calls lie between this mode and the next, at most: their density
	// by octaves, as a part of that of the lower of the two peaks. 0 of the last mode.
	Valley float64 `json:"valley"`
}

const (
	// leastShare and leastMode are what a mode has at least; less is the tail of another.
	leastShare = 0.01
	leastMode  = 20

	// deep is what the density in a valley is at most, as a part of the lower peak's, and
	// beyond is by how many standard deviations of the difference it must be less.
	deep   = 0.5
	beyond = 4

	// leastGap is the narrowest gap within neighbouring buckets that counts, octaves.
	leastGap = 0.2

	// blurNS is up to where times are too short to be told apart: what a scope costs
	// itself is known to some ns, and the clock has steps. It is at least so many of these.
	blurNS    = 64
	blurSteps = 8
)

// A hill is a range of buckets with a peak.
type hill struct {
	buckets []profile.Bucket
	peak    float64 // calls in an octave, of its fullest bucket
	valley  float64 // calls in an octave at most, where they are fewest between its peak and the next hill's
}

func modes(m *profile.Marker, o Options, varies float64) *Modes {
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
	v.judge(m.Taken(), varies)
	return v
}

func (v *Modes) judge(n uint64, varies float64) {
	switch {
	case len(v.List) > 1 && varies > 0:
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

// text is how the modes lie.
func (v *Modes) text() string {
	var parts []string
	deepest := 0.0
	for _, m := range v.List {
		parts = append(parts, fmt.Sprintf("%s of calls about %s (%s of the time)", percent(m.Share), duration(m.MedianNS), percent(m.TimeShare)))
		deepest = max(deepest, m.Valley)
	}
	return strings.Join(parts, ", ") + fmt.Sprintf("; between them at most %s of the lower peak", percent(deepest))
}

// split finds the hills, with valleys between them that are no chance.
func split(m *profile.Marker, o Options) []hill {
	n, scale := m.Timed(), recorded(m)
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
		if worst < deep {
			break
		}
		a, b := &hills[at], &hills[at+1]
		// The deepest place on the way from a peak to the next hill is theirs, wherever on the way.
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

// doubt is how much two neighbours look like one hill: the valley as a part of the lower peak,
// and 1 or more if they can't be two.
func doubt(a, b *hill, n uint64, scale float64) float64 {
	low := min(a.peak, b.peak)
	v := a.valley / low
	for _, h := range []*hill{a, b} {
		sum := 0.0
		for _, c := range h.buckets {
			sum += float64(c.Count)
		}
		if sum < leastShare*float64(n) || sum*scale < leastMode {
			return 1 + v
		}
	}
	if (low-a.valley)*math.Sqrt(scale) < beyond*math.Sqrt(low+a.valley) {
		return 1 + v
	}
	return v
}

// single makes each bucket a hill, those of times that are too short to be told apart one.
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

// between is how many calls are in an octave between two neighbouring buckets at most, infinite if that can't
// be told. Where a bucket is empty there are none. Else no more than 1/(1+z²) of the times of a bucket are more
// than z standard deviations beyond their mean (Cantelli), so that what lies
// between both is known to be little where each lies close together.
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
		if gap := math.Log2(hi / lo); gap >= leastGap {
			least = min(least, n/(1+z*z)/gap)
		}
	}
	return least
}

func mean(b profile.Bucket) float64 { return float64(b.SumNS) / float64(b.Count) }

// deviation is the standard deviation in a bucket.
func deviation(b profile.Bucket) float64 {
	m := profile.Marker{Buckets: []profile.Bucket{b}}
	return m.StddevNS()
}
