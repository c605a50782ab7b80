package profile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
)

// The sum does not depend on order or on earlier merges.
func TestMergeOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var runs, kept []*profile.Profile
		for range 2 + rnd.IntN(4) {
			file := profiletest.RandomRun(rnd).File()
			runs, kept = append(runs, profiletest.Load(t, file)), append(kept, profiletest.Load(t, file))
		}
		want := profile.Merge(runs)
		profiletest.Check(t, want)

		shuffled := slices.Clone(runs)
		rnd.Shuffle(len(runs), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if diff := cmp.Diff(want, profile.Merge(shuffled)); diff != "" {
			t.Fatalf("in another order (-want +got)\n%s", diff)
		}
		cut := 1 + rnd.IntN(len(runs)-1)
		parts := []*profile.Profile{profile.Merge(shuffled[:cut]), nil, profile.Merge(shuffled[cut:])}
		if diff := cmp.Diff(want, profile.Merge(parts)); diff != "" {
			t.Fatalf("in parts (-want +got)\n%s", diff)
		}
		for i, p := range runs {
			if diff := cmp.Diff(kept[i], p); diff != "" {
				t.Fatalf("Merge changed what it was given (-before +after)\n%s", diff)
			}
		}
	}
}

// The sum of runs equals one run with all calls.
func TestMergeIsOneRun(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	const text = "p\tm\nf\tf.go\nm\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tm.F\n"
	var all []uint64
	var runs []*profile.Profile
	passed := uint64(0) // runs with calls
	for range 20 {
		var times []uint64
		for range rnd.IntN(50) {
			times = append(times, rnd.Uint64()>>(16+rnd.IntN(48)))
		}
		all = append(all, times...)
		passed += uint64(min(len(times), 1))
		runs = append(runs, profiletest.Load(t, profiletest.Run{Tables: []profiletest.Table{{Text: text, Times: map[int][]uint64{0: times}}}}.File()))
	}
	one, sum := profiletest.Timed(t, all), profile.Merge(runs).Markers[0]
	one.Name, one.Package, one.ID, one.File = sum.Name, sum.Package, sum.ID, sum.File
	one.Runs = passed
	one.SelfNS = sum.SelfNS // rounded differently by the test's writer
	if diff := cmp.Diff(*one, sum, shown, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Ticks" }, cmp.Ignore())); diff != "" {
		t.Errorf("(-one run +sum)\n%s", diff)
	}
}

// A marker knows the number of runs with calls, however they were added up, and after encoding.
func TestMergeRuns(t *testing.T) {
	const text = "p\tm\nf\tf.go\nm\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tm.F\nm\t0000000000000002\tpoint\t0\t2\t1\t1\t-\t-\t1\tm.G\n"
	run := func(f, g int) *profile.Profile {
		again := profiletest.Table{Text: text, Passes: map[int]uint64{1: uint64(g)}} // a second table with the same markers
		return profiletest.Load(t, profiletest.Run{Tables: []profiletest.Table{{Text: text, Times: map[int][]uint64{0: make([]uint64, f)}, Passes: map[int]uint64{1: uint64(g)}}, again}}.File())
	}
	want := func(p *profile.Profile, f, g uint64) {
		t.Helper()
		for _, p := range []*profile.Profile{p, profiletest.Encoded(t, p)} {
			if p.Markers[0].Runs != f || p.Markers[1].Runs != g {
				t.Errorf("passed in %d and %d runs, want %d and %d", p.Markers[0].Runs, p.Markers[1].Runs, f, g)
			}
		}
	}
	one, two, none := run(3, 0), run(2, 5), run(0, 0)
	want(one, 1, 0)
	want(two, 1, 1)
	want(none, 0, 0)
	sum := profile.Merge([]*profile.Profile{one, two, none, profiletest.Encoded(t, profile.Merge([]*profile.Profile{one, two}))})
	want(sum, 4, 2)
	rest, _ := profile.Sub(run(4, 7), two) // more of the same run
	want(rest, 0, 0)
	rest, _ = profile.Sub(run(4, 7), one)
	want(rest, 0, 1)

	file, err := codec.Encode(one)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	if err := codec.List(&list, file); err != nil || strings.Count(list.String(), "uint 1 runs\n") != 1 || strings.Contains(list.String(), "uint 0 runs\n") {
		t.Errorf("that of a run says in how many it was passed: %v\n%s", err, list.String())
	}
}

// A marker has the name and place of the newest run with it.
func TestMergeNames(t *testing.T) {
	run := func(start uint64, name string) *profile.Profile {
		text := "p\tm\nf\t" + name + ".go\n"
		if name != "" {
			text += "m\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tm." + name + "\n"
		}
		return profiletest.Load(t, profiletest.Run{App: "app", PID: start, StartWall: start * 1e9, Tables: []profiletest.Table{{Text: text}}}.File())
	}
	old, renamed, without := run(100, "Old"), run(200, "New"), run(300, "")
	sum := profile.Merge([]*profile.Profile{profile.Merge([]*profile.Profile{without, old}), renamed})
	if m := sum.Markers[0]; m.Name != "m.New" || m.File != "New.go" {
		t.Errorf("%s in %s", m.Name, m.File)
	}
	if sum.Run != "3 runs" || sum.Runs != 3 || !sum.Start.Equal(time.Unix(100, 0)) || sum.App != "app" {
		t.Errorf("run %q of %q, start %v", sum.Run, sum.App, sum.Start)
	}
}

// Notes are sorted, without duplicates, and limited.
func TestMergeNotes(t *testing.T) {
	noted := func(notes ...string) *profile.Profile {
		return &profile.Profile{Runs: 1, Markers: []profile.Marker{{ID: 1, Name: "a.F", Package: "a", Kind: "func", File: "f.go", Line: 1, Col: 1, Notes: notes}}}
	}
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf("note %02d", i))
	}
	ps := []*profile.Profile{noted("b", "d"), noted(), noted("a", "d"), noted(many...)}
	p := profile.Merge(ps)
	if got, want := p.Markers[0].Notes, append([]string{"a", "b", "d"}, many[:17]...); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var sum profile.Sum
	sum.Add(ps[0])
	sum.Profile().Markers[0].Notes[0] = "changed"
	if got := sum.Profile().Markers[0].Notes; !slices.Equal(got, []string{"b", "d"}) {
		t.Errorf("a profile shares its notes with the sum: %q", got)
	}
	slices.Reverse(ps)
	if diff := cmp.Diff(p, profiletest.Encoded(t, profile.Merge([]*profile.Profile{profile.Merge(ps[:2]), profiletest.Encoded(t, profile.Merge(ps[2:]))}))); diff != "" {
		t.Errorf("in another order (-want +got)\n%s", diff)
	}
}

func TestMergeNothing(t *testing.T) {
	for _, ps := range [][]*profile.Profile{nil, {nil}} {
		if p := profile.Merge(ps); p == nil || len(p.Markers) > 0 || p.Runs != 0 {
			t.Errorf("%v", p)
		}
	}
	one := profiletest.Load(t, profiletest.Demo().File())
	if diff := cmp.Diff(one, profile.Merge([]*profile.Profile{one})); diff != "" {
		t.Errorf("of one (-it +sum)\n%s", diff)
	}
}

// Warnings are grouped by file, in file order.
func TestMergeWarnings(t *testing.T) {
	sorted := []string{"a: offset 24: x", "a: offset 9088: x", "a: offset 10000: x", "a: still running", "b: offset 8: x"}
	var ps []*profile.Profile
	for _, i := range []int{3, 4, 2, 0, 1, 0} {
		ps = append(ps, &profile.Profile{Runs: 1, Warnings: []string{sorted[i]}})
	}
	if diff := cmp.Diff(sorted, profile.Merge(ps).Warnings); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Comparing many long program names and warnings pairwise, or digit by digit from every digit on,
// would take minutes.
func TestMergeLong(t *testing.T) {
	var apps []string
	for i := range 500_000 {
		apps = append(apps, fmt.Sprintf("%x", 1_000_000-i))
	}
	long := strings.Repeat("7", 1_000_000)
	p := &profile.Profile{Runs: 2, App: strings.Join(apps, ", "), Main: "b, a, b, ", Warnings: []string{long + "b", long + "a", long}}
	sum := profile.Merge([]*profile.Profile{p, {Runs: 1, App: "0, f4240", Main: "c"}})
	slices.Sort(apps)
	if sum.App != "0, "+strings.Join(apps, ", ") || sum.Main != "a, b, c" {
		t.Errorf("%.40s…, %s", sum.App, sum.Main)
	}
	if !slices.Equal(sum.Warnings, []string{long, long + "a", long + "b"}) {
		t.Error("the warnings are not in order")
	}
}

// Sums saturate at the largest 64-bit number, in any order.
func TestMergePastTheEnd(t *testing.T) {
	huge := &profile.Profile{Runs: 1, Markers: []profile.Marker{{
		ID: 1, Count: 1 << 63, Buckets: []profile.Bucket{{K: 63, Count: 1 << 63, SumNS: 1 << 63, SumSq: profile.Uint128{Hi: 1 << 63}}},
	}}}
	m := profile.Merge([]*profile.Profile{huge, huge, huge}).Markers[0]
	if top := ^uint64(0); m.Count != top || m.TotalNS() != top || m.SumSq() != (profile.Uint128{Hi: top, Lo: top}) {
		t.Errorf("%+v", m)
	}
}
