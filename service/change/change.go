// Package change tells how far the sums of two builds differ, API by API.
//
//	r, err := change.Compare(old, new, change.Options{})
//	for _, a := range r.APIs { fmt.Println(a.Name, a.Verdict, a.Change) }
//
// # What can be said, and what not
//
// Package profile/compare compares runs, and that is what to use where there are any: each is a sample, and how much they
// differ among each other says what chance does. Of a fleet there are sums only. From the number of passages, the
// sum of their times and the sum of the squares follows the mean and its standard error, as if each passage had
// been drawn by itself. They were not: passages of one run share its machine and its moment. So the intervals here
// are too narrow where few runs, or few machines, gave many passages; and where two builds ran on different machines, or
// with different input, that is part of the difference. A change that matters is to be confirmed by markgen diff with
// runs made in turn.
//
// # The test
//
// The logarithms of two means are compared, so that a change is a factor. Their difference over its standard error, by the
// delta method, is held against the normal distribution, which means of 30 times and more follow well enough unless
// a few of them make up most of the sum. As many tests are made, p-values are corrected so that of the
// changes that are reported the share alpha is expected to be none (Benjamini and Yekutieli 2001, which asks nothing
// of how the tests depend on each other). A change is reported if it is that sure and at least the threshold.
package change

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// Options say what counts as a change. Zero values have the defaults that are given.
type Options struct {
	Alpha     float64 // share of the reported changes that may be none; 0.05
	Threshold float64 // the least change that matters, as a part of the old mean; 0.05. Negative: any
}

// Least is how many times there have to be on each side for a test.
const Least = 30

// A Verdict is what is to be said of an API.
type Verdict string

// The verdicts there are.
const (
	Slower    Verdict = "slower"
	Faster    Verdict = "faster"
	Unchanged Verdict = "unchanged" // no change that is both sure and as large as the threshold
	TooFew    Verdict = "too few"   // times to tell
)

// A Side is an API's figures in one of two builds.
type Side struct {
	Count  uint64
	MeanNS float64
	SE     float64 // standard error of MeanNS, as if all passages were independent of each other; of no meaning for a verdict of TooFew
	P50NS  float64
	P99NS  float64
	MaxNS  uint64
}

// An API is what is known of one that both builds have.
type API struct {
	ID       registry.ID
	Name     string
	Kind     string
	Old, New Side

	// Change is the new mean over the old, less 1: 0.05 is 5 % more; Lo and Hi bound it with a confidence of 95 %. P is the
	// p-value of the test by itself, Adjusted that corrected for all tests. All but Change are NaN for a verdict of TooFew.
	Change, Lo, Hi, P, Adjusted float64

	Verdict Verdict
}

// A Place is an API that one build has.
type Place struct {
	ID    registry.ID
	Name  string
	Kind  string
	Count uint64
}

// A Result is what a comparison has found.
type Result struct {
	Options
	APIs      []API // slower ones first, then faster ones, then the others; among equals the surest first
	OnlyOld   []Place
	OnlyNew   []Place
	Tests     int
	Sampled   int // APIs of which figures are estimates from samples
	Slower    int
	Faster    int
	OldRuns   int
	NewRuns   int
	CountOnly int // APIs of both builds that have no times
}

// Compare compares two sums.
func Compare(old, new *profile.Profile, o Options) (*Result, error) {
	o.Alpha = cmp.Or(o.Alpha, 0.05)
	o.Threshold = cmp.Or(o.Threshold, 0.05)
	if !(o.Alpha > 0 && o.Alpha < 1) || math.IsNaN(o.Threshold) || o.Threshold > 100 {
		return nil, errors.New("alpha has to be between 0 and 1, and the threshold a part of the old mean, such as 0.05")
	}
	o.Threshold = max(o.Threshold, 0)
	r := &Result{Options: o, OldRuns: old.Runs, NewRuns: new.Runs}
	before := map[registry.ID]*profile.Marker{}
	for i := range old.Markers {
		if m := &old.Markers[i]; m.Count > 0 {
			before[m.ID] = m
		}
	}
	for i := range new.Markers {
		m := &new.Markers[i]
		was := before[m.ID]
		delete(before, m.ID)
		switch {
		case m.Count == 0 && was != nil:
			r.OnlyOld = append(r.OnlyOld, place(was))
		case m.Count == 0:
		case was == nil:
			r.OnlyNew = append(r.OnlyNew, place(m))
		case m.Timed() == 0 || was.Timed() == 0:
			r.CountOnly++
		default:
			r.APIs = append(r.APIs, compare(was, m))
			if m.Sampled() || was.Sampled() {
				r.Sampled++
			}
		}
	}
	for _, m := range before {
		r.OnlyOld = append(r.OnlyOld, place(m))
	}
	byName := func(a, b Place) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) }
	slices.SortFunc(r.OnlyOld, byName)
	slices.SortFunc(r.OnlyNew, byName)
	r.adjust()
	r.decide()
	return r, nil
}

func place(m *profile.Marker) Place { return Place{m.ID, m.Name, m.Kind, m.Count} }

func side(m *profile.Marker) Side {
	s := Side{Count: m.Count, MeanNS: m.MeanNS(), P50NS: m.QuantileNS(0.5), P99NS: m.QuantileNS(0.99), MaxNS: m.MaxNS}
	n := float64(max(m.Taken(), 1)) // of none, less than Least, nothing is concluded
	dev := m.StddevNS()
	variance := dev * dev / max(n-1, 1)
	// A clock that can't tell the times apart says nothing of how they vary below its step, nor does one bucket.
	variance = max(variance, 1/(12*n))
	if se, ok := m.MeanSE(); ok && m.Sampled() {
		variance = max(variance, se*se)
	}
	s.SE = math.Sqrt(variance)
	return s
}

func compare(old, new *profile.Marker) API {
	a := API{ID: new.ID, Name: new.Name, Kind: new.Kind, Old: side(old), New: side(new), Verdict: TooFew}
	a.Lo, a.Hi, a.P, a.Adjusted = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	// Half a nanosecond more on both sides keeps times of 0, below what the clock can tell, from being infinitely faster.
	const least = 0.5
	was, is := a.Old.MeanNS+least, a.New.MeanNS+least
	a.Change = is/was - 1
	if min(old.Taken(), new.Taken()) < Least {
		return a
	}
	a.Verdict = Unchanged
	se := math.Hypot(a.Old.SE/was, a.New.SE/is)
	log := math.Log(is / was)
	const quantile = 1.959963984540054 // of the standard normal distribution, 0.975
	a.Lo, a.Hi = math.Expm1(log-quantile*se), math.Expm1(log+quantile*se)
	a.P = math.Erfc(math.Abs(log) / se / math.Sqrt2)
	return a
}

// adjust corrects the p-values for their number.
func (r *Result) adjust() {
	var tested []*API
	for i := range r.APIs {
		if r.APIs[i].Verdict != TooFew {
			tested = append(tested, &r.APIs[i])
		}
	}
	r.Tests = len(tested)
	slices.SortFunc(tested, func(a, b *API) int { return cmp.Compare(a.P, b.P) })
	harmonic := 0.0
	for i := range tested {
		harmonic += 1 / float64(i+1)
	}
	least := 1.0
	for i := len(tested) - 1; i >= 0; i-- {
		least = min(least, tested[i].P*harmonic*float64(len(tested))/float64(i+1))
		tested[i].Adjusted = least
	}
}

// decide gives verdicts, and orders the APIs by them.
func (r *Result) decide() {
	for i := range r.APIs {
		a := &r.APIs[i]
		switch {
		case a.Verdict == TooFew || !(a.Adjusted < r.Alpha):
		case a.Change >= r.Threshold && a.Change > 0:
			a.Verdict = Slower
			r.Slower++
		case 1/(1+a.Change)-1 >= r.Threshold && a.Change < 0:
			a.Verdict = Faster
			r.Faster++
		}
	}
	rank := map[Verdict]int{Slower: 0, Faster: 1, Unchanged: 2, TooFew: 3}
	slices.SortFunc(r.APIs, func(a, b API) int {
		d := cmp.Or(cmp.Compare(rank[a.Verdict], rank[b.Verdict]))
		if d == 0 && a.Verdict != TooFew {
			d = cmp.Or(cmp.Compare(a.Adjusted, b.Adjusted), cmp.Compare(math.Abs(math.Log1p(b.Change)), math.Abs(math.Log1p(a.Change))))
		}
		return cmp.Or(d, cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
}
