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

// Verdict is what is to be said of a change.
type Verdict int

// A higher verdict comes before a lower one of the same marker.
const (
	Unknown   Verdict = iota // there are too few runs to tell a change from chance
	Unchanged                // no change that could not be chance
	Changed                  // a certain change, surely less than the threshold
	Better
	Worse
)

// String is the verdict as reports have it.
func (v Verdict) String() string {
	return [...]string{"unknown", "unchanged", "changed", "better", "worse"}[v]
}

// Result is what a comparison has found.
type Result struct {
	Options
	About    string // what the metric is
	Old, New Side

	// Markers are those that both sides passed: first those that got worse, then better,
	// then with changes below the threshold, then the others; among equals the surest
	// change first, then by name. If nothing can be known, the largest change is first.
	// Behind all of them are, in the same order, those of which it is a guess that they are
	// the same on both sides; they are no findings.
	Markers []Marker

	// Shared is what all markers of a run share, a figure for each of the
	// metric's; their values are factors, 1 in the median over all runs. It is nil if there are too few markers or
	// runs to tell. Worse and Better are findings like those of markers.
	Shared []Figure

	// Spread is the standard deviation of what is shared from run to run, of the
	// figure that is shown where nothing changed.
	Spread float64

	// Appeared and Vanished are markers that only one side's program has; Begun and Ceased
	// those that both have and only one passed. They are sorted by name.
	Appeared, Vanished, Begun, Ceased []Place

	// Counted are markers that all runs of a side passed equally often, and those of the
	// other side another number of times: a change that needs no test. They are sorted by name.
	Counted []Count

	Tests    int  // figures of markers that were compared
	Dealings int  // ways to label the runs that they were held against
	All      bool // these are all that there are

	// Enough is false if there are too few runs for any change to be told from
	// chance; Need is how many there have to be on each side.
	Enough bool
	Need   int

	// Half and Most are the least changes that would have been found, in four of
	// five comparisons like this, in half of the markers and in nine of ten; infinite if none would.
	Half, Most float64

	Cautions []string // what a reader has to know before believing the rest
}

// Worse is how many findings make the comparison fail: markers that got worse, and
// figures of what they share.
func (r *Result) Worse() int { return r.count(Worse) }

// Better is how many got better.
func (r *Result) Better() int { return r.count(Better) }

func (r *Result) count(v Verdict) (n int) {
	for i := range r.Markers {
		if r.Markers[i].Verdict == v && !r.Markers[i].Guess {
			n++
		}
	}
	if slices.ContainsFunc(r.Shared, func(f Figure) bool { return f.Verdict == v }) {
		n++
	}
	return n
}

// Certain is how many markers are surely the same on both sides.
func (r *Result) Certain() (n int) {
	for i := range r.Markers {
		if !r.Markers[i].Guess {
			n++
		}
	}
	return n
}

// Grown says whether a figure of a marker that is surely the same is larger by the threshold or
// more, be it by chance.
func (r *Result) Grown() bool {
	return slices.ContainsFunc(r.Markers, func(m Marker) bool {
		return !m.Guess && slices.ContainsFunc(m.Figures, func(f Figure) bool { return f.Change >= r.Threshold && f.Change > 0 })
	})
}

// Place is a marker that has nothing to compare.
type Place struct {
	ID         registry.ID
	Name, Kind string
	File       string
	Line       int
	Passed     bool // by a run of either side

	// Guess is that what is new may be other code than what was old: see profile.Marker.
	Guess   bool
	OldName string // Name is that of the new runs; "" where they alone have the marker
}

// Count is a marker with the passages of every old run, and of every new one.
type Count struct {
	Place
	Old, New uint64
}

// Marker is what was found at a marker.
type Marker struct {
	Place
	Verdict Verdict
	Figures []Figure // those of the metric that it has enough passages for
	Sampled bool     // in some runs, figures are estimates from a sample of the passages

	Detectable float64 // the least change that would have been found, in four of five comparisons

	lead int
}

// Lead is the figure that tells most: of those with the marker's verdict the surest.
func (m *Marker) Lead() *Figure { return &m.Figures[m.lead] }

// Figure is how one figure differs.
type Figure struct {
	Name string // p5, p25, p50, mean, p90, p99, p99+ (the mean of the slowest hundredth), or the metric's name
	Unit string // "ns" or ""

	Old, New Summary // without what all markers share

	// Change is the new value over the old, less 1: 0.05 is 5 % more. Lo and Hi
	// bound it with a confidence of 95 %; they are -1 and infinite if there are too few runs.
	Change, Lo, Hi float64

	// P is the p-value of the Mann–Whitney test of this figure by itself. Adjusted is
	// the p-value that counts: corrected for all that was tested. Both are NaN if there
	// are too few runs.
	P, Adjusted float64

	Verdict Verdict
}

// sharedPart is the part of alpha for tests of what all markers share; the
// markers have the rest (weighted Bonferroni: Holm 1979).
const sharedPart = 0.2

// Result compares the runs that were added.
func (c *Comparison) Result() *Result {
	r := &Result{Options: c.options, About: c.metric.about, Old: c.sides[Old], New: c.sides[New], Half: math.Inf(1), Most: math.Inf(1)}
	r.Cautions = c.cautions()
	c.places(r)
	rows := c.rows()
	r.Tests = len(rows)
	t := c.test(r, rows)
	c.conclude(r, rows, t)
	return r
}

// tests is what was tested, and against what.
type tests struct {
	dealings
	largest  []float32 // of all rows, for each dealing
	standard [][]float32
	part     float64 // of alpha
}

// adjusted is the p-value of a difference.
func (t *tests) adjusted(d float32) float64 {
	return min(1, t.p(reached(t.largest, d))/t.part)
}

// test takes what is shared off the rows and deals the labels.
func (c *Comparison) test(r *Result, rows []row) *tests {
	t := &tests{dealings: deal(r.Old.Runs, r.New.Runs, max(1, len(rows))), part: 1}
	r.Dealings, r.All = len(t.sets), t.all
	if t.pairs && t.all {
		r.Dealings *= 2
	}
	// What is shared could hide a change of all markers. It is only taken off if that
	// would be found.
	if t.smallest()/sharedPart < c.options.Alpha && c.takeOff(r, rows, t) {
		t.part = 1 - sharedPart
	}
	r.Need = fewestRuns(c.options.Alpha)
	r.Enough = t.smallest()/t.part < c.options.Alpha
	for i := range rows {
		t.standard = append(t.standard, standard(robust(rows[i].tested)))
	}
	if r.Enough {
		t.largest = t.dealings.largest(t.standard)
	}
	return t
}

// takeOff takes what all markers share off each figure in which it is not another on
// the two sides. It is false if there are too few markers to tell.
func (c *Comparison) takeOff(r *Result, rows []row, t *tests) bool {
	shared := make([][]float64, len(c.metric.figures))
	s := &tests{dealings: t.dealings, part: sharedPart}
	for f := range shared {
		if shared[f] = common(rows, f); shared[f] != nil {
			s.standard = append(s.standard, standard(robust(shared[f])))
		}
	}
	s.largest = s.dealings.largest(s.standard)
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
			continue // no disturbance: it stays in
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

// figure says how the values of a row differ.
func (c *Comparison) figure(r *row, old int) Figure {
	figure := Figure{Name: c.metric.figures[r.figure].name, Unit: c.metric.figures[r.figure].unit}
	tested, plain := r.tested, make([]float64, len(r.raw))
	for i, v := range r.raw {
		plain[i] = v * math.Exp(tested[i]-r.log[i])
	}
	figure.Old, figure.New = summary(plain[:old]), summary(plain[old:])
	estimate, lo, hi := shift(tested[:old], tested[old:])
	figure.Change, figure.Lo, figure.Hi = math.Expm1(estimate), math.Expm1(lo), math.Expm1(hi)
	switch { // half of the least value stands for 0 up to here
	case figure.Old.Median == 0 && figure.New.Median > 0:
		figure.Change, figure.Hi = math.Inf(1), math.Inf(1)
	case figure.Old.Median > 0 && figure.New.Median == 0:
		figure.Change, figure.Lo = -1, -1
	}
	figure.P = mannWhitney(plain[:old], plain[old:])
	return figure
}

// resolution is the least difference of two times that the data can tell, ns, but for rounding.
const resolution = 1 - 1e-9

// judge gives the figure its p-value and verdict.
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

// conclude fills in what was found at each marker.
func (c *Comparison) conclude(r *Result, rows []row, t *tests) {
	type span struct{ from, to int } // the rows of a marker
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
	r.Markers = make([]Marker, len(spans))
	each(len(spans), func(k int) {
		s := spans[k]
		m := Marker{Place: rows[s.from].series.place(), Sampled: rows[s.from].series.sampled, Detectable: math.Inf(1)}
		var least []float64 // of the sharp figures; the smallest of them would be too good to be true
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

// compareBool puts what is false first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareChange orders markers that changed by how sure that is, then by how much; those
// of which nothing can be known with the largest first.
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

// lead is the figure to be shown: the surest of those with the marker's verdict, if that
// is a change.
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
