package profile_test

import (
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
)

// Buckets of measured calls are sound, and impossible values are detected.
func TestSound(t *testing.T) {
	p := profiletest.Random(200, 1)
	n := 0
	for _, m := range p.Markers {
		if m.Sampled() {
			continue
		}
		for _, b := range m.Buckets {
			if n++; !b.Sound() {
				t.Errorf("%s: %+v", m.Name, b)
			}
			for _, wrong := range []profile.Bucket{
				{K: 64, Count: b.Count, SumNS: b.SumNS, SumSq: b.SumSq}, {K: b.K, SumNS: b.SumNS, SumSq: b.SumSq},
				{K: b.K, Count: b.Count, SumNS: b.SumNS, SumSq: profile.Uint128{Hi: 1 << 60}},
			} {
				if wrong.Sound() {
					t.Errorf("%+v is taken", wrong)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d buckets", n)
	}
	const week = 7 * 24 * 3600 * 1_000_000_000
	long := profile.Bucket{K: 49, Count: 10_000, SumNS: 10_000 * week}
	for range long.Count {
		long.SumSq = long.SumSq.Add(profile.Square(week))
	}
	if !long.Sound() {
		t.Errorf("%+v, which are %d times of a week, is not", long, long.Count)
	}
	long.SumSq.Hi *= 2
	if long.Sound() {
		t.Errorf("%+v is taken", long)
	}
}
