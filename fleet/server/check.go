package server

import (
	"fmt"
	"math"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// What is checked of a batch, besides that it can be read: that it holds what can be added up and shown.
//
// Texts end up on terminals and pages of others, so they have no control characters, none that change the direction of
// writing, and a length. Figures have to agree with each other as those of any run do: sums with the counts and bounds
// of their buckets. A sender can still make figures up; that they agree is so that whoever reads them later may rely
// on it. Figures at the largest number have stopped there, and are not compared.

// check returns a problem for a batch that is not taken.
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
	return nil
}

// markerKinds are the kinds of markers there are.
var markerKinds = map[string]bool{"func": true, "loop": true, "branch": true, "block": true, "region": true, "point": true}

// mostReadings is how many readings a marker may have, and values a reading.
const mostReadings = 32

// marker says what is wrong with a marker, "" if nothing is.
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
	case len(m.Readings) > mostReadings:
		return fmt.Sprintf("%d readings, and %d is the most", len(m.Readings), mostReadings)
	}
	for i := range m.Readings {
		r := &m.Readings[i]
		if trouble := s.text(r.Collector); trouble != "" || len(r.Values) > mostReadings {
			return "a reading's collector " + trouble
		}
		for k := range r.Values {
			if trouble := s.text(r.Values[k].Name); trouble != "" {
				return "a reading's value " + trouble
			}
		}
	}
	return figures(m)
}

// text says what is wrong with a text of a batch, "" if nothing is.
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

// figures says which of a marker's figures contradict each other, "" if none do.
func figures(m *profile.Marker) string {
	if trouble := buckets(m.Buckets, m.MinNS, m.MaxNS, m.Sampled()); trouble != "" {
		return trouble
	}
	if m.Timed() > m.Count {
		return "more passages have a time than there are"
	}
	if m.Runs > m.Count {
		return "it was passed in more runs than there are passages"
	}
	if trouble := buckets(m.First.Buckets, m.First.MinNS, m.First.MaxNS, false); trouble != "" {
		return "of first passages, " + trouble
	}
	return ""
}

// buckets says what is wrong with a list of buckets and the bounds of all times in it. Where they are estimates, the
// figures were scaled up and rounded, each by itself, and agree only about.
func buckets(list []profile.Bucket, least, most uint64, estimated bool) string {
	if least > most || len(list) == 0 && most > 0 {
		return "there is no time from the shortest to the longest"
	}
	for _, b := range list {
		if b.Count == math.MaxUint64 || b.SumNS == math.MaxUint64 || b.SumSq == (profile.Uint128{Hi: math.MaxUint64, Lo: math.MaxUint64}) {
			continue
		}
		if estimated {
			mean := float64(b.SumNS) / float64(b.Count)
			if b.Count < 2 || mean >= float64(b.LoNS())/2 && mean <= float64(b.HiNS())*2 {
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

// holds tells whether a time belongs into a bucket.
func holds(b profile.Bucket, ns uint64) bool {
	return ns >= b.LoNS() && (ns < b.HiNS() || b.K == 63)
}
