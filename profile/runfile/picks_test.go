package runfile_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/runtime/layout"
)

// declined returns a run of a process that declined to collect.
func declined(why uint64) profiletest.Run {
	return profiletest.Run{App: "wild", PID: 2, StartWall: 1763711764_000000000, Span: 1e6, Wild: &profiletest.Wild{Refused: why}}
}

// A run stands for as many runs as the inverse of the probability with which it picked a function.
// Data of other functions are dropped, and declining processes are counted by reason.
func TestWild(t *testing.T) {
	sure := profiletest.DemoWild()
	sure.Wild.Picked = [][3]uint64{{0, layout.NoLimit, 7}, {2, profiletest.Half, 1}}
	var runs []*profile.Profile
	for _, run := range []profiletest.Run{profiletest.DemoWild(), sure, declined(layout.WildLoaded), declined(layout.WildFull), declined(layout.WildFull), declined(layout.WildNoPlace)} {
		runs = append(runs, profiletest.Load(t, run.File()))
	}
	if d := runs[2]; !d.Complete || d.State != "stopped" || len(d.Warnings) > 0 || d.Clock.Kind != "" || d.Wild.Declined() != 1 {
		t.Errorf("declined: %+v", d)
	}
	sum := profile.Merge(runs)
	if diff := cmp.Diff(&profile.Wild{Runs: 2, Picked: 3, Of: 4, Loaded: 1, Full: 2, NoPlace: 1}, sum.Wild); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if sum.Clock.Kind != "tsc" || sum.Clock.WholeNS == 0 {
		t.Errorf("the clock is %+v", sum.Clock)
	}
	type figures struct{ Count, Runs, InRuns, InAll, SE float64 }
	p := 1 - math.Sqrt(0.5) // after one earlier run, a number so small is half as likely
	for name, want := range map[string]figures{
		"m.F":       {6, 2, 1/0.5 + 1, 3/0.5 + 3, 3 / 0.5 * math.Sqrt(0.5)},
		"m.F:for#1": {},
		"m.G":       {1, 1, 1 / p, 1 / p, math.Sqrt(1-p) / p},
	} {
		m := profiletest.Named(t, sum, name)
		got := figures{Count: float64(m.Count)}
		if m.Picks != nil {
			got.Runs, got.InRuns = float64(m.Picks.Runs), m.Picks.InRuns()
			got.InAll, got.SE = m.Picks.Count()
		}
		for _, x := range [][2]float64{{got.Count, want.Count}, {got.Runs, want.Runs}, {got.InRuns, want.InRuns}, {got.InAll, want.InAll}, {got.SE, want.SE}} {
			if math.Abs(x[0]-x[1]) > 0.01 {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
	}
}

// Runs that each picked some functions give an unbiased estimate of all calls.
func TestWildEstimate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	var sum profile.Sum
	passed := map[string]float64{}
	for range 2000 {
		run := profiletest.DemoWild()
		run.Wild = &profiletest.Wild{Of: 2}
		times := map[int][]uint64{0: make([]uint64, rnd.IntN(100)), 2: make([]uint64, rnd.IntN(10))}
		run.Tables[0].Times = times
		for index, name := range map[uint64]string{0: "m.F", 2: "m.G"} {
			passed[name] += float64(len(times[int(index)]))
		}
		for _, index := range []uint64{0, 2} {
			before := rnd.Uint64N(4)
			if rank := rnd.ExpFloat64() * (1 << 32) * float64(before+1); rank < 4<<32/3 {
				run.Wild.Picked = append(run.Wild.Picked, [3]uint64{index, 4 << 32 / 3, before})
			}
		}
		sum.Add(profiletest.Load(t, run.File()))
	}
	for name, want := range passed {
		if n, se := profiletest.Named(t, sum.Profile(), name).Picks.Count(); math.Abs(n-want) > 3*se || se > want/10 {
			t.Errorf("%s: %.0f scopes ± %.0f, of %.0f", name, n, se, want)
		}
	}
}

// Impossible values are reported, and recorded data are kept.
func TestWildDamage(t *testing.T) {
	for want, change := range map[string]func(b []byte){
		"3 functions picked of 2, in a block of 128 bytes; they are left out":                    func(b []byte) { b[layout.OffWildLen] = 3 },
		"a process that declined to collect for reason 9, which is none; it is left out":         func(b []byte) { b[layout.OffWildRefused] = 9 },
		"a function that was picked with a probability that can't be; all are left out":          func(b []byte) { b[layout.OffWildData+layout.WildRuns+7] = 1 },
		"18446744073709551615 functions picked of 2, in a block of 128 bytes; they are left out": func(b []byte) { binary.LittleEndian.PutUint64(b[layout.OffWildLen:], math.MaxUint64) },
	} {
		file := profiletest.DemoWild().File()
		change(file[profiletest.BlockAt(t, file, layout.BlockWild, 0):])
		p := profiletest.Load(t, file)
		if !p.Damaged || len(p.Warnings) != 1 || !strings.HasSuffix(p.Warnings[0], want) || p.Wild != nil || profiletest.Named(t, p, "m.F").Count != 3 {
			t.Errorf("%q, want %q; %+v", p.Warnings, want, p.Wild)
		}
	}
}

// Known has the number of runs in which each function was measured: runs that picked it, and runs
// that collected everything.
func TestKnown(t *testing.T) {
	plain := profiletest.DemoWild()
	plain.Wild = nil
	p := profile.Merge([]*profile.Profile{profiletest.Load(t, profiletest.DemoWild().File()), profiletest.Load(t, plain.File()), profiletest.Load(t, declined(layout.WildFull).File())})
	known, err := profile.ParseKnown([]byte("# old\r\n0000000000000007 3\n0000000000000004 conflicts 0000000000000003\n"))
	if err != nil {
		t.Fatal(err)
	}
	known.Runs = nil
	known.Measured(p)
	p.Pairs = &profile.Pairs{Runs: 1, List: []profile.Pair{{1, 1}, {1, 2}, {1, 3}}}
	known.Measured(p)
	known.Conflict(4, 3)
	const want = "0000000000000001 2\n0000000000000003 1\n0000000000000001 conflicts 0000000000000003\n0000000000000003 conflicts 0000000000000004\n"
	if got := string(known.Bytes()); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, bad := range []string{"x", "0000000000000001", "0000000000000001 -1", "0000000000000001 conflicts", "0000000000000001 conflicts 1", "0000000000000001 1 2"} {
		if _, err := profile.ParseKnown([]byte("\n" + bad + "\n")); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// FuzzKnown checks that a parsed file is the same after writing and parsing it again.
func FuzzKnown(f *testing.F) {
	f.Add([]byte("0000000000000007 3\n0000000000000003 conflicts 0000000000000001 0000000000000004\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		known, err := profile.ParseKnown(text)
		if err != nil {
			return
		}
		again, err := profile.ParseKnown(known.Bytes())
		if err != nil || string(again.Bytes()) != string(known.Bytes()) {
			t.Errorf("%s, and then %s, %v", known.Bytes(), again.Bytes(), err)
		}
	})
}
