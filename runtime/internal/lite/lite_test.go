package lite

import (
	"fmt"
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
		if got, want := string(AppendTime(nil, uint64(at.UnixNano()))), at.UTC().Format("20060102-150405"); got != want {
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
		if got := string(AppendUint(nil, v)); got != strconv.FormatUint(v, 10) {
			t.Errorf("%d is written %s", v, got)
		}
	}
}

func TestFields(t *testing.T) {
	line := "m\tid\tfunc\t0\t\tname\twith tab"
	for n, want := range []string{"m", "id", "func", "0", "", "name\twith tab"} {
		if got := Field(line, n, 5); got != want {
			t.Errorf("field %d is %q, want %q", n, got, want)
		}
	}
	if got := Field(line, 20, 10); got != "" {
		t.Errorf("a field that is not there is %q", got)
	}
	if !Has("-cz", 'c') || Has("-", 'c') || Has("", 'c') {
		t.Error("Has")
	}
}

func TestSort(t *testing.T) {
	for n := range 200 {
		s := make([]string, n)
		for i := range s {
			s[i] = strings.Repeat("x", rand.IntN(20))
		}
		want := slices.Sorted(slices.Values(s))
		Sort(n, func(i, j int) bool { return s[i] < s[j] }, func(i, j int) { s[i], s[j] = s[j], s[i] })
		if !slices.Equal(s, want) {
			t.Fatalf("%d things: %q, want %q", n, s, want)
		}
	}
}

func TestSearch(t *testing.T) {
	s := []int{1, 3, 3, 7}
	for want, x := range map[int]int{0: 0, 1: 2, 3: 5, 4: 8} {
		if got := Search(len(s), func(i int) bool { return s[i] < x }); got != want {
			t.Errorf("%d is looked for at %d, want %d", x, got, want)
		}
	}
	if got := Search(0, nil); got != 0 {
		t.Errorf("of nothing, %d", got)
	}
}

func TestLine(t *testing.T) {
	if got, want := string(Line("é key\n\"foo\r\x1b[31m\x7f\"")), "é key?\"foo??[31m?\"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Numbers parse as they were written, and other texts do not parse.
func TestHex(t *testing.T) {
	for range 1000 {
		v := rand.Uint64() >> rand.IntN(64)
		text := fmt.Sprintf("%016x", v)
		if got := string(AppendHex(nil, v)); got != text {
			t.Errorf("%d is written %s", v, got)
		}
		if got, ok := ParseHex(text); got != v || !ok {
			t.Errorf("%s is %d, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "0", "00000000000000000", "000000000000000A", "000000000000000g", "+000000000000001", "000000000000000\x00"} {
		if v, ok := ParseHex(text); ok {
			t.Errorf("%q is %d", text, v)
		}
	}
}

func TestSqueeze(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"AMD EPYC\x00\x00\x00":             "AMD EPYC",
		"  Intel(R)  Xeon(R) CPU \x00rest": "Intel(R) Xeon(R) CPU",
		"0x00000000413fd0c1\n":             "0x00000000413fd0c1",
		"a\xffb\x01c":                      "a b c",
	} {
		if got := Squeeze([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
