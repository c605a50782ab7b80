package profile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/runtime/layout"
)

// Cautions are given when needed, and none for ordinary data.
func TestCautions(t *testing.T) {
	repeat := func(n int, times ...uint64) (list []uint64) {
		for range n {
			list = append(list, times...)
		}
		return list
	}
	even := make([]uint64, 3000)
	for i := range even {
		even[i] = 500 + uint64(i)
	}
	const two = "there are two kinds of scopes within a factor of two"
	for _, tt := range []struct {
		name  string
		times map[int][]uint64 // by marker of tracedText: b.outer, b.inner and b.(*T).inner are 0, 2 and 3
		flags uint64
		want  string // substring of the only caution; "" for none
	}{
		{name: "even times", times: map[int][]uint64{0: even, 2: repeat(1000, 900)}},
		{name: "few scopes", times: map[int][]uint64{0: {520, 1020, 520, 1020}}},
		{name: "two times", times: map[int][]uint64{0: repeat(500, 520, 1020), 2: repeat(100, 600)},
			want: "percentiles of 1 marker are known only roughly, as " + two + ": the p50 of b.outer is anywhere from 520ns to 1.02µs"},
		{name: "two of them", times: map[int][]uint64{0: repeat(500, 520, 1000), 2: repeat(500, 520, 1020)},
			want: "percentiles of 2 markers are known only roughly, as " + two + "; at worst: the p50 of b.inner is"},
		{name: "two times that don't matter", times: map[int][]uint64{0: repeat(10, 5_000_000), 2: repeat(100, 520, 1020)}},
		{name: "two times, no self times", times: map[int][]uint64{0: repeat(500, 520, 1020)}, flags: layout.FlagNoSelf, want: two},
	} {
		p := profiletest.Load(t, profiletest.Run{Span: 1_000_000, Flags: tt.flags, Tables: []profiletest.Table{{Text: profiletest.TracedText, Times: tt.times}}}.File())
		got := p.Cautions()
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
			t.Errorf("%s: %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// A caution about pauses is given if scopes may have been open around them.
func TestPausedCaution(t *testing.T) {
	change := func(ms uint64, from, to string) profile.Change {
		return profile.Change{AtNS: ms * 1_000_000, From: from, To: to, Cause: "event"}
	}
	timed := func(ms ...uint64) (list []profile.Marker) {
		for _, ms := range ms {
			list = append(list, profile.Marker{Count: 1, MaxNS: ms * 1_000_000, SelfNS: ms * 1_000_000, Buckets: []profile.Bucket{{K: 20, Count: 1, SumNS: ms * 1_000_000}}})
		}
		return list
	}
	changes := []profile.Change{
		change(0, "configured", "profiling"), change(10, "profiling", "paused"), change(30, "paused", "profiling"),
		change(50, "profiling", "paused"), change(150, "paused", "profiling"), change(200, "profiling", "stopped"),
	}
	for _, tt := range []struct {
		name    string
		p       profile.Profile
		markers []profile.Marker
		want    string
	}{
		{"a scope longer than a pause", profile.Profile{Changes: changes}, timed(1, 25),
			"the run was paused 2 times, for 120ms in all: what scopes took that were not recorded then counts as self time of those that were open around them"},
		{"none", profile.Profile{Changes: changes}, timed(1, 2), ""},
		{"little of the time", profile.Profile{Changes: changes, ElapsedNS: 20_000_000_000}, timed(1, 25), ""},
		{"one marker", profile.Profile{Changes: changes}, timed(25), ""},
		{"no self times", profile.Profile{Changes: changes, NoSelf: true}, timed(1, 25), ""},
		{"to the end", profile.Profile{Changes: append(changes[:2:2], change(40, "paused", "stopped"))}, timed(1, 25), ""},
		{"no pause", profile.Profile{}, timed(1, 25), ""},
	} {
		tt.p.Markers = tt.markers
		if got := strings.Join(tt.p.Cautions(), "\n"); got != tt.want {
			t.Errorf("%s: %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// A caution is given for loops excluded from a function that is on, not for those excluded together
// with their function, or for branches.
func TestLeftOut(t *testing.T) {
	p := &profile.Profile{Markers: []profile.Marker{
		{Name: "a.f", Kind: "func", Count: 1},
		{Name: "a.f:for#1", Kind: "loop", Off: "choice"},
		{Name: "a.f:if#1.then:for#1", Kind: "loop", Off: "choice"},
		{Name: "a.f:func#1", Kind: "func", Off: "choice"},
		{Name: "a.f:func#1:for#1", Kind: "loop", Off: "choice"},
		{Name: "a.g", Kind: "func", Off: "choice"},
		{Name: "a.g:for#1", Kind: "loop", Off: "choice"},
		{Name: "a.h", Kind: "func", Count: 1},
		{Name: "a.h:if#1.then", Kind: "branch", Off: "choice"},
		{Name: "a.i", Kind: "func"},
		{Name: "a.i:for#1", Kind: "loop", Off: "choice"},
	}}
	got := p.Cautions()
	if len(got) != 1 || !strings.HasPrefix(got[0], "2 loops left out of functions that are on, as of a.f:") || strings.Contains(got[0], "estimates") {
		t.Errorf("%q", got)
	}
	p.Markers[0].Sample = 20
	if got := p.Cautions(); !slices.ContainsFunc(got, func(text string) bool { return strings.Contains(text, "estimates of how often") }) {
		t.Errorf("sampled: %q", got)
	}
}
