package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// sides compares runs returned by a function, five per side.
func sides(t *testing.T, o Options, run func(label Label, number int) *profile.Profile) *Result {
	t.Helper()
	return sidesOf(t, o, 5, run)
}

func sidesOf(t *testing.T, o Options, runs int, run func(label Label, number int) *profile.Profile) *Result {
	t.Helper()
	c, err := NewComparison(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		for _, label := range []Label{Old, New} {
			p := run(label, i)
			p.Start = time.Date(2026, 3, 1, 12, 0, 2*i+int(label), 0, time.UTC)
			if err := c.Add(label, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	return c.Result()
}

// of returns a run with markers.
func of(markers ...profile.Marker) *profile.Profile {
	return &profile.Profile{App: "shop", Runs: 1, Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64", Clock: profile.Clock{Kind: "tsc", Hz: 2.7e9}, Complete: true, Markers: markers}
}

// times returns n calls of similar duration.
func times(r *rand.Rand, n int, ns float64) []uint64 {
	var list []uint64
	for range n {
		list = append(list, uint64(ns*(1+0.02*r.Float64())))
	}
	return list
}

// Markers that only one side has or called are reported separately. Names are the new ones.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	empty := func(n int) profile.Marker { return marker(n, nil) }
	got := sides(t, Options{}, func(label Label, number int) *profile.Profile {
		both := marker(0, times(r, 20, 1000))
		if label == New {
			both.Name, both.Line = "shop.renamed", 77
			return of(both, marker(1, times(r, 20, 1000)), empty(3), marker(4, times(r, 20, 500)), empty(5))
		}
		return of(both, marker(2, times(r, 20, 1000)), marker(3, times(r, 20, 500)), empty(4), empty(6))
	})
	names := func(list []Work) (names []string) {
		for _, p := range list {
			name := p.Name
			if !p.Reached {
				name += " not passed"
			}
			if want := (Range{20, 20}); p.Reached && p.Scopes != want {
				t.Errorf("%s has %v scopes", p.Name, p.Scopes)
			}
			names = append(names, name)
		}
		return names
	}
	for _, tt := range []struct {
		what string
		got  []Work
		want string
	}{
		{"appeared", got.Appeared, "shop.f001, shop.f005 not passed"},
		{"vanished", got.Vanished, "shop.f002, shop.f006 not passed"},
		{"no longer called", got.NoLongerCalled, "shop.f003"},
		{"newly called", got.NewlyCalled, "shop.f004"},
	} {
		if list := strings.Join(names(tt.got), ", "); list != tt.want {
			t.Errorf("%s: %q", tt.what, list)
		}
	}
	if len(got.Markers) != 1 || got.Markers[0].Name != "shop.renamed" || got.Markers[0].Line != 77 {
		t.Errorf("compared: %+v", got.Markers)
	}
}

// Markers whose correspondence is a guess are compared and listed last, and are not findings.
func TestGuesses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	run := func(worse float64) func(label Label, _ int) *profile.Profile {
		return func(label Label, _ int) *profile.Profile {
			guess := marker(0, times(r, 100*(1+int(label)), 1000*(1+9*float64(label))))
			if guess.Guess = label == New; !guess.Guess {
				guess.Name = "shop.before"
			}
			return of(guess, marker(1, times(r, 100, 1000*(1+worse*float64(label)))))
		}
	}
	for _, metric := range []string{"time", "count"} {
		got := sides(t, Options{Metric: metric, Threshold: 0.05}, run(0))
		if m := got.Markers[len(got.Markers)-1]; got.Worse() != 0 || got.Grown() || got.Certain() != 1 || m.Verdict != Worse || !m.Guess || m.Name != "shop.f000" || m.OldName != "shop.before" {
			t.Errorf("%s: %d worse, grown %v, certain %d: %+v", metric, got.Worse(), got.Grown(), got.Certain(), m)
		}
		if len(got.Counted) != 1 || !got.Counted[0].Guess {
			t.Errorf("counted: %+v", got.Counted)
		}
	}
	if got := sides(t, Options{Threshold: 0.05}, run(1)); got.Worse() != 1 || got.Markers[0].Name != "shop.f001" || got.Markers[0].Guess {
		t.Errorf("%d worse, first %+v", got.Worse(), got.Markers[0])
	}
	if got := sidesOf(t, Options{Threshold: 0.05}, 1, run(0)); got.Enough || got.Grown() {
		t.Errorf("one run: enough %v, grown %v", got.Enough, got.Grown())
	}

	// They do not affect the shared part, even if they are the majority.
	got := sides(t, Options{Threshold: 0.05}, func(label Label, number int) *profile.Profile {
		var markers []profile.Marker
		for i := range 80 {
			slow := 1 + 0.1*float64(number%3)
			guess := i%4 > 0
			if guess {
				slow *= 1 + 2*float64(label)
			}
			m := marker(i, times(r, 50, 1000*slow))
			m.Guess = guess
			markers = append(markers, m)
		}
		return of(markers...)
	})
	if got.Worse() != 0 || got.Better() != 0 || got.Shared == nil || got.Markers[len(got.Markers)-1].Verdict != Worse {
		t.Errorf("%d worse, %d better, shared %+v, last %+v", got.Worse(), got.Better(), got.Shared, got.Markers[len(got.Markers)-1])
	}
}

// In lists sorted by name, numbers in names are compared by value.
func TestNumbersInNames(t *testing.T) {
	named := func(number int) profile.Marker {
		m := marker(number, slices.Repeat([]uint64{1000}, 20))
		m.Name = fmt.Sprintf("shop.F:if#%d", number)
		return m
	}
	got := sides(t, Options{}, func(label Label, number int) *profile.Profile {
		if label == New {
			return of(named(11), named(10), named(2), named(1))
		}
		return of(named(10), named(2))
	})
	var names []string
	for _, m := range got.Markers {
		names = append(names, m.Name)
	}
	for _, p := range got.Appeared {
		names = append(names, p.Name)
	}
	if want := []string{"shop.F:if#2", "shop.F:if#10", "shop.F:if#1", "shop.F:if#11"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// Changes of the number of calls are reported if certain: the same number in all runs of a side,
// and different sides.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	got := sides(t, Options{}, func(label Label, number int) *profile.Profile {
		n := 10 + 20*int(label)
		twice := marker(0, times(r, n, 1000))
		varied := marker(1, times(r, n+number, 1000))
		same := marker(2, times(r, 10, 1000))
		sampled := marker(3, times(r, n, 1000))
		sampled.Sample, sampled.Samples = 10, uint64(n)
		off := marker(4, times(r, n, 1000))
		off.Off = "enough"
		point := profile.Marker{ID: 6, Name: "shop.point", Kind: "point", CountOnly: true, Count: uint64(n)}
		return of(twice, varied, same, sampled, off, point)
	})
	var counted []string
	for _, c := range got.Counted {
		counted = append(counted, fmt.Sprint(c.Name, " ", c.Old, " ", c.New))
	}
	if want := []string{"shop.f000 10 30", "shop.point 10 30"}; !slices.Equal(counted, want) {
		t.Errorf("counted: %q, want %q", counted, want)
	}
	for _, m := range got.Markers {
		if m.Sampled != (m.Name == "shop.f003") {
			t.Errorf("%s: sampled %v", m.Name, m.Sampled)
		}
	}
	if all := strings.Join(got.Cautions, "\n"); !strings.Contains(all, "sampled markers: 1;") || !strings.Contains(all, "markers that were off in a part of a run: 1;") {
		t.Errorf("cautions: %s", all)
	}
}

// Each metric detects changes of what it describes.
func TestMetrics(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	run := func(label Label, _ int) *profile.Profile {
		m := marker(0, times(r, 100, 1000))
		point := profile.Marker{ID: 2, Name: "shop.point", Kind: "point", CountOnly: true, Count: 10 + uint64(r.IntN(3))}
		if label == New {
			point.Count *= 2
			m.SelfNS *= 2
		}
		m.Readings = []profile.Reading{{Collector: "io", Scopes: 100, Values: []profile.Value{{Name: "read_bytes", Sum: uint64(100 * (50 + r.IntN(3) + 25*int(label)))}}}}
		return of(m, point)
	}
	for _, tt := range []struct {
		metric string
		marker string // the marker that got worse; "" for none
		change float64
	}{
		{"time", "", 0}, {"mean", "", 0}, {"p50", "", 0}, {"p90", "", 0}, {"p99", "", 0}, {"max", "", 0}, {"total", "", 0},
		{"self", "shop.f000", 1}, {"count", "shop.point", 1}, {"io.read_bytes", "shop.f000", 0.5},
	} {
		got := sides(t, Options{Metric: tt.metric, Threshold: 0.05}, run)
		if tt.marker == "" {
			if got.Worse() != 0 || len(got.Markers) != 1 {
				t.Errorf("%s: %d of %d worse", tt.metric, got.Worse(), len(got.Markers))
			}
			continue
		}
		if m := got.Markers[0]; m.Name != tt.marker || m.Verdict != Worse || math.Abs(m.Lead().Change-tt.change) > 0.2 || m.Lead().Name != tt.metric {
			t.Errorf("%s: %+v", tt.metric, m)
		}
	}
	for _, o := range []Options{{Metric: "speed"}, {Metric: "io."}, {Alpha: 1}, {Alpha: -1}, {Alpha: math.NaN()}, {Threshold: -1}, {Threshold: math.Inf(1)}, {Threshold: math.NaN()}} {
		if _, err := NewComparison(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	c, err := NewComparison(Options{Metric: "self"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Add(Old, &profile.Profile{Run: "20260301-120000.1", NoSelf: true}); err == nil || !strings.Contains(err.Error(), "20260301-120000.1") {
		t.Errorf("self times that were not measured: %v", err)
	}
}

// A drop to zero is a change of -100 %, and a rise from zero is infinite.
func TestOfNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for label, want := range map[Label][3]float64{New: {-1, -1, float64(Better)}, Old: {math.Inf(1), math.Inf(1), float64(Worse)}} {
		got := sides(t, Options{Metric: "io.read_bytes", Threshold: 2}, func(l Label, _ int) *profile.Profile {
			m := marker(0, times(r, 100, 1000))
			sum := uint64(1000)
			if l == label {
				sum = 0
			}
			m.Readings = []profile.Reading{{Collector: "io", Scopes: 100, Values: []profile.Value{{Name: "read_bytes", Sum: sum}}}}
			return of(m)
		})
		lead := got.Markers[0].Lead()
		bound := lead.Lo
		if label == Old {
			bound = lead.Hi
		}
		if found := [3]float64{lead.Change, bound, float64(got.Markers[0].Verdict)}; found != want {
			t.Errorf("change, its bound and the verdict are %v, want %v: %+v", found, want, lead)
		}
	}
}

// With too few runs, changes are shown but nothing is concluded.
func TestTooFew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	run := func(label Label, _ int) *profile.Profile {
		return of(marker(0, times(r, 100, 1000)), marker(1, times(r, 100, 1000*(1+float64(label)))))
	}
	for n := 1; n <= 5; n++ {
		got := sidesOf(t, Options{}, n, run)
		if got.Need != 4 || got.Enough != (n >= 4) {
			t.Errorf("%d runs are enough: %v; it takes %d", n, got.Enough, got.Need)
		}
		m := got.Markers[0]
		switch {
		case n < 4 && (m.Verdict != Unknown || !math.IsNaN(m.Lead().Adjusted) || got.Worse() != 0 || m.ID != 2 || math.Abs(m.Lead().Change-1) > 0.1):
			t.Errorf("%d runs: %+v", n, m)
		case n >= 4 && m.Verdict != Worse:
			t.Errorf("%d runs: %+v", n, m)
		}
	}
	if got := (&Comparison{metric: metrics[0], options: Options{Alpha: 0.05}, markers: map[registry.ID]*series{}}).Result(); got.Enough || len(got.Markers) != 0 {
		t.Errorf("of no runs: %+v", got)
	}
}

// Differences between the sides other than the code are reported.
func TestCautions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, tt := range []struct {
		want string
		run  func(label Label, p *profile.Profile)
	}{
		{"Go version or system differ: old go1.26.8 linux/amd64, new go1.27 linux/amd64", func(label Label, p *profile.Profile) {
			if label == New {
				p.Go = "go1.27"
			}
		}},
		{"clocks differ: old tsc, new mono", func(label Label, p *profile.Profile) {
			if label == New {
				p.Clock.Kind = "mono"
			}
		}},
		{"these are two machines", func(label Label, p *profile.Profile) { p.Clock.Hz += float64(label) * 1e9 }},
		{"some files are sums", func(label Label, p *profile.Profile) { p.Runs += r.IntN(2) }},
		{"shop.1: process 1 was killed", func(label Label, p *profile.Profile) {
			p.Warnings = []string{"shop.1: process 1 was killed"}
		}},
		{"10 of the runs were traced and not timed", func(label Label, p *profile.Profile) { p.Untimed = true }},
	} {
		got := sides(t, Options{}, func(label Label, _ int) *profile.Profile {
			p := of(marker(0, times(r, 10, 100)))
			tt.run(label, p)
			return p
		})
		if n := strings.Count(strings.Join(got.Cautions, "\n"), tt.want); n < 1 || n > 2 {
			t.Errorf("%q is %d times in %q", tt.want, n, got.Cautions)
		}
	}
	c, err := NewComparison(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []Label{Old, New} {
		for i := range 5 {
			p := of(marker(0, times(r, 10, 100)))
			p.Start = time.Date(2026, 3, 1+int(label), 12, i, 0, 0, time.UTC)
			if err := c.Add(label, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := c.Result().Cautions; len(got) != 1 || !strings.Contains(got[0], "make old and new runs in turn") {
		t.Errorf("runs one side after the other: %q", got)
	}
}

// A marker without calls in some runs is compared by the other runs.
func TestMissing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	got := sidesOf(t, Options{}, 8, func(label Label, number int) *profile.Profile {
		m := marker(0, times(r, 50, 1000*(1+float64(label))))
		if number%4 == 0 {
			m = marker(0, nil)
		}
		if number == 1 {
			return of(marker(1, times(r, 50, 10)))
		}
		return of(m, marker(1, times(r, 50, 10)))
	})
	m := found(t, got, 0)
	if f := m.Lead(); m.Verdict != Worse || f.Old.Runs != 5 || f.New.Runs != 5 || math.Abs(f.Change-1) > 0.1 {
		t.Errorf("%v: %+v", m.Verdict, f)
	}
}

// Differences below the resolution of whole ns are not findings.
func TestResolution(t *testing.T) {
	for _, tt := range []struct {
		old, fresh uint64
		verdict    Verdict
	}{{0, 0, Unchanged}, {0, 1, Worse}, {2, 3, Worse}, {3, 3, Unchanged}, {3, 2, Better}} {
		got := sides(t, Options{Metric: "p50"}, func(label Label, _ int) *profile.Profile {
			ns := []uint64{tt.old, tt.fresh}[label]
			return of(marker(0, []uint64{ns, ns, ns}), marker(1, []uint64{5, 5}))
		})
		for _, m := range got.Markers {
			if m.ID == 1 && m.Verdict != tt.verdict {
				t.Errorf("from %d to %d ns: %+v", tt.old, tt.fresh, m)
			}
		}
	}
}
