// Package change estimates how much the sums of two builds differ, API by API.
//
//	r, err := change.Compare(old, new, change.Options{})
//	for _, a := range r.APIs { fmt.Println(a.Name, a.Verdict, a.Change) }
//
// # What can be said, and what not
//
// Prefer package profile/compare, which compares runs, if you have runs: each is a sample, and
// their spread shows the effect of chance. Of a fleet there are only sums: the number of calls, the
// sum of their times and the sum of squares, which give the mean and the standard deviation of a
// call. The calls of one run are not independent: they share its machine and its moment, and on a
// busy machine all of them are slow. So a run counts as one call, which is as if all its calls took
// equally long: the interval can be too wide, but not too narrow. If two builds ran on different
// machines or with different input, that is part of the difference.
//
// # The test
//
// The logarithms of two means are compared, so that a change is a factor. Their difference is
// divided by its standard error, from the delta method, and compared with the normal distribution.
// Means of 30 and more follow it well enough unless a few times make up most of the sum. As
// there are many tests, p-values are adjusted so that the expected share of false discoveries among
// the reported changes is at most alpha (Benjamini and Yekutieli 2001, which is valid for any
// dependence between the tests). A change is reported if it is significant and at least the
// threshold.
package change

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// Options defines what counts as a change. A zero field has the default given in its comment.
type Options struct {
	Alpha     float64 // max expected share of false discoveries; 0.05
	Threshold float64 // min change as a factor less 1, in either direction; 0.05. Negative for any
}

// MinRuns is the min number of runs with times of an API on each side for a test.
const MinRuns = 30

// A Verdict is the result for an API.
type Verdict string

// Verdicts.
const (
	Slower    Verdict = "slower"
	Faster    Verdict = "faster"
	Unchanged Verdict = "unchanged" // no change that is significant and at least the threshold
	TooFew    Verdict = "too few"   // fewer than MinRuns runs on a side
)

// A Side has an API's statistics in one of the builds.
type Side struct {
	Count  uint64
	MeanNS float64
	SE     float64 // standard error of MeanNS, a run counted as one call; meaningless with TooFew
	P50NS  float64
	P99NS  float64
	MaxNS  uint64
}

// An API is the comparison of an API that both builds have.
type API struct {
	ID       registry.ID
	Name     string
	Kind     string
	Old, New Side

	// Change is the new mean divided by the old, less 1: 0.05 is 5 % more. Lo and Hi are its 95 %
	// confidence interval. P is the p-value of the test, Adjusted the one adjusted for all tests.
	// All but Change are NaN if the verdict is TooFew.
	Change, Lo, Hi, P, Adjusted float64

	Verdict Verdict
}

// A Place is an API that only one build has.
type Place struct {
	ID    registry.ID
	Name  string
	Kind  string
	Count uint64
}

// A Result is the result of a comparison.
type Result struct {
	Options
	APIs      []API // slower first, then faster, unchanged, too few; within these, most significant first
	OnlyOld   []Place
	OnlyNew   []Place
	Tests     int
	Sampled   int // number of APIs with estimates from samples
	Slower    int
	Faster    int
	OldRuns   int
	NewRuns   int
	CountOnly int // number of APIs of both builds without times
}

// Compare compares the sums of two builds.
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

// observations returns the number of calls that count as independent: one a run.
func observations(m *profile.Marker) uint64 { return min(m.Measured(), m.Runs) }

func side(m *profile.Marker) Side {
	s := Side{Count: m.Count, MeanNS: m.MeanNS(), P50NS: m.QuantileNS(0.5), P99NS: m.QuantileNS(0.99), MaxNS: m.MaxNS}
	n := float64(max(observations(m), 1)) // below MinRuns, SE does not matter
	dev := m.StddevNS()
	variance := dev * dev / max(n-1, 1)
	// Below the resolution of the clock, and within one bucket, the variance is unknown: at least
	// that of a uniform distribution over 1 ns.
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
	// Add half a nanosecond on both sides, so that times of 0, below the clock's resolution, are
	// not infinitely faster.
	const least = 0.5
	was, is := a.Old.MeanNS+least, a.New.MeanNS+least
	a.Change = is/was - 1
	if min(observations(old), observations(new)) < MinRuns {
		return a
	}
	a.Verdict = Unchanged
	se := math.Hypot(a.Old.SE/was, a.New.SE/is)
	log := math.Log(is / was)
	const quantile = 1.959963984540054 // 0.975 quantile of the standard normal distribution
	a.Lo, a.Hi = math.Expm1(log-quantile*se), math.Expm1(log+quantile*se)
	a.P = math.Erfc(math.Abs(log) / se / math.Sqrt2)
	return a
}

// adjust adjusts the p-values for the number of tests.
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

// decide sets the verdicts, and sorts the APIs.
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
