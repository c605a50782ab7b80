package compare

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// Verdict is the conclusion about a change.
type Verdict int

// The verdict of a marker is the highest verdict of its figures.
const (
	Unknown   Verdict = iota // too few runs to tell a change from chance
	Unchanged                // no significant change
	Changed                  // a significant change, certainly below the threshold
	Better
	Worse
)

// String returns the verdict as in reports.
func (v Verdict) String() string {
	return [...]string{"unknown", "unchanged", "changed", "better", "worse"}[v]
}

// Result is the result of a comparison.
type Result struct {
	Options
	About    string // description of the metric
	Old, New Side

	// Markers are the markers that both sides called: first those that got worse, then better, then
	// with changes below the threshold, then the rest. Within each group, the most significant
	// change comes first, then the order is by name. If all are Unknown, the largest change is
	// first. After all of these come, in the same order, markers whose correspondence is a guess;
	// they are not findings.
	Markers []Marker

	// Shared is the shared part of all markers of a run, one entry for each figure of the metric.
	// Values are factors, with 1 the median over all runs. It is nil if there are too few markers
	// or runs. Worse and Better are findings like those of markers.
	Shared []Figure

	// Spread is the standard deviation of the shared part between runs, for the figure shown if
	// nothing changed.
	Spread float64

	// Appeared and Vanished are the markers that only the new or only the old program has;
	// NewlyCalled and NoLongerCalled are the markers that both have but only the new or only the
	// old runs called. They are sorted by name.
	Appeared, Vanished, NewlyCalled, NoLongerCalled []Work

	// Counted are the numbers that are the same in all runs of a side and differ between the
	// sides: a change that needs no test. They are sorted by verdict as Markers are, the largest
	// change first. Varied are those that are not the same, sorted by name.
	ExactCounts
	Counted []Count
	Varied  []Varied

	Tests        int  // number of figures of markers that were tested
	Permutations int  // number of permutations of the labels
	All          bool // true if these are all permutations

	// Enough is false if there are too few runs for any significant change; Need is the number of
	// runs required on each side.
	Enough bool
	Need   int

	// Half and Most are the smallest changes that would have been found with probability 0.8 in
	// half of the markers, and in nine of ten; +Inf if none would.
	Half, Most float64

	Cautions []string // cautions that a reader should know before relying on the rest
}

// Worse returns the number of findings that make the comparison fail: markers that got worse,
// numbers that grew, plus one if any shared figure got worse.
func (r *Result) Worse() int { return r.count(Worse) }

// Better returns the number of findings that got better, counted like Worse.
func (r *Result) Better() int { return r.count(Better) }

func (r *Result) count(v Verdict) (n int) {
	for i := range r.Markers {
		if r.Markers[i].Verdict == v && !r.Markers[i].Guess {
			n++
		}
	}
	n += r.CountsOf(v)
	if slices.ContainsFunc(r.Shared, func(f Figure) bool { return f.Verdict == v }) {
		n++
	}
	return n
}

// CountsOf returns how many of Counted have the verdict, without guesses.
func (r *Result) CountsOf(v Verdict) (n int) {
	for i := range r.Counted {
		if r.Counted[i].Verdict == v && !r.Counted[i].Guess {
			n++
		}
	}
	return n
}

// Compared returns how many numbers were compared exactly, without guesses.
func (r *Result) Compared() int {
	n := r.Same
	for i := range r.Counted {
		if !r.Counted[i].Guess {
			n++
		}
	}
	return n
}

// Certain returns the number of markers whose correspondence is not a guess.
func (r *Result) Certain() (n int) {
	for i := range r.Markers {
		if !r.Markers[i].Guess {
			n++
		}
	}
	return n
}

// Grown reports whether any figure of a marker whose correspondence is not a guess grew by at least
// the threshold, significantly or not.
func (r *Result) Grown() bool {
	return slices.ContainsFunc(r.Markers, func(m Marker) bool {
		return !m.Guess && slices.ContainsFunc(m.Figures, func(f Figure) bool { return f.Change >= r.Threshold && f.Change > 0 })
	})
}

// Place is a marker without data to compare.
type Place struct {
	ID         registry.ID
	Name, Kind string
	File       string
	Line       int
	Reached    bool // called by a run of either side

	// Guess says that the new marker may be other code than the old one: see profile.Marker.
	Guess   bool
	OldName string // Name is from the new runs; "" if only they have the marker
}

// Marker is the result for one marker.
type Marker struct {
	Place
	Verdict Verdict
	Figures []Figure // figures of the metric for which it has enough calls
	Sampled bool     // in some runs, figures are estimates from a sample

	Detectable float64 // smallest change found with probability 0.8

	Path *PathChange // nil if unknown, or if the marker did not change

	lead int
}

// Lead returns the most significant figure among those with the marker's verdict.
func (m *Marker) Lead() *Figure { return &m.Figures[m.lead] }

// Figure is the result for one figure.
type Figure struct {
	Name string // p5, p25, p50, mean, p90, p99, p99+ (the mean of the slowest 1 %), or the metric's name
	Unit string // "ns" or ""

	Old, New Summary // without the shared part

	// Change is new/old - 1: 0.05 is 5 % more. Lo and Hi are its 95 % confidence interval; -1 and
	// +Inf if there are too few runs.
	Change, Lo, Hi float64

	// P is the p-value of the Mann–Whitney test of this figure alone. Adjusted is the p-value that
	// decides: it is corrected for all tests. Both are NaN if there are too few runs.
	P, Adjusted float64

	Verdict Verdict
}

// sharedPart is the fraction of alpha for the tests of the shared part; the rest is for the markers
// (weighted Bonferroni: Holm 1979).
const sharedPart = 0.2

// Result compares the runs that were added.
func (c *Comparison) Result() *Result {
	r := &Result{Options: c.options, About: c.metric.about, Old: c.sides[Old], New: c.sides[New], Half: math.Inf(1), Most: math.Inf(1)}
	r.Cautions = c.cautions()
	c.places(r)
	c.counts(r)
	if c.options.Counts == CountsOnly {
		return r
	}
	rows := c.rows()
	r.Tests = len(rows)
	t := c.test(r, rows)
	c.conclude(r, rows, t)
	return r
}

// tests are the tested rows and their permutations.
type tests struct {
	permutations
	largest  []float32 // over all rows, by permutation
	standard [][]float32
	part     float64 // fraction of alpha
}

// adjusted returns the corrected p-value of a difference.
func (t *tests) adjusted(d float32) float64 {
	return min(1, t.pValue(reached(t.largest, d))/t.part)
}

// test subtracts the shared part from the rows and permutes the labels.
func (c *Comparison) test(r *Result, rows []row) *tests {
	t := &tests{permutations: permute(r.Old.Runs, r.New.Runs, max(1, len(rows))), part: 1}
	r.Permutations, r.All = len(t.sets), t.all
	if t.pairs && t.all {
		r.Permutations *= 2
	}
	// The shared part may include a change of all markers. It is only subtracted if the test would
	// detect that.
	if t.smallest()/sharedPart < c.options.Alpha && c.subtractShared(r, rows, t) {
		t.part = 1 - sharedPart
	}
	r.Need = fewestRuns(c.options.Alpha)
	r.Enough = t.smallest()/t.part < c.options.Alpha
	for i := range rows {
		t.standard = append(t.standard, standard(robust(rows[i].tested)))
	}
	if r.Enough {
		t.largest = t.permutations.largest(t.standard)
	}
	return t
}

// subtractShared subtracts the shared part from each figure in which it does not differ between the
// sides. It returns false if there are too few markers.
func (c *Comparison) subtractShared(r *Result, rows []row, t *tests) bool {
	shared := make([][]float64, len(c.metric.figures))
	s := &tests{permutations: t.permutations, part: sharedPart}
	for f := range shared {
		if shared[f] = common(rows, f); shared[f] != nil {
			s.standard = append(s.standard, standard(robust(shared[f])))
		}
	}
	s.largest = s.permutations.largest(s.standard)
	for f, values := range shared {
		if values == nil {
			continue
		}
		factors := make([]float64, len(values))
		for i, v := range values {
			factors[i] = math.Exp(v)
		}
		figure := c.figure(&row{figure: f, raw: factors, log: values, tested: values}, r.Old.Runs)
		figure.Unit = ""
		c.judge(&figure, s.adjusted(difference(standard(robust(values)), r.Old.Runs)), true)
		r.Shared = append(r.Shared, figure)
		if f == c.metric.shown {
			r.Spread = math.Expm1(perDeviation * median(absolute(values)))
		}
		if figure.Verdict > Unchanged {
			continue // not a disturbance: do not subtract it
		}
		for i := range rows {
			if rows[i].figure == f {
				rows[i].tested = without(rows[i].log, values)
			}
		}
	}
	return len(r.Shared) > 0
}

func absolute(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Abs(v)
	}
	return out
}

// figure returns the difference between the sides in a row.
func (c *Comparison) figure(r *row, old int) Figure {
	figure := Figure{Name: c.metric.figures[r.figure].name, Unit: c.metric.figures[r.figure].unit}
	tested, plain := r.tested, make([]float64, len(r.raw))
	for i, v := range r.raw {
		plain[i] = v * math.Exp(tested[i]-r.log[i])
	}
	figure.Old, figure.New = summary(plain[:old]), summary(plain[old:])
	estimate, lo, hi := shift(tested[:old], tested[old:])
	figure.Change, figure.Lo, figure.Hi = math.Expm1(estimate), math.Expm1(lo), math.Expm1(hi)
	switch { // in the logarithms, 0 was replaced by half the smallest value
	case figure.Old.Median == 0 && figure.New.Median > 0:
		figure.Change, figure.Hi = math.Inf(1), math.Inf(1)
	case figure.Old.Median > 0 && figure.New.Median == 0:
		figure.Change, figure.Lo = -1, -1
	}
	figure.P = mannWhitney(plain[:old], plain[old:])
	return figure
}

// resolution is the smallest difference between two times in the data, in ns, minus rounding
// errors.
const resolution = 1 - 1e-9

// judge sets the p-value and verdict of a figure.
func (c *Comparison) judge(f *Figure, adjusted float64, enough bool) {
	f.Adjusted = adjusted
	switch o := c.options; {
	case !enough:
		f.P, f.Adjusted, f.Verdict = math.NaN(), math.NaN(), Unknown
	case !(adjusted < o.Alpha) || f.Change == 0:
		f.Verdict = Unchanged
	case f.Unit == "ns" && math.Abs(f.New.Median-f.Old.Median) < resolution:
		f.Verdict = Changed
	case f.Change > 0 && f.Hi >= o.Threshold:
		f.Verdict = Worse
	case f.Change < 0 && 1/(1+f.Lo)-1 >= o.Threshold:
		f.Verdict = Better
	default:
		f.Verdict = Changed
	}
}

// conclude sets the results for each marker.
func (c *Comparison) conclude(r *Result, rows []row, t *tests) {
	type span struct{ from, to int } // rows of one marker
	var spans []span
	for i := range rows {
		if i == 0 || rows[i].series != rows[i-1].series {
			spans = append(spans, span{i, i})
		}
		spans[len(spans)-1].to = i + 1
	}
	critical := math.Inf(1)
	if r.Enough {
		critical = t.critical(t.largest, c.options.Alpha*t.part)
	}
	pairs := c.pathPairs()
	r.Markers = make([]Marker, len(spans))
	each(len(spans), func(k int) {
		s := spans[k]
		m := Marker{Place: rows[s.from].series.place(), Sampled: rows[s.from].series.sampled, Detectable: math.Inf(1)}
		var least []float64 // of the sharp figures; the minimum would be too optimistic
		for i := s.from; i < s.to; i++ {
			row := &rows[i]
			f := c.figure(row, r.Old.Runs)
			adjusted := math.NaN()
			if r.Enough {
				adjusted = t.adjusted(difference(t.standard[i], r.Old.Runs))
			}
			c.judge(&f, adjusted, r.Enough)
			m.Figures = append(m.Figures, f)
			m.Verdict = max(m.Verdict, f.Verdict)
			if row.figure < c.metric.sharp {
				least = append(least, detectable(row.tested, r.Old.Runs, critical))
			}
		}
		if len(least) > 0 {
			m.Detectable = median(least)
		}
		m.lead = c.lead(&m)
		if m.Verdict > Unchanged {
			m.Path = c.mostChanged(pairs[m.ID], c.metric.name, m.Lead().Change > 0)
		}
		r.Markers[k] = m
	})
	if len(r.Markers) > 0 {
		least := make([]float64, len(r.Markers))
		for i := range r.Markers {
			least[i] = r.Markers[i].Detectable
		}
		slices.Sort(least)
		r.Half, r.Most = least[(len(least)-1)/2], least[(len(least)*9+9)/10-1]
	}
	if o := c.options; r.Enough && o.Threshold > 0 && len(r.Markers) > 0 && r.Half > o.Threshold {
		r.Cautions = append(r.Cautions, fmt.Sprintf("the runs differ too much to find a change of %.3g %% in half of the markers; make more of them, or where less else is going on", 100*o.Threshold))
	}
	slices.SortStableFunc(r.Markers, func(a, b Marker) int {
		return cmp.Or(compareBool(a.Guess, b.Guess), cmp.Compare(b.Verdict, a.Verdict), compareChange(&a, &b), profile.CompareNames(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
}

// compareBool sorts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareChange sorts changed markers by significance, then by size of the change; Unknown ones by
// decreasing change.
func compareChange(a, b *Marker) int {
	x, y := a.Lead(), b.Lead()
	switch {
	case a.Verdict == Unchanged:
		return 0
	case a.Verdict == Unknown:
		return cmp.Compare(y.Change, x.Change)
	}
	return cmp.Or(cmp.Compare(x.Adjusted, y.Adjusted), cmp.Compare(math.Abs(math.Log1p(y.Change)), math.Abs(math.Log1p(x.Change))))
}

// lead returns the index of the figure to show: the most significant one with the marker's verdict,
// if that is a change.
func (c *Comparison) lead(m *Marker) int {
	lead := -1
	for i := range m.Figures {
		f := &m.Figures[i]
		switch {
		case m.Verdict <= Unchanged:
			if f.Name == c.metric.figures[c.metric.shown].name {
				return i
			}
			lead = 0
		case f.Verdict != m.Verdict:
		case lead < 0 || f.Adjusted < m.Figures[lead].Adjusted || f.Adjusted == m.Figures[lead].Adjusted && f.P < m.Figures[lead].P:
			lead = i
		}
	}
	return lead
}

// each calls f for 0 … n-1, on all processors.
func each(n int, f func(i int)) {
	var all sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for from := range next {
				for i := from; i < min(from+64, n); i++ {
					f(i)
				}
			}
		})
	}
	for i := 0; i < n; i += 64 {
		next <- i
	}
	close(next)
	all.Wait()
}
