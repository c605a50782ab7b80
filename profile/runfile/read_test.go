package runfile_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// shown compares profiles without the fields that exist only for merging.
var shown = cmp.Options{
	cmpopts.IgnoreFields(profile.Profile{}, "Newest"),
	cmpopts.IgnoreFields(profile.Marker{}, "Seen", "CountVar", "SumVar", "Unsure", "AsOf"),
	cmpopts.IgnoreFields(profile.Picks{}, "Weight", "Scopes", "ScopesVar"),
}

func demoProfile() *profile.Profile {
	square := func(times ...uint64) (sum profile.Uint128) {
		for _, ns := range times {
			sum = sum.Add(profile.Square(ns))
		}
		return sum
	}
	return &profile.Profile{
		App:       "demo",
		Run:       "20251121-075603.4711",
		Runs:      1,
		Start:     time.Date(2025, 11, 21, 7, 56, 3, 123456789, time.UTC),
		ElapsedNS: 2_410_000_000,
		Clock:     profile.Clock{Kind: "tsc", Hz: 2e9, QuantumNS: 0.95, ReadNS: 9.9, InsideNS: 10.1, WholeNS: 27.2},
		GOOS:      "linux",
		GOARCH:    "amd64",
		Go:        "go1.26.0",
		State:     "stopped",
		Complete:  true,
		Markers: []profile.Marker{
			{
				ID: 0xa2, Name: "example.com/demo.(*Parser).Expr:for#1", Package: "example.com/demo", Kind: "loop", File: "parse/lex.go", Line: 40, Col: 2, Group: "io", Sample: 1,
				Runs: 1, Count: 13, SelfNS: 13328, MinNS: 0, MaxNS: 12345, Ticks: 35532,
				Buckets: []profile.Bucket{
					{K: 0, Count: 2, SumNS: 1, SumSq: square(1)},
					{K: 2, Count: 3, SumNS: 18, SumSq: square(5, 6, 7)},
					{K: 6, Count: 3, SumNS: 310, SumSq: square(100, 120, 90)},
					{K: 7, Count: 2, SumNS: 280, SumSq: square(130, 150)},
					{K: 9, Count: 1, SumNS: 812, SumSq: square(812)},
					{K: 11, Count: 1, SumNS: 4000, SumSq: square(4000)},
					{K: 13, Count: 1, SumNS: 12345, SumSq: square(12345)},
				},
				First: profile.Firsts{MinNS: 5, MaxNS: 5, Buckets: []profile.Bucket{{K: 2, Count: 1, SumNS: 5, SumSq: square(5)}}},
			},
			{ID: 0xa4, Name: "example.com/demo.(*Parser).Expr:if#1.then", Package: "example.com/demo", Kind: "branch", File: "parse/lex.go", Line: 48, Col: 2, Sample: 8, CountOnly: true, Runs: 1, Count: 89},
			{ID: 0xa3, Name: "example.com/demo.eof reached", Package: "example.com/demo", Kind: "point", File: "parse/lex.go", Line: 44, Col: 2, Sample: 1, CountOnly: true, Runs: 1, Count: 1234567},
			{ID: 0xa6, Name: "example.com/demo.helper:block#1", Package: "example.com/demo", Kind: "block", File: "demo.go", Line: 5, Col: 3, CountOnly: true, Runs: 1, Count: 77},
			{
				ID: 0xa1, Name: "example.com/demo.main", Package: "example.com/demo", Kind: "func", File: "demo.go", Line: 12, Col: 1, Sample: 1,
				Runs: 1, Count: 1, SelfNS: 1_800_000_000, MinNS: 2_400_000_000, MaxNS: 2_400_000_000, Ticks: 4_800_000_000,
				Buckets: []profile.Bucket{{K: 31, Count: 1, SumNS: 2_400_000_000, SumSq: square(2_400_000_000)}},
			},
			{ID: 0xa5, Name: "example.com/demo.never", Package: "example.com/demo", Kind: "func", File: "parse/lex.go", Line: 60, Col: 1, Sample: 1},
		},
		Blocks: []profile.Block{
			{File: "example.com/demo/demo.go", StartLine: 7, StartCol: 2, EndLine: 9, EndCol: 3, NumStmt: 2, Count: 0},
			{File: "example.com/demo/lex.go", StartLine: 3, StartCol: 14, EndLine: 5, EndCol: 2, NumStmt: 1, Count: 3},
		},
	}
}

func TestRead(t *testing.T) {
	little := profiletest.Load(t, profiletest.Demo().File())
	if diff := cmp.Diff(demoProfile(), little, shown); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	run := profiletest.Demo()
	run.Big = true
	if diff := cmp.Diff(little, profiletest.Load(t, run.File()), shown); diff != "" {
		t.Errorf("of the other byte order (-little +big)\n%s", diff)
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demo.markgen")
	if err := os.WriteFile(path, profiletest.Demo().File(), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := runfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(demoProfile(), p, shown); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := runfile.Read(path + ".not"); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	if _, err := runfile.Read(filepath.Dir(path)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// Unusual ends of runs are reported. The warnings in the table lack the file name.
func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		name     string
		change   func(*profiletest.Run)
		state    string
		complete bool
		elapsed  uint64
		warnings []string
	}{
		{"ended", func(r *profiletest.Run) {}, "stopped", true, 2_410_000_000, nil},
		{
			"killed", func(r *profiletest.Run) { r.Killed = true }, "profiling", false, 2_410_000_000,
			[]string{"process 4711 was not seen to end: it was killed or crashed, or, marked in place, called os.Exit or has no marker in package main; scopes that were open are in no count or time"},
		},
		{
			"killed while paused", func(r *profiletest.Run) { r.Killed, r.State = true, layout.StatePaused }, "paused", false, 2_410_000_000,
			[]string{"process 4711 was not seen to end: it was killed or crashed, or, marked in place, called os.Exit or has no marker in package main; scopes that were open are in no count or time"},
		},
		{
			"killed while paused since the last scope", func(r *profiletest.Run) { r.Killed, r.State, r.Since = true, layout.StatePaused, 3_000_000_000 }, "paused", false, 3_000_000_000,
			[]string{"process 4711 was not seen to end: it was killed or crashed, or, marked in place, called os.Exit or has no marker in package main; scopes that were open are in no count or time"},
		},
		{
			"killed before any scope", func(r *profiletest.Run) { r.Killed = true; r.Tables[0].Times, r.Tables[0].Early = nil, nil }, "profiling", false, 0,
			[]string{"process 4711 was not seen to end: it was killed or crashed, or, marked in place, called os.Exit or has no marker in package main; scopes that were open are in no count or time"},
		},
		{
			"disk full", func(r *profiletest.Run) { r.Flags = layout.FlagPartial }, "stopped", false, 2_410_000_000,
			[]string{"the file could not grow; what was collected at more markers, or on more processors, later is missing"},
		},
		{
			"memory full", func(r *profiletest.Run) { r.Lost = 12 }, "stopped", true, 2_410_000_000,
			[]string{"not recorded, for lack of memory or on a thread's own stack: 12 scopes"},
		},
		{
			"ended in an init", func(r *profiletest.Run) { r.Tables[0].Unnamed = []uint64{1, 2, 3} }, "stopped", true, 2_410_000_000,
			[]string{"3 scopes of 1 marker that no table in the file names; they are left out"},
		},
		{"no markers", func(r *profiletest.Run) { r.Tables = nil }, "stopped", true, 2_410_000_000, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := profiletest.Demo()
			tt.change(&run)
			p := onDisk(t, run.File())
			if p.State != tt.state || p.Complete != tt.complete || p.ElapsedNS != tt.elapsed || p.Damaged || p.Alive {
				t.Errorf("state %q, complete %v, elapsed %d, damaged %v, alive %v", p.State, p.Complete, p.ElapsedNS, p.Damaged, p.Alive)
			}
			for i, w := range p.Warnings {
				_, p.Warnings[i], _ = strings.Cut(w, "demo.markgen: ")
			}
			if diff := cmp.Diff(tt.warnings, p.Warnings); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
		})
	}
}

// onDisk reads the file from disk, for tests that need a real file.
func onDisk(t *testing.T, file []byte) *profile.Profile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.markgen")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := runfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestClock(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(*profiletest.Run)
		want    profile.Clock
		warning string
	}{
		{"exact", func(r *profiletest.Run) {}, profile.Clock{Kind: "tsc", Hz: 2e9}, ""},
		{"refined", func(r *profiletest.Run) { r.TrueHz = 1_999_900_000 }, profile.Clock{Kind: "tsc", Hz: 1_999_900_000}, ""},
		{"too short to refine", func(r *profiletest.Run) { r.TrueHz, r.Span = 1_999_900_000, 9e6 }, profile.Clock{Kind: "tsc", Hz: 2e9}, ""},
		{"killed", func(r *profiletest.Run) { r.TrueHz, r.Killed = 1_999_900_000, true }, profile.Clock{Kind: "tsc", Hz: 2e9}, ""},
		{"ns", func(r *profiletest.Run) { r.Clock, r.Hz, r.TrueHz = layout.ClockMono, 1e9, 1e9+1 }, profile.Clock{Kind: "mono", Hz: 1e9}, ""},
		{"arm", func(r *profiletest.Run) { r.Clock, r.Hz = layout.ClockCNTVCT, 24e6 }, profile.Clock{Kind: "cntvct", Hz: 24e6}, ""},
		{
			"wrong", func(r *profiletest.Run) { r.TrueHz = 2_500_000_000 }, profile.Clock{Kind: "tsc", Hz: 2.5e9},
			"the clock ran at 2500 MHz over the whole run, and times were taken with 2000 MHz; they are off by 25 %",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := profiletest.Demo()
			tt.change(&run)
			p := profiletest.Load(t, run.File())
			got := profile.Clock{Kind: p.Clock.Kind, Hz: p.Clock.Hz}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			warned := strings.Contains(strings.Join(p.Warnings, "\n"), "the clock ran")
			if warned != (tt.warning != "") || !strings.Contains(strings.Join(p.Warnings, "\n"), tt.warning) {
				t.Errorf("warnings %q, want %q", p.Warnings, tt.warning)
			}
		})
	}
}

func TestNoSelf(t *testing.T) {
	run := profiletest.Demo()
	run.Flags = layout.FlagNoSelf
	if p := profiletest.Load(t, run.File()); !p.NoSelf {
		t.Error("NoSelf is not set")
	}
}

func TestRefused(t *testing.T) {
	file := profiletest.Demo().File()
	changed := func(offset int, b ...byte) []byte {
		f := append([]byte(nil), file...)
		copy(f[offset:], b)
		return f
	}
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "demo.markgen: offset 0: no header; the file is empty, or the run has just begun: read it again"},
		{"reserved", make([]byte, 8192), "demo.markgen: offset 0: no header; the file is empty, or the run has just begun: read it again"},
		{"text", []byte("hello, world, hello, world"), "demo.markgen: offset 0: not a data file of a marked program; give one that was written with MARKGEN set"},
		{"short", []byte("markgen\x00\x01"), "demo.markgen: offset 0: not a data file of a marked program; give one that was written with MARKGEN set"},
		{"version", changed(layout.OffVersion, 9), "demo.markgen: offset 8: data of version 9, and this markgen reads version 7; use the markgen that marked the program"},
		{"version of the other byte order", changed(layout.OffVersion, 0, 0, 0, 9), "demo.markgen: offset 8: data of version 9, and this markgen reads version 7; use the markgen that marked the program"},
		{"header size", changed(layout.OffHeaderSize, 0, 1), "demo.markgen: offset 12: a header of 256 bytes, where version 7 has 4096; the file can't be read"},
		{"cut in the header", file[:1000], "demo.markgen: offset 0: the file ends here; it was cut off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := runfile.ReadFrom(strings.NewReader(string(tt.file)), int64(len(tt.file)), "demo.markgen")
			if p != nil || err == nil || err.Error() != tt.want {
				t.Errorf("%v, %v\nwant %s", p, err, tt.want)
			}
		})
	}
}

// A killed process that records a sample lasted until its latest window began, however long no scope
// ended before: estimates extrapolate from the windows to that time.
func TestKilledInWindows(t *testing.T) {
	run := profiletest.Demo()
	run.Killed = true
	file := run.File()
	start := binary.LittleEndian.Uint64(file[layout.OffStartTick:])
	rate := binary.LittleEndian.Uint64(file[layout.OffHz:])
	binary.LittleEndian.PutUint64(file[layout.OffWindows:], 5)
	binary.LittleEndian.PutUint64(file[layout.OffWindowFrom:], start+20*rate)
	if got := onDisk(t, file).ElapsedNS; got != 20e9 {
		t.Errorf("elapsed %d ns, want 20 s", got)
	}
}
