package profile_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
)

// The cost of markers is 27.2 ns for each recorded scope and 4.1 ns for each counted call; costs
// add up.
func TestCost(t *testing.T) {
	times := map[int][]uint64{0: slices.Repeat([]uint64{100}, 1_000_000)}
	run := profiletest.Run{Used: 150e6, Tables: []profiletest.Table{{Text: profiletest.TracedText, Times: times}}}
	p := profiletest.Load(t, run.File())
	if want := (profile.Cost{Runs: 1, CPUNS: 150e6, MarkersNS: 27_200_000}); p.Cost == nil || *p.Cost != want {
		t.Fatalf("%+v, want %+v", p.Cost, want)
	}
	const much = "markers cost about 18 % of the processor time, most of that at b.outer: "
	if !strings.HasPrefix(p.Costly(), much) || len(p.Cautions()) == 0 || p.Cautions()[0] != p.Costly() {
		t.Errorf("%q, first of %q; want %s…", p.Costly(), p.Cautions(), much)
	}
	p.Paths = &profile.Paths{}
	if text := p.Costly(); !strings.HasPrefix(text[strings.Index(text, "; "):], "; leave out paths, with which no scope is only counted, ") {
		t.Errorf("with paths: %s", text)
	}
	p.Paths = nil

	run.Used = 0 // killed, or on a system that does not report processor time
	unknown := profiletest.Load(t, run.File())
	if unknown.Cost != nil || unknown.Costly() != "" {
		t.Errorf("%+v, %q, want nothing", unknown.Cost, unknown.Costly())
	}
	sum := profile.Merge([]*profile.Profile{p, p, unknown})
	if want := (profile.Cost{Runs: 2, CPUNS: 300e6, MarkersNS: 54_400_000}); sum.Runs != 3 || *sum.Cost != want {
		t.Errorf("%d runs, %+v, want 3, %+v", sum.Runs, sum.Cost, want)
	}
	name := filepath.Join(t.TempDir(), "sum")
	if err := codec.Write(name, sum); err != nil {
		t.Fatal(err)
	}
	if kept, err := runfile.Read(name); err != nil || *kept.Cost != *sum.Cost {
		t.Errorf("kept in a file it is %+v, %v, want %+v", kept.Cost, err, sum.Cost)
	}
	if diff, _ := profile.Sub(sum, p); *diff.Cost != *p.Cost {
		t.Errorf("%+v less %+v is %+v", sum.Cost, p.Cost, diff.Cost)
	}

	for _, tt := range []struct {
		name string
		cpu  uint64
	}{
		{"little of the time", 300e6},
		{"a run too short to tell", 29e6},
	} {
		run.Used = tt.cpu
		if p := profiletest.Load(t, run.File()); p.Costly() != "" {
			t.Errorf("%s: %s", tt.name, p.Costly())
		}
	}
}

// The cost of a profile is that of its markers: of those timed, and of those that were only counted.
func TestCosts(t *testing.T) {
	p := &profile.Profile{Clock: profile.Clock{WholeNS: 30}, Cost: &profile.Cost{Runs: 1, CPUNS: 1e9, MarkersNS: 30*1000 + 2*9000}, Markers: []profile.Marker{
		{Name: "counted", Count: 8000},
		{Name: "never"},
		{Name: "timed", Count: 900, Buckets: []profile.Bucket{{K: 6, Count: 900, SumNS: 90_000}}},
		{Name: "demoted", Count: 1100, Off: profile.Demoted, Samples: 100, Buckets: []profile.Bucket{{K: 6, Count: 1100, SumNS: 110_000}}},
	}}
	list, each := p.Costs()
	var got []string
	for _, c := range list {
		got = append(got, fmt.Sprintf("%s %d %d %.0f", c.Name, c.Timed, c.Counted, c.NS))
	}
	if want := []string{"timed 900 0 27000", "counted 0 8000 16000", "demoted 100 1000 5000"}; each != 2 || !slices.Equal(got, want) {
		t.Errorf("%.1f ns each, %q; want 2, %q", each, got, want)
	}
	p.Cost = nil
	if list, _ := p.Costs(); list != nil {
		t.Errorf("%v of a run that was killed", list)
	}
}
