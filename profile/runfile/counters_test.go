package runfile_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
)

// A counter that is a sum of others has their sum, at any depth. A line that names counters before
// it can't be parsed, and missing counters add nothing.
func TestBlockSums(t *testing.T) {
	block := func(line, sum string) string {
		return "b\t0\t" + line + "\t1\t" + line + "\t9\t1" + sum + "\n"
	}
	text := "p\ta\nf\ta.go\n" + block("1", "\t1+2") + block("2", "") + block("3", "\t3+4") + block("4", "") + block("5", "") +
		block("6", "\t4+6") + block("7", "\t7") + block("8", "\t1000") + block("9", "\t") + block("10", "\t-1") + block("11", "\tx+12") + block("12", "\t1\t2")
	run := profiletest.Run{Tables: []profiletest.Table{{Text: text, Counters: []uint64{0, 20, 0, 300, 4000, 7, 8, 9, 1, 1, 1, 1}}}}
	file := run.File()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]uint64{}
	for _, b := range p.Blocks {
		got[b.StartLine] = b.Count
	}
	// Line 6 names a counter before it.
	want := map[int]uint64{1: 4320, 2: 20, 3: 4300, 4: 300, 5: 4000, 7: 17, 8: 9}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts by line (-want +got):\n%s", diff)
	}
	if n := strings.Count(strings.Join(p.Warnings, "\n"), "can't be read"); n != 5 {
		t.Errorf("%d lines can't be read, want 5: %q", n, p.Warnings)
	}
}

// Counters excluded by only= and skip= are off, independently of others in their table.
func TestCountersOff(t *testing.T) {
	text := "p\ta\nf\ta.go\n"
	var counters []uint64
	for i := range 70 {
		text += fmt.Sprintf("c\t%016x\tfunc\t0\t%d\t1\ta.F%d\n", i+1, i+1, i)
		counters = append(counters, uint64(i%2))
	}
	run := profiletest.Run{Tables: []profiletest.Table{{Text: text, Counters: counters, Off: []uint64{1 << 2, 1<<0 | 1<<5}}}}
	file := run.File()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range p.Markers {
		if m.Off != "" {
			got = append(got, m.Name+" "+m.Off)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a.F2 choice", "a.F64 choice", "a.F69 choice"}, got); diff != "" || len(p.Markers) != 70 || len(p.Warnings) > 0 {
		t.Errorf("%d markers, %q; off (-want +got):\n%s", len(p.Markers), p.Warnings, diff)
	}
}

// The table marks markers, timed or counted, whose correspondence to a compared version is a guess.
// A profile file keeps the mark, and a sum of runs has it if one of them has.
func TestGuesses(t *testing.T) {
	line := func(kind string, id int, rest string) string {
		return fmt.Sprintf("%s\t%016x\tfunc\t0\t%d\t1%s\ta.F%d\n", kind, id, id, rest, id)
	}
	lines := line("m", 1, "\t-\t-\t-\t1") + line("m", 2, "\t-\t-\t-\t1") + line("c", 3, "") + line("c", 4, "")
	read := func(guesses string) *profile.Profile {
		run := profiletest.Run{Tables: []profiletest.Table{{Text: "p\ta\nf\ta.go\n" + lines + guesses, Counters: []uint64{5, 6}}}}
		file := run.File()
		p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
		if err != nil || len(p.Warnings) > 0 {
			t.Fatal(err, p.Warnings)
		}
		return p
	}
	none, some := read(""), read("g\t0000000000000002\ng\t0000000000000003\ng\t0000000000000009\ng\t\n")
	for _, tt := range []struct {
		what string
		p    *profile.Profile
		want string
	}{
		{"without", none, ""},
		{"with", some, "a.F2 a.F3"},
		{"kept", profiletest.Encoded(t, some), "a.F2 a.F3"},
		{"merged", profile.Merge([]*profile.Profile{some, none}), "a.F2 a.F3"},
	} {
		var names []string
		for _, m := range tt.p.Markers {
			if m.Guess {
				names = append(names, m.Name)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != tt.want || len(tt.p.Markers) != 4 {
			t.Errorf("%s: guesses %q of %d markers, want %q", tt.what, got, len(tt.p.Markers), tt.want)
		}
	}
}
