package profile_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
)

// The most expensive markers are left out until the others fit.
func TestBudget(t *testing.T) {
	marker := func(name, kind string, n uint64) profile.Marker {
		return profile.Marker{Name: name, Kind: kind, Count: n, Buckets: []profile.Bucket{{K: 6, Count: n, SumNS: 100 * n}}}
	}
	// A scope takes 10 ns, the program itself 1 s.
	p := &profile.Profile{Clock: profile.Clock{WholeNS: 10}, Cost: &profile.Cost{Runs: 1, CPUNS: 1e9 + 121e6, MarkersNS: 121e6}, Markers: []profile.Marker{
		marker("rare", "func", 100_000),     // 0.1 %
		marker("often", "loop", 4_000_000),  // 4 %
		marker("mine", "region", 3_000_000), // 3 %
		marker("hot", "func", 5_000_000),    // 5 %
		marker("never", "func", 0),
		marker("hot:if#1.then", "branch", 0), // goes with its function
		marker("hot:region", "region", 0),    // stays
		marker("hot:func#1", "func", 0),      // is another function
		marker("hot:func#1:for#1", "loop", 0),
		marker("hotter", "func", 0),
	}}
	for _, tt := range []struct {
		share, forecast float64
		left            string
	}{
		{0.2, 0.121, ""},
		{0.1, 0.071, "hot hot:if#1.then "},
		{0.05, 0.031, "hot hot:if#1.then often "},
		{0.01, 0.030, "hot hot:if#1.then often rare "},
	} {
		b, err := p.Budget(tt.share)
		if err != nil {
			t.Fatal(err)
		}
		left := ""
		for _, c := range b.Left {
			left += c.Name + " "
		}
		if left != tt.left || math.Abs(b.Forecast-tt.forecast) > 1e-9 || math.Abs(b.Before-0.121) > 1e-9 {
			t.Errorf("budget %v: without %q %v, before %v; want without %q %v", tt.share, left, b.Forecast, b.Before, tt.left, tt.forecast)
		}
	}
	// A demoted marker is forecast to be timed, and one that was off for half of the run to be on: 10 %.
	short := p.Markers[3]
	short.Off, short.Samples, short.Levels = profile.Demoted, 100_000, profile.Levels{CountedNS: 5, OffNS: 5}
	demoted := *p
	demoted.Markers = []profile.Marker{short}
	demoted.Cost = &profile.Cost{Runs: 1, CPUNS: 1e9 + 1e6, MarkersNS: 1e6}
	if b, err := demoted.Budget(0.05); err != nil || math.Abs(b.Before-0.1) > 1e-9 || len(b.Left) != 1 {
		t.Errorf("demoted: %+v %v", b, err)
	}
	if share, ok := p.Overhead(); !ok || math.Abs(share-0.121) > 1e-9 {
		t.Errorf("overhead %v, %t", share, ok)
	}
	p.Cost = nil
	if _, err := p.Budget(0.01); !errors.Is(err, profile.ErrNoCost) {
		t.Errorf("without a cost: %v", err)
	}
	if _, ok := p.Overhead(); ok {
		t.Error("an overhead is known without a cost")
	}
}

// A budget that was not met is said, whether recording cost too much or the tests of markers that were off.
func TestOverBudget(t *testing.T) {
	for _, tt := range []struct {
		name    string
		markers uint64 // cost of recording, ns; the program itself takes 1 s
		off     uint64 // ms of 1,000 for which the only marker was off
		want    string // beginning of the reason, or "" for none
	}{
		{"met", 1e6, 0, ""},
		{"recording", 20e6, 0, "recording took about 2"},
		{"off", 1e6, 990, "what tests whether a marker is on that is off probably costs more; "},
	} {
		p := &profile.Profile{BudgetPPM: 10_000, Clock: profile.Clock{WholeNS: 10}, Cost: &profile.Cost{Runs: 1, CPUNS: 1e9 + tt.markers, MarkersNS: tt.markers},
			Markers: []profile.Marker{{Name: "hot", Kind: "func", Count: 500_000, Levels: profile.Levels{CountedNS: (1000 - tt.off) * 1e6, OffNS: tt.off * 1e6}}}}
		got := ""
		for _, c := range p.Cautions() {
			if strings.Contains(c, "budget") {
				got += c
			}
		}
		want := tt.want
		if want != "" {
			want = "the budget of 1% was not met: " + want
		}
		if !strings.HasPrefix(got, want) || strings.Contains(got, "(-budget 1% -from these data, or -min N), or with -dual") != (want != "") {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
