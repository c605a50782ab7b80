// Package reporttest makes the profiles that tests of reports write: a demo with all kinds of
// markers, and profiles with callers, call paths, libraries, sizes, and hostile or very large values.
package reporttest

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/report"
)

// Demo returns a run with markers of every kind: timed, counted and unvisited ones.
func Demo() profiletest.Run {
	const text = "p\texample.com/shop/cart\n" +
		"f\tcmd/shop/main.go\n" +
		"f\tcart/price.go\n" +
		"m\t00c0ffee00000001\tfunc\t0\t12\t1\t0\t-\t-\t1\texample.com/shop/cmd/shop.main\n" +
		"m\t00c0ffee00000002\tfunc\t1\t30\t1\t1\t-\t-\t1\texample.com/shop/cart.(*Cart).Total\n" +
		"m\t00c0ffee00000003\tloop\t1\t32\t2\t1\t-\t-\t1\texample.com/shop/cart.(*Cart).Total:for#1\n" +
		"m\t00c0ffee00000004\tbranch\t1\t35\t3\t1\t-\t-\t1\texample.com/shop/cart.(*Cart).Total:if#1.then\n" +
		"m\t00c0ffee00000005\tregion\t1\t40\t2\t1\t-\t-\t1\texample.com/shop/cart.read <rates> & taxes\n" +
		"m\t00c0ffee00000006\tpoint\t1\t44\t2\t1\t-\t-\t1\texample.com/shop/cart.cache missed\n" +
		"m\t00c0ffee00000007\tfunc\t1\t60\t1\t6\t-\t-\t100\texample.com/shop/cart.round\n" +
		"c\t00c0ffee00000008\tblock\t1\t62\t2\texample.com/shop/cart.round:block#1\n" +
		"b\t1\t30\t35\t31\t20\t1\n" +
		"b\t1\t32\t20\t34\t3\t2\n" +
		"b\t1\t60\t30\t62\t2\t1\n"
	loop := make([]uint64, 2000)
	for i := range loop {
		loop[i] = 90 + uint64(i*i)/300
	}
	round := make([]uint64, 1234)
	for i := range round {
		round[i] = uint64(i % 23)
	}
	return profiletest.Run{
		App:       "shop",
		PID:       4711,
		StartWall: 1763711763_123456789, // 2025-11-21 07:56:03
		Span:      2_410_000_000,
		TrueHz:    2_000_100_000,
		CPU:       "AMD EPYC 7B13",
		Main:      "example.com/shop/cmd/shop",
		Version:   "v1.4.2",
		Tables: []profiletest.Table{{
			Text: text,
			Times: map[int][]uint64{
				0: {2_400_000_000},
				1: {1_200_000, 900_000, 12_000_000},
				2: loop,
				4: {5_600, 7_800_000, 61_000_000_000},
				6: round,
			},
			Passes:   map[int]uint64{5: 1_234_567},
			Counters: []uint64{987_654_321, 3, 2000, 0},
		}},
	}
}

// Waiter returns a profile in which two markers have self times, of which the longer one is
// waiting.
func Waiter(t testing.TB) *profile.Profile {
	p := Parse(t, Demo())
	for i, values := range [][]profile.Value{
		{{Name: "chan_ns", Sum: 990, Self: 990}, {Name: "run_ns", Sum: 10, Self: 10}},
		{{Name: "chan_ns", Sum: 100, Self: 100}, {Name: "run_ns", Sum: 300, Self: 300}},
	} {
		m := &p.Markers[i]
		m.Count, m.SelfNS = 1, []uint64{8e9, 4e9}[i]
		m.Buckets = []profile.Bucket{{K: 32, Count: 1, SumNS: m.SelfNS}}
		m.Readings = []profile.Reading{{Collector: profile.Wait, Scopes: 1, Values: values}}
	}
	p.Markers = p.Markers[:2]
	return p
}

// Parse reads the run's file, as a report does.
func Parse(t testing.TB, run profiletest.Run) *profile.Profile {
	t.Helper()
	file := run.File()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "shop.markgen")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Write returns the written report.
func Write(t testing.TB, p *profile.Profile, o report.Options) string {
	t.Helper()
	var b strings.Builder
	if err := report.Write(&b, p, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Largest returns a profile with values that are too large for some formats.
func Largest() *profile.Profile {
	p := profiletest.Random(8, 1)
	for i, n := range []uint64{1<<53 + 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
		m := &p.Markers[i]
		m.Count, m.SelfNS, m.MinNS, m.MaxNS, m.Callers, m.CountOnly = n, n-1, 1, 1, nil, false
		m.Buckets = []profile.Bucket{{K: 0, Count: n, SumNS: n, SumSq: profile.Uint128{Lo: n}}}
	}
	return p
}
