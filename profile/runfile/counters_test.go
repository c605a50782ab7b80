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
