// Package shape classifies how the time of a marker behaves: whether it is constant or grows with
// the input, what the first call costs, whether there are several kinds of calls or a heavy tail,
// and whether calls allocate memory.
//
//	s := shape.Of(&p.Markers[i], shape.For(p))
//	fmt.Println(s.Labels(), s.Growth.Evidence)
//
// Every property carries its evidence, as numbers for programs and in words for people. If the data
// do not decide a property, Need says which data would. A property holds for the calls that were
// measured; it proves nothing about others.
package shape

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// A Verdict says whether a property holds.
type Verdict string

// Verdicts. A property is Undecided if the data are too few or ambiguous.
const (
	Yes       Verdict = "yes"
	No        Verdict = "no"
	Undecided Verdict = "undecided"
)

// Options are facts from outside the marker. The zero value means that none are known.
type Options struct {
	QuantumNS float64 // smallest difference that the clock can resolve, ns

	noise *noise // nil if unknown
}

// For returns the options for the markers of p: the resolution of its clock, and the noise of the
// machine.
func For(p *profile.Profile) Options {
	return Options{QuantumNS: p.Clock.QuantumNS, noise: noiseOf(p)}
}

// A Shape is how a marker's time behaves. A property is nil if no data for it were collected.
type Shape struct {
	Calls    uint64   `json:"calls"` // timed calls
	Growth   *Growth  `json:"growth,omitempty"`
	Steady   *Steady  `json:"steady,omitempty"`
	Startup  *Startup `json:"startup,omitempty"`
	Modes    *Modes   `json:"modes,omitempty"`
	Tail     *Tail    `json:"tail,omitempty"`
	Alloc    *Alloc   `json:"alloc,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // why less is known than could be, for people
}

// Of classifies a marker. It does not modify it.
func Of(m *profile.Marker, o Options) Shape {
	s := Shape{Calls: m.Measured(), Alloc: alloc(m)}
	if s.Calls == 0 {
		if m.Count > 0 {
			s.Warnings = append(s.Warnings, "its scopes are counted and not timed")
		}
		return s
	}
	later := withoutFirst(m)
	s.Growth = growth(m, o)
	s.Startup = startup(m, later)
	explained := s.explainedVariance(m)
	s.Modes = modes(later, o, explained)
	s.Tail = tail(later, s.Modes, explained, o.noise)
	s.Steady = steady(later, o)
	s.warn(m)
	return s
}

// measuredFraction returns the fraction of a marker's times that were measured: 1, or less if a
// sample was scaled up. Sampling error depends on the number of measured times.
func measuredFraction(m *profile.Marker) float64 {
	return float64(m.Measured()) / max(1, float64(m.Timed()))
}

// withoutFirst returns the marker without the first call of each process, or m itself if these are
// unknown or all there is.
func withoutFirst(m *profile.Marker) *profile.Marker {
	n := m.First.Count()
	if n == 0 || n >= m.Timed() {
		return m
	}
	c := *m
	c.Buckets = nil
	firsts := map[uint8]profile.Bucket{}
	for _, b := range m.First.Buckets {
		firsts[b.K] = b
	}
	for _, b := range m.Buckets {
		b, ok := less(b, firsts[b.K])
		if !ok { // in some runs calls were sampled
			return m
		}
		if b.Count > 0 {
			c.Buckets = append(c.Buckets, b)
		}
	}
	c.Count -= min(n, c.Count)
	if len(c.Buckets) > 0 { // the extremes may be first calls
		c.MinNS = max(c.MinNS, c.Buckets[0].LoNS())
		last := c.Buckets[len(c.Buckets)-1]
		c.MaxNS = max(c.MinNS, min(c.MaxNS, last.HiNS()-1))
	}
	return &c
}

// less returns b minus c, which has the same K. It returns false if c is not contained in b.
func less(b, c profile.Bucket) (profile.Bucket, bool) {
	if c.Count > b.Count || c.SumNS > b.SumNS || b.SumSq.Less(c.SumSq) {
		return b, false
	}
	b.Count -= c.Count
	b.SumNS -= c.SumNS
	b.SumSq = b.SumSq.Sub(c.SumSq)
	if b.Count == 0 {
		return profile.Bucket{K: b.K}, true
	}
	return b, true
}

// explainedVariance returns the fraction of the variance of times that input sizes explain; 0 if
// time does not grow with size.
func (s *Shape) explainedVariance(m *profile.Marker) float64 {
	g := s.Growth
	if g == nil || g.RatioHi < sameRatio || g.Points < 2 {
		return 0
	}
	var n, sum, between, all float64
	for i := range m.Sizes {
		b := &m.Sizes[i]
		n += float64(b.Count)
		sum += float64(b.SumNS)
		between += float64(b.SumNS) * b.MeanNS()
		all += b.SumSq.Float64()
	}
	mean := sum / n
	if all -= n * mean * mean; all <= 0 {
		return 0
	}
	return min(1, max(tiny, (between-n*mean*mean)/all))
}

// tiny is a nonzero value that stands for almost nothing.
const tiny = 1e-9

// Few reports whether there are too few calls to say much.
func (s *Shape) Few() bool { return s.Calls > 0 && s.Calls < steadyCalls }

// warn adds warnings about missing data.
func (s *Shape) warn(m *profile.Marker) {
	if s.Few() {
		s.Warnings = append(s.Warnings, "few data: "+units.Plural(s.Calls, "call"))
	}
	if m.Sampled() {
		s.Warnings = append(s.Warnings, "times are a sample: what is rare may be missing")
	}
	if s.Startup == nil {
		s.Warnings = append(s.Warnings, "what the first call took is not known")
	}
	if s.Growth == nil {
		s.Warnings = append(s.Warnings, "whether it grows with its input is not known: mark it with size=, or build with -sizes")
	}
}

// Labels returns the properties that hold, in a word or two each.
func (s *Shape) Labels() (list []string) {
	if g := s.Growth; g != nil && g.Order != "" {
		list = append(list, g.Order)
	}
	if v := s.Steady; v != nil && v.Verdict == Yes {
		list = append(list, "constant")
	}
	if v := s.Startup; v != nil && v.Verdict == Yes {
		list = append(list, "start-up cost")
	}
	if v := s.Modes; v != nil && v.Verdict == Yes {
		list = append(list, units.Plural(len(v.List), "mode"))
	}
	if v := s.Tail; v != nil && v.Verdict == Yes {
		list = append(list, "heavy tail")
	}
	if a := s.Alloc; a != nil {
		list = append(list, a.label()...)
	}
	return list
}

// Evidence returns a line for each property with data, decided or not.
func (s *Shape) Evidence() (list []Line) {
	add := func(name string, v Verdict, evidence, need string) {
		list = append(list, Line{name, v, evidence, need})
	}
	if g := s.Growth; g != nil {
		add(PropertyGrowth, g.Verdict, g.Evidence, g.Need)
	}
	if v := s.Steady; v != nil {
		add(PropertySteady, v.Verdict, v.Evidence, v.Need)
	}
	if v := s.Startup; v != nil {
		add(PropertyStartup, v.Verdict, v.Evidence, v.Need)
	}
	if v := s.Modes; v != nil {
		add(PropertyModes, v.Verdict, v.Evidence, v.Need)
	}
	if v := s.Tail; v != nil {
		add(PropertyTail, v.Verdict, v.Evidence, v.Need)
	}
	if a := s.Alloc; a != nil {
		add(PropertyAlloc, a.Verdict, a.Evidence, a.Need)
	}
	return list
}

// Properties, as in Line.Property.
const (
	PropertyGrowth  = "growth"
	PropertySteady  = "constant"
	PropertyStartup = "start-up"
	PropertyModes   = "modes"
	PropertyTail    = "tail"
	PropertyAlloc   = "memory"
)

// A Line is the evidence for one property, in words.
type Line struct {
	Property string
	Verdict  Verdict
	Evidence string
	Need     string // data that would decide it; "" if decided
}
