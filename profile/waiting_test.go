package profile_test

import (
	"testing"

	"github.com/markgen/markgen/profile"
)

// Goroutines ran for a quarter of the self time of the scopes read, so the same is assumed for all.
func TestRunningAndWaiting(t *testing.T) {
	values := func(ran, slept uint64) []profile.Value {
		return []profile.Value{{Name: "run_ns", Sum: 900, Self: ran}, {Name: "sleep_ns", Sum: 900, Self: slept}}
	}
	other := profile.Reading{Collector: "io", Values: []profile.Value{{Name: "run_ns", Self: 7}}}
	for _, test := range []struct {
		what             string
		readings         []profile.Reading
		running, waiting uint64
	}{
		{"no reading", nil, 1000, 0},
		{"another collector", []profile.Reading{other}, 1000, 0},
		{"a quarter", []profile.Reading{other, {Collector: profile.Wait, Scopes: 1, Values: values(50, 150)}}, 250, 750},
		{"only waiting", []profile.Reading{{Collector: profile.Wait, Scopes: 1, Values: values(0, 150)}}, 0, 1000},
		{"nothing in what was read", []profile.Reading{{Collector: profile.Wait, Values: values(0, 0)}}, 1000, 0},
	} {
		p := profile.Profile{Markers: []profile.Marker{{Count: 5, SelfNS: 1000, Readings: test.readings}}}
		m := &p.Markers[0]
		if m.RunningNS() != test.running || m.WaitingNS() != test.waiting {
			t.Errorf("%s: %d ns running, %d waiting; want %d and %d", test.what, m.RunningNS(), m.WaitingNS(), test.running, test.waiting)
		}
		if got, want := p.KnowsWaiting(), m.Reading(profile.Wait) != nil; got != want {
			t.Errorf("%s: it is known: %t", test.what, got)
		}
	}
}
