package profile_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
)

// demoText is a table with every kind of record.
const demoText = "p\texample.com/demo [example.com/demo.test]\n" +
	"f\tdemo.go\n" +
	"f\tparse/lex.go\n" +
	"m\t00000000000000a1\tfunc\t0\t12\t1\t0\t-\t-\t1\texample.com/demo.main\n" +
	"m\t00000000000000a2\tloop\t1\t40\t2\t1\tz\tio\t1\texample.com/demo.(*Parser).Expr:for#1\n" +
	"m\t00000000000000a3\tpoint\t1\t44\t2\t1\t-\t-\t1\texample.com/demo.eof reached\n" +
	"m\t00000000000000a4\tbranch\t1\t48\t2\t1\tc\t-\t8\texample.com/demo.(*Parser).Expr:if#1.then\n" +
	"m\t00000000000000a5\tfunc\t1\t60\t1\t4\t\t-\t1\texample.com/demo.never\n" +
	"c\t00000000000000a6\tblock\t0\t5\t3\texample.com/demo.helper:block#1\n" +
	"b\t1\t3\t14\t5\t2\t1\n" +
	"b\t0\t7\t2\t9\t3\t2\n" +
	"x\tof a kind to come\n"

// demo is a run with all that a data file can hold.
func demo() profiletest.Run {
	return profiletest.Run{
		App:       "demo",
		PID:       4711,
		StartWall: 1763711763123456789, // 2025-11-21 07:56:03
		Span:      2_410_000_000,
		Tables: []profiletest.Table{{
			Text:     demoText,
			Times:    map[int][]uint64{0: {2_400_000_000}, 1: {100, 120, 130, 150, 90, 4000, 812, 0, 1, 12345}},
			Passes:   map[int]uint64{2: 1234567, 3: 89},
			Early:    map[int][]uint64{1: {5, 6, 7}},
			Counters: []uint64{77, 3, 0},
		}},
	}
}

// read reads a file from memory; a header that can't be read ends the test.
func read(t testing.TB, file []byte) *profile.Profile {
	t.Helper()
	p, err := profile.Read(bytes.NewReader(file), int64(len(file)), "demo.markgen")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// named returns the marker of that name.
func named(t testing.TB, p *profile.Profile, name string) *profile.Marker {
	t.Helper()
	for i := range p.Markers {
		if p.Markers[i].Name == name {
			return &p.Markers[i]
		}
	}
	t.Fatalf("no marker %q", name)
	return nil
}

// timed makes a marker as it is after passages of these times.
func timed(t testing.TB, times []uint64) *profile.Marker {
	t.Helper()
	const text = "p\tp\nf\tf.go\nm\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tp.F\n"
	p := read(t, profiletest.Run{Tables: []profiletest.Table{{Text: text, Times: map[int][]uint64{0: times}}}}.File())
	if len(p.Warnings) > 0 {
		t.Fatalf("%q", p.Warnings)
	}
	return &p.Markers[0]
}

// BenchmarkRead reads a file of 100,000 markers, each with a cell of its own.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("p\tp\nf\tf.go\n")
	times := map[int][]uint64{}
	for i := range 100_000 {
		fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t%d\t1\t%d\t-\t-\t1\texample.com/large/internal/p%d.Function%d\n", i+1, i, i, i/50, i)
		times[i] = []uint64{uint64(i)}
	}
	file := profiletest.Run{Tables: []profiletest.Table{{Text: text.String(), Times: times}}}.File()
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if p := read(b, file); len(p.Markers) != len(times) {
			b.Fatal(p.Warnings)
		}
	}
}
