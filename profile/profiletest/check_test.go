package profiletest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
)

// A recorder records the errors that a check reports.
type recorder struct {
	testing.TB
	said []string
}

type stopped struct{}

func (r *recorder) Helper()                      {}
func (r *recorder) Errorf(form string, a ...any) { r.said = append(r.said, fmt.Sprintf(form, a...)) }
func (r *recorder) Fatalf(form string, a ...any) { r.Errorf(form, a...); panic(stopped{}) }
func (r *recorder) Fatal(a ...any)               { r.Fatalf("%s", fmt.Sprint(a...)) }

// reported returns the errors that a check reports, one per line.
func reported(t *testing.T, check func(testing.TB)) string {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != (stopped{}) {
				panic(v)
			}
		}()
		check(r)
	}()
	return strings.Join(r.said, "\n")
}

// The checks detect inconsistent profiles.
func TestChecks(t *testing.T) {
	good := func() *profile.Profile {
		return &profile.Profile{Markers: []profile.Marker{*Timed(t, []uint64{3, 5, 100})}}
	}
	spoilt := func(spoil func(p *profile.Profile, m *profile.Marker)) *profile.Profile {
		p := good()
		spoil(p, &p.Markers[0])
		return p
	}
	if said := reported(t, func(t testing.TB) { Check(t, good()); CheckAny(t, good()); Named(t, good(), "p.F") }); said != "" {
		t.Errorf("of a good profile: %s", said)
	}
	for _, tt := range []struct {
		about, want string
		check       func(testing.TB)
	}{
		{"no file", "", func(t testing.TB) { Load(t, []byte("no data")) }},
		{"no marker of the name", `no marker "p.G"`, func(t testing.TB) { Named(t, good(), "p.G") }},
		{"no such block", "no such block", func(t testing.TB) { BlockAt(t, Run{}.File(), 1<<20, 0) }},
		{"a name of two lines", "", func(t testing.TB) {
			Encoded(t, spoilt(func(p *profile.Profile, m *profile.Marker) { m.Name = "p.F\nG" }))
		}},
		{"a marker twice", `markers "p.F", "p.F"`, func(t testing.TB) {
			Check(t, spoilt(func(p *profile.Profile, m *profile.Marker) { p.Markers = append(p.Markers, *m) }))
		}},
		{"buckets in no order", "p.F: buckets", func(t testing.TB) {
			Check(t, spoilt(func(p *profile.Profile, m *profile.Marker) { m.Buckets[0], m.Buckets[1] = m.Buckets[1], m.Buckets[0] }))
		}},
		{"a bucket with another's sum", "has the mean", func(t testing.TB) {
			Check(t, spoilt(func(p *profile.Profile, m *profile.Marker) { m.Buckets[0].SumNS = 1000 }))
		}},
		{"a count below that of the buckets", "p.F: count 0", func(t testing.TB) {
			Check(t, spoilt(func(p *profile.Profile, m *profile.Marker) { m.Count = 0 }))
		}},
		{"a minimum above the mean", "p.F: min 1000", func(t testing.TB) {
			Check(t, spoilt(func(p *profile.Profile, m *profile.Marker) { m.MinNS = 1000 }))
		}},
		{"no name", "marker &{", func(t testing.TB) {
			CheckAny(t, spoilt(func(p *profile.Profile, m *profile.Marker) { m.Name = "" }))
		}},
		{"an empty bucket", "p.F: bucket", func(t testing.TB) {
			CheckAny(t, spoilt(func(p *profile.Profile, m *profile.Marker) { m.Buckets[0].Count = 0 }))
		}},
	} {
		if said := reported(t, tt.check); said == "" || !strings.Contains(said, tt.want) {
			t.Errorf("%s: %q is reported, want %q", tt.about, said, tt.want)
		}
	}
}
