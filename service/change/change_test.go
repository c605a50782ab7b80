package change_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/change"
)

// times returns a marker with random times, of a run each, of a mean and a relative standard deviation.
func times(r *rand.Rand, id registry.ID, name string, n int, mean, deviation float64) profile.Marker {
	m := profile.Marker{ID: id, Name: name, Kind: "func", Runs: uint64(n), Count: uint64(n)}
	byK := map[uint8]*profile.Bucket{}
	for range n {
		ns := uint64(max(1, mean*math.Exp(deviation*r.NormFloat64()-deviation*deviation/2)))
		k := uint8(math.Floor(math.Log2(float64(ns))))
		b := byK[k]
		if b == nil {
			b = &profile.Bucket{K: k}
			byK[k] = b
		}
		b.Count++
		b.SumNS += ns
		b.SumSq = b.SumSq.Add(profile.Square(ns))
		if m.MinNS == 0 || ns < m.MinNS {
			m.MinNS = ns
		}
		m.MaxNS = max(m.MaxNS, ns)
	}
	for k := range uint8(64) {
		if b := byK[k]; b != nil {
			m.Buckets = append(m.Buckets, *b)
		}
	}
	return m
}

// Changes are found, unchanged APIs are not reported, and too few times are called so.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	old, new := &profile.Profile{Runs: 40}, &profile.Profile{Runs: 50}
	add := func(p *profile.Profile, m profile.Marker) { p.Markers = append(p.Markers, m) }
	add(old, times(r, 1, "slower", 5000, 1000, 0.5))
	add(new, times(r, 1, "slower", 5000, 1200, 0.5))
	add(old, times(r, 2, "faster", 5000, 1200, 0.5))
	add(new, times(r, 2, "faster", 4000, 1000, 0.5))
	add(old, times(r, 3, "same", 5000, 1000, 0.5))
	add(new, times(r, 3, "same", 5000, 1000, 0.5))
	add(old, times(r, 4, "below the threshold", 50000, 1000, 0.1))
	add(new, times(r, 4, "below the threshold", 50000, 1020, 0.1))
	add(old, times(r, 5, "rare", 29, 1000, 0.5))
	add(new, times(r, 5, "rare", 5000, 9000, 0.5))
	add(old, times(r, 6, "gone", 5, 1000, 0.5))
	add(new, times(r, 7, "new", 5, 1000, 0.5))
	add(old, profile.Marker{ID: 8, Name: "counted", Count: 7})
	add(new, profile.Marker{ID: 8, Name: "counted", Count: 9})
	add(old, profile.Marker{ID: 9, Name: "never reached"})
	add(new, times(r, 9, "never reached", 5, 1000, 0.5))
	add(old, times(r, 10, "below the clock", 1000, 0, 0))
	add(new, times(r, 10, "below the clock", 1000, 0, 0))
	got, err := change.Compare(old, new, change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]change.Verdict{"slower": change.Slower, "faster": change.Faster, "same": change.Unchanged,
		"below the threshold": change.Unchanged, "rare": change.TooFew, "below the clock": change.Unchanged}
	for i, a := range got.APIs {
		if a.Verdict != want[a.Name] {
			t.Errorf("%s: %s", a.Name, a.Verdict)
		}
		delete(want, a.Name)
		if a.Verdict == change.TooFew != math.IsNaN(a.P) || !math.IsNaN(a.P) && (a.Adjusted < a.P || a.Lo > a.Change || a.Hi < a.Change) {
			t.Errorf("%+v", a)
		}
		if i == 0 && a.Name != "slower" || i == 1 && a.Name != "faster" {
			t.Errorf("%s in place %d", a.Name, i)
		}
	}
	if len(want) > 0 || got.Slower != 1 || got.Faster != 1 || got.Tests != 5 || got.CountOnly != 1 || len(got.OnlyOld) != 1 || len(got.OnlyNew) != 2 {
		t.Errorf("%v %+v", want, got)
	}
	got, err = change.Compare(old, new, change.Options{Threshold: -1})
	if err != nil || got.Slower != 2 {
		t.Errorf("any change: %d slower, %v", got.Slower, err)
	}
	for _, o := range []change.Options{{Alpha: 1}, {Alpha: -1}, {Alpha: math.NaN()}, {Threshold: math.NaN()}} {
		if _, err := change.Compare(old, new, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// Without changes, and with a call a run, hardly anything is reported.
func TestNoChange(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	reported, below, tests := 0, 0, 0
	const rounds = 100
	for range rounds {
		old, new := &profile.Profile{}, &profile.Profile{}
		for id := range registry.ID(20) {
			old.Markers = append(old.Markers, times(r, id+1, "f", 200, 5000, 0.4))
			new.Markers = append(new.Markers, times(r, id+1, "f", 150, 5000, 0.4))
		}
		got, err := change.Compare(old, new, change.Options{Threshold: -1})
		if err != nil {
			t.Fatal(err)
		}
		if got.Slower+got.Faster > 0 {
			reported++
		}
		for _, a := range got.APIs {
			tests++
			if a.P < 0.05 {
				below++
			}
		}
	}
	if reported > rounds*5/100+5 {
		t.Errorf("a change is reported in %d of %d comparisons", reported, rounds)
	}
	if share := float64(below) / float64(tests); share < 0.03 || share > 0.07 {
		t.Errorf("%.3f of the p-values are below 0.05", share)
	}
}

// Without changes, hardly anything is reported either if all calls of a run are slow or quick together,
// as on a busy machine. If each call counted as independent, something would be in almost every
// comparison.
func TestNoChangeOnBusyMachines(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	build := func() *profile.Profile {
		runs := make([]*profile.Profile, 40)
		for i := range runs {
			runs[i] = &profile.Profile{Runs: 1}
			slow := math.Exp(0.3 * r.NormFloat64())
			for id := range registry.ID(5) {
				m := times(r, id+1, "f", 100, 5000*slow, 0.4)
				m.Runs = 1
				runs[i].Markers = append(runs[i].Markers, m)
			}
		}
		return profile.Merge(runs)
	}
	reported := 0
	const rounds = 50
	for range rounds {
		got, err := change.Compare(build(), build(), change.Options{})
		if err != nil || got.Tests != 5 {
			t.Fatal(got, err)
		}
		if got.Slower+got.Faster > 0 {
			reported++
		}
	}
	if reported > 4 {
		t.Errorf("a change is reported in %d of %d comparisons", reported, rounds)
	}
}

// Other differences between the sides are reported.
func TestCautions(t *testing.T) {
	origin := func(goVersion, cpu string) fleet.OriginSum {
		return fleet.OriginSum{Origin: fleet.Origin{Go: goVersion, GOOS: "linux", GOARCH: "amd64", CPU: cpu}}
	}
	old, new := []fleet.OriginSum{origin("go1.26", "a"), origin("go1.26", "b")}, []fleet.OriginSum{origin("go1.27", "b"), origin("go1.27", "a")}
	differ := change.Machines(old, new)
	if len(differ) != 1 || differ[0] != "Go version" {
		t.Errorf("%q", differ)
	}
	few := change.Result{OldRuns: 100, NewRuns: 3, Sampled: 2}
	if list := few.Cautions(differ); len(list) != 3 {
		t.Errorf("%q", list)
	}
	many := change.Result{OldRuns: 100, NewRuns: 100}
	if list := many.Cautions(nil); len(list) != 0 {
		t.Errorf("%q", list)
	}
}
