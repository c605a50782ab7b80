package server

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// Checks of a decoded batch: it must contain only what can be summed and shown.
//
// Texts are shown on terminals and pages of other users: they must have no control characters, none
// that change the text direction, and a limited length. Statistics must be consistent, as those of
// a run are: sums with counts and bounds of their buckets, and parts of a sum with the sum. A
// sender can still invent values; but consistent values let readers rely on them, and lists and
// pages agree. Values that a running process writes at different moments, such as calls and their
// sizes, are not compared.

// check returns a problem for a batch that is refused, or nil.
func (s *Server) check(p *profile.Profile) error {
	if len(p.Markers) == 0 && p.Runs == 0 && p.ElapsedNS|p.Lost == 0 && p.Sampling == nil && p.Wild == nil && p.Complete {
		return profileRefused.problem("there is nothing in it: no marker and no run")
	}
	if n := len(p.Markers); n > s.MaxMarkers {
		return tooLarge.problem("%d markers, and %d is the most in a batch here; send fewer in each", n, s.MaxMarkers)
	}
	if len(p.Blocks) > 0 || p.Pairs != nil || p.Trace != nil && p.Trace.Records > 0 {
		return profileRefused.problem("cover blocks, pairs and traces are not taken; markgen push leaves them out")
	}
	if p.Damaged {
		return profileRefused.problem("some of the data it was made from could not be read; they are not taken")
	}
	if trouble := runTotals(p); trouble != "" {
		return profileRefused.problem("%s", trouble)
	}
	origin := fleet.OriginOf(p)
	for _, text := range []struct{ what, text string }{
		{"build", origin.Build}, {"Go version", origin.Go}, {"GOOS", origin.GOOS}, {"GOARCH", origin.GOARCH}, {"CPU", origin.CPU}, {"clock", p.Clock.Kind},
	} {
		if trouble := s.text(text.text); trouble != "" {
			return profileRefused.problem("the %s %s", text.what, trouble)
		}
	}
	if strings.HasPrefix(origin.Build, "@") {
		return profileRefused.problem("it does not say which program it is of")
	}
	for i := range p.Markers {
		m := &p.Markers[i]
		if trouble := s.marker(m); trouble != "" {
			return profileRefused.problem("marker %s: %s", m.ID, trouble)
		}
	}
	if trouble := s.paths(p.Paths); trouble != "" {
		return profileRefused.problem("a call path: %s", trouble)
	}
	return nil
}

// paths returns what is wrong with call paths, which may be nil, or "". Their figures may be of
// different moments.
func (s *Server) paths(p *profile.Paths) string {
	if p == nil {
		return ""
	}
	if trouble := tooLargeValue(p.Runs, p.Lost, p.Labels); trouble != "" {
		return trouble
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if trouble := s.text(n.Label); trouble != "" {
			return "the label " + trouble
		}
		if trouble := s.readingNames(n.Readings); trouble != "" {
			return trouble
		}
		if len(n.Buckets) > 0 {
			return "its distribution is not taken; markgen push leaves it out"
		}
		figures := []uint64{n.Count, n.SumNS, n.NestedNS, n.SelfNS}
		for _, r := range n.Readings {
			figures = append(figures, r.Scopes, r.Dropped)
			for _, v := range r.Values {
				figures = append(figures, v.Sum, v.Self, v.Nested)
			}
		}
		if trouble := tooLargeValue(figures...); trouble != "" {
			return trouble
		}
	}
	return ""
}

// markerKinds are all kinds of markers.
var markerKinds = map[string]bool{"func": true, "loop": true, "branch": true, "block": true, "region": true, "point": true}

// maxReadings is the max number of readings of a marker or path, and of values of a reading.
const maxReadings = 32

// marker returns what is wrong with a marker, or "".
func (s *Server) marker(m *profile.Marker) string {
	for _, text := range []struct{ what, text string }{{"name", m.Name}, {"package", m.Package}, {"file", m.File}, {"group", m.Group}} {
		if trouble := s.text(text.text); trouble != "" {
			return "the " + text.what + " " + trouble
		}
	}
	switch {
	case m.Name == "":
		return "it has no name"
	case !markerKinds[m.Kind]:
		return fmt.Sprintf("there is no kind %.40q", m.Kind)
	case path.IsAbs(m.File) || strings.Contains(m.File, `\`) || m.File == ".." || strings.HasPrefix(m.File, "../"):
		return "its file is not within a module; markgen push leaves such places out"
	case m.Line > 1<<30 || m.Col > 1<<30:
		return "there is no such place"
	case len(m.Callers) > 0:
		return "figures by caller are not taken; markgen push leaves them out"
	}
	if trouble := s.readingNames(m.Readings); trouble != "" {
		return trouble
	}
	return figures(m)
}

// readingNames returns what is wrong with the names in a list of readings, or with their number, or
// "".
func (s *Server) readingNames(list []profile.Reading) string {
	if len(list) > maxReadings {
		return fmt.Sprintf("%d readings, and %d is the most", len(list), maxReadings)
	}
	for i := range list {
		r := &list[i]
		if trouble := s.text(r.Collector); trouble != "" || len(r.Values) > maxReadings {
			return "a reading's collector " + trouble
		}
		for k := range r.Values {
			if trouble := s.text(r.Values[k].Name); trouble != "" {
				return "a reading's value " + trouble
			}
		}
	}
	return ""
}

// text returns what is wrong with a text of a batch, or "".
func (s *Server) text(text string) string {
	if len(text) > s.MaxName {
		return fmt.Sprintf("is longer than %d bytes", s.MaxName)
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return "is not UTF-8"
			}
		}
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs) {
			return fmt.Sprintf("has the character %U, which can't be shown", r)
		}
	}
	return ""
}

// maxValue is the max value in a batch: more than any run has (292 years in ns), and below the
// saturation value of the store's columns, so that a saturated value is always a sum.
const maxValue = math.MaxInt64 - 1

// maxTimeBucket is the max number of a bucket of times: up to 36 years.
const maxTimeBucket = 59

// runTotals returns what is wrong with the fields about runs, or "".
func runTotals(p *profile.Profile) string {
	figures := []uint64{uint64(p.Runs), p.ElapsedNS, p.Lost}
	if s := p.Sampling; s != nil {
		figures = append(figures, s.N, s.Windows, s.OpenNS, s.NetNS, s.OfNS)
	}
	if w := p.Wild; w != nil {
		figures = append(figures, w.Runs, w.Picked, w.Of, w.Loaded, w.Full, w.NoPlace)
		if w.Picked > w.Of {
			return "more functions were picked than there were"
		}
	}
	return tooLargeValue(figures...)
}

func tooLargeValue(list ...uint64) string {
	if n := slices.Max(list); n > maxValue {
		return fmt.Sprintf("a figure is %d, which no run has", n)
	}
	return ""
}

// figures returns which of a marker's statistics contradict each other, or "".
func figures(m *profile.Marker) string {
	if trouble := tooLargeValue(m.Sample, m.Samples, m.Runs, m.Count, m.Open, m.NestedNS, m.SelfNS, m.MinNS, m.MaxNS, m.Ticks, m.Seen); trouble != "" {
		return trouble
	}
	if m.Picks != nil && m.Picks.Runs > maxValue {
		return "it was picked in more runs than there are"
	}
	if trouble := buckets(m.Buckets, m.MinNS, m.MaxNS, m.Sampled()); trouble != "" {
		return trouble
	}
	// Estimates are scaled and rounded separately, so they agree only roughly.
	sum, about := m.SumNS(), uint64(1)
	if m.Sampled() {
		about = 2
	}
	switch {
	case m.Timed() > m.Count:
		return "more scopes have a time than there are"
	case m.Runs > m.Count:
		return "it was reached in more runs than there are scopes"
	case m.SelfNS/about > sum:
		return fmt.Sprintf("its self time is %d ns, and the sum of its times is %d ns", m.SelfNS, sum)
	case m.NestedNS/about > sum:
		return fmt.Sprintf("%d ns of it are of recursive scopes, and the sum of its times is %d ns", m.NestedNS, sum)
	case m.Ticks > 0 && len(m.Buckets) == 0:
		return "it has ticks of the clock and no time"
	case m.Open > maxOpen:
		return fmt.Sprintf("%d scopes had not ended, which no memory holds", m.Open)
	}
	if trouble := buckets(m.First.Buckets, m.First.MinNS, m.First.MaxNS, false); trouble != "" {
		return "of first scopes, " + trouble
	}
	for _, b := range m.Sizes {
		if trouble := tooLargeValue(b.Count, b.SumNS, b.SumLog, b.SumLogSq); trouble != "" {
			return "of sizes, " + trouble
		}
		if b.K >= 64 || b.Count == 0 || !m.Sampled() && !b.Sound() {
			return fmt.Sprintf("the figures of the sizes from %d on contradict each other", b.LoSize())
		}
	}
	for i := range m.Readings {
		if trouble := reading(&m.Readings[i]); trouble != "" {
			return fmt.Sprintf("of what %s read, %s", m.Readings[i].Collector, trouble)
		}
	}
	return ""
}

// maxOpen is the max number of calls of a marker without an end, in all runs of a sum.
const maxOpen = 1 << 40

// reading returns which values of a reading contradict each other, or "".
func reading(r *profile.Reading) string {
	if trouble := tooLargeValue(r.Scopes, r.Dropped); trouble != "" {
		return trouble
	}
	for i := range r.Values {
		v := &r.Values[i]
		if trouble := tooLargeValue(v.Sum, v.Self, v.Nested); trouble != "" {
			return v.Name + ": " + trouble
		}
		if v.Self > v.Sum || v.Nested > v.Sum {
			return fmt.Sprintf("%s: a part of it, %d, is more than the sum, %d", v.Name, max(v.Self, v.Nested), v.Sum)
		}
		for _, list := range [][]profile.ValueBucket{v.Buckets, v.SelfBuckets} {
			for _, b := range list {
				if !b.Sound() || tooLargeValue(b.Count, b.Sum) != "" {
					return fmt.Sprintf("%s: the figures of the bucket from %d on contradict each other", v.Name, b.Lo())
				}
			}
		}
	}
	return ""
}

// buckets returns what is wrong with a list of buckets and the min and max of all times in it, or
// "". Estimates are scaled and rounded separately, so they agree only roughly.
func buckets(list []profile.Bucket, least, most uint64, estimated bool) string {
	if least > most || len(list) == 0 && most > 0 {
		return "there is no time from the shortest to the longest"
	}
	for _, b := range list {
		if b.K > maxTimeBucket {
			return fmt.Sprintf("a time of %d ns and more, which are %d years, is longer than any run", b.LoNS(), b.LoNS()/(365*24*3600*1_000_000_000))
		}
		if trouble := tooLargeValue(b.Count, b.SumNS); trouble != "" {
			return trouble
		}
		if estimated {
			lo, hi := float64(b.LoNS())/2, float64(b.HiNS())*2
			mean, square := float64(b.SumNS)/float64(b.Count), b.SumSq.Float64()/float64(b.Count)
			if mean >= lo && mean <= hi && square >= lo*lo && square <= hi*hi {
				continue
			}
		} else if b.Sound() {
			continue
		}
		return fmt.Sprintf("the figures of the bucket from %d ns on contradict each other", b.LoNS())
	}
	if n := len(list); n > 0 && !estimated && (!holds(list[0], least) || !holds(list[n-1], most)) {
		return "the shortest or the longest time is not in the first or the last bucket"
	}
	return ""
}

// holds reports whether a time belongs to a bucket.
func holds(b profile.Bucket, ns uint64) bool { return ns >= b.LoNS() && ns < b.HiNS() }
