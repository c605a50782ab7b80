//go:build !markgen_off

package perf

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestAppendTime(t *testing.T) {
	check := func(at time.Time) {
		t.Helper()
		if got, want := string(appendTime(nil, uint64(at.UnixNano()))), at.UTC().Format("20060102-150405"); got != want {
			t.Errorf("%v is %s, want %s", at, got, want)
		}
	}
	for day := time.Unix(0, 0); day.Year() < 2110; day = day.AddDate(0, 0, 1) {
		check(day)
	}
	for range 1000 {
		check(time.Unix(rand.Int64N(1<<33), rand.Int64N(1e9)))
	}
}

func TestAppendUint(t *testing.T) {
	for _, v := range []uint64{0, 1, 9, 10, 99, 100, 1<<32 - 1, math.MaxUint64} {
		if got := string(appendUint(nil, v)); got != strconv.FormatUint(v, 10) {
			t.Errorf("%d is written %s", v, got)
		}
	}
	for _, tt := range []struct {
		v    uint64
		n    int
		want string
	}{{0, 1, "0"}, {0, 2, "00"}, {7, 2, "07"}, {10, 2, "10"}, {99, 4, "0099"}, {12345, 4, "12345"}, {math.MaxUint64, 4, "18446744073709551615"}} {
		if got := string(appendPadded(nil, tt.v, tt.n)); got != tt.want {
			t.Errorf("appendPadded(%d, %d) = %s, want %s", tt.v, tt.n, got, tt.want)
		}
	}
}

func TestAppendDuration(t *testing.T) {
	for ps, want := range map[uint64]string{
		0: "0ps", 999: "999ps", 1000: "1.00ns", 9_999: "9.99ns", 10_000: "10.0ns", 123_456: "123ns", 999_999: "999ns",
		1_234_000: "1.23µs", 45_600_000_000: "45.6ms", 7_890_000_000_000: "7.89s", 12_345_000_000_000_000: "12345s",
		math.MaxUint64: "18446744s",
	} {
		if got := string(appendDuration(nil, ps)); got != want {
			t.Errorf("%d ps is written %s, want %s", ps, got, want)
		}
	}
	if got := string(appendPS(nil, math.MaxUint64, 1000, 1)); got != "-" {
		t.Errorf("what no number of ps can say is written %s", got)
	}
	if got := string(appendPS(nil, 0, 1000, 0)); got != "0ps" {
		t.Errorf("the mean of nothing is written %s", got)
	}
}

func TestFields(t *testing.T) {
	line := "m\tid\tfunc\t0\t\tname\twith tab"
	for n, want := range []string{"m", "id", "func", "0", "", "name\twith tab"} {
		if got := field(line, n, 5); got != want {
			t.Errorf("field %d is %q, want %q", n, got, want)
		}
	}
	if got := field(line, 20, 10); got != "" {
		t.Errorf("a field that is not there is %q", got)
	}
	if width("µs…") != 3 {
		t.Errorf("width %d", width("µs…"))
	}
	if !has("-cz", 'c') || has("-", 'c') || has("", 'c') {
		t.Error("has")
	}
}

func TestSortBy(t *testing.T) {
	for n := range 200 {
		s := make([]string, n)
		for i := range s {
			s[i] = strings.Repeat("x", rand.IntN(20))
		}
		want := slices.Sorted(slices.Values(s))
		sortBy(n, func(i, j int) bool { return s[i] < s[j] }, func(i, j int) { s[i], s[j] = s[j], s[i] })
		if !slices.Equal(s, want) {
			t.Fatalf("%d things: %q, want %q", n, s, want)
		}
	}
}

func TestSearch(t *testing.T) {
	s := []int{1, 3, 3, 7}
	for want, x := range map[int]int{0: 0, 1: 2, 3: 5, 4: 8} {
		if got := search(len(s), func(i int) bool { return s[i] < x }); got != want {
			t.Errorf("%d is looked for at %d, want %d", x, got, want)
		}
	}
	if got := search(0, nil); got != 0 {
		t.Errorf("of nothing, %d", got)
	}
}

func TestNameLess(t *testing.T) {
	names := []string{"", "for#9", "for#10", "for#99", "for#100", "if#2", "if#9.then", "if#10.else", "if#10.then", "if#19", "if#20", "ifs", "p/v2.F", "p/v10.F"}
	for i, a := range names {
		for k, b := range names {
			if got := nameLess(a, b); got != (i < k) {
				t.Errorf("%q less than %q: %t", a, b, got)
			}
		}
	}
}

func TestOneLine(t *testing.T) {
	if got, want := string(oneLine("é key\n\"foo\r\x1b[31m\x7f\"")), "é key?\"foo??[31m?\"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
