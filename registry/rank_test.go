package registry

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestBetween(t *testing.T) {
	tests := []struct {
		low, high string
		n         int
		want      string
	}{
		{"", "", 1, "5"},
		{"", "", 3, "2 5 7"},
		{"5", "", 1, "7"},
		{"", "1", 1, "05"},
		{"", "01", 1, "005"},
		{"5", "6", 1, "55"},
		{"5", "51", 1, "505"},
		{"49", "5", 1, "495"},
		{"9", "", 1, "95"},
		{"", "", 0, ""},
	}
	for _, test := range tests {
		if got := strings.Join(between(test.low, test.high, test.n), " "); got != test.want {
			t.Errorf("between(%q, %q, %d): %s, want %s", test.low, test.high, test.n, got, test.want)
		}
	}
	if got := between("5", "500000000000001", 1); got != nil {
		t.Errorf("no room: %v", got)
	}
}

// Ranks stay sorted after any insertion, and no existing rank changes.
func TestBetweenKeepsOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ranks := between("", "", 5)
	for len(ranks) < 3000 {
		at := rng.IntN(len(ranks) + 1)
		low, high := "", ""
		if at > 0 {
			low = ranks[at-1]
		}
		if at < len(ranks) {
			high = ranks[at]
		}
		fresh := between(low, high, 1+rng.IntN(12))
		if fresh == nil {
			t.Fatalf("no room between %q and %q", low, high)
		}
		ranks = slices.Insert(ranks, at, fresh...)
	}
	for i, r := range ranks {
		if r == "" || strings.HasSuffix(r, "0") || i > 0 && ranks[i-1] >= r {
			t.Fatalf("rank %d: %q after %q", i, r, ranks[max(0, i-1)])
		}
	}
}

func TestIncreasing(t *testing.T) {
	tests := []struct {
		ranks []string
		want  string
	}{
		{nil, "[]"},
		{[]string{"", ""}, "[]"},
		{[]string{"1", "", "2"}, "[0 2]"},
		{[]string{"9", "1", "2", "3"}, "[1 2 3]"},
		{[]string{"1", "5", "5", "7"}, "[0 2 3]"},
		{[]string{"3", "2", "1"}, "[2]"},
	}
	for _, test := range tests {
		if got := fmt.Sprint(increasing(test.ranks)); got != test.want {
			t.Errorf("increasing(%q): %s, want %s", test.ranks, got, test.want)
		}
	}
}
