package profile_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
)

// growing returns a run that is still in progress.
func growing(t *testing.T, times [][]uint64, passes uint64, span uint64) *profile.Profile {
	t.Helper()
	run := profiletest.Run{App: "shop", Main: "example.com/shop", StartWall: 1_700_000_000e9, Span: span, Killed: true, Tables: []profiletest.Table{{
		Text: "p\texample.com/shop\nf\tmain.go\n" +
			"m\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\texample.com/shop.a\n" +
			"m\t0000000000000002\tfunc\t0\t2\t1\t1\t-\t-\t1\texample.com/shop.b\n" +
			"m\t0000000000000003\tpoint\t0\t3\t1\t2\t-\t-\t1\texample.com/shop.c\n",
		Times:  map[int][]uint64{0: times[0], 1: times[1]},
		Passes: map[int]uint64{2: passes},
	}}}
	file := run.File()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "run")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shown compares profiles without the fields that exist only for merging.
var shown = cmp.Options{
	cmpopts.IgnoreFields(profile.Profile{}, "Newest"),
	cmpopts.IgnoreFields(profile.Marker{}, "Seen", "CountVar", "SumVar", "Unsure", "AsOf"),
	cmpopts.IgnoreFields(profile.Picks{}, "Weight", "Scopes", "ScopesVar"),
}

// additive compares profiles without the fields that are not additive.
var additive = cmp.Options{
	shown,
	cmpopts.IgnoreFields(profile.Profile{}, "Run", "Warnings", "Changes", "Blocks", "Pairs", "Trace", "Complete"),
	cmpopts.EquateEmpty(),
}

// The differences of successive readings add up to the run, and each is plausible by itself.
func TestSubAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var times [2][]uint64
		taken := &profile.Profile{}
		var now *profile.Profile
		passes, span := uint64(0), uint64(0)
		for range 5 {
			for range rng.IntN(6) {
				times[0] = append(times[0], rng.Uint64N(1<<rng.IntN(40)))
			}
			for range rng.IntN(3) {
				times[1] = append(times[1], 700+rng.Uint64N(10))
			}
			passes += rng.Uint64N(3)
			span += 1e6
			now = growing(t, times[:], passes, span)
			diff, backwards := profile.Sub(now, taken)
			if backwards != 0 {
				t.Fatalf("%d figures went backwards", backwards)
			}
			for i := range diff.Markers {
				m := &diff.Markers[i]
				if m.Count == 0 {
					t.Errorf("%s has no scopes", m.Name)
				}
				for _, b := range m.Buckets {
					if !b.Sound() {
						t.Errorf("%s: %+v can't be", m.Name, b)
					}
				}
				if n := len(m.Buckets); n > 0 && (m.MinNS < m.Buckets[0].LoNS() || m.MinNS >= m.Buckets[0].HiNS() || m.MaxNS < m.Buckets[n-1].LoNS() || m.MaxNS >= m.Buckets[n-1].HiNS()) {
					t.Errorf("%s: from %d to %d, in buckets %+v", m.Name, m.MinNS, m.MaxNS, m.Buckets)
				}
			}
			taken = profile.Merge([]*profile.Profile{taken, diff})
		}
		visited := *now
		visited.Markers = nil
		for _, m := range now.Markers {
			if m.Count > 0 {
				visited.Markers = append(visited.Markers, m)
			}
		}
		if diff := cmp.Diff(&visited, taken, additive); diff != "" {
			t.Fatalf("what was taken is not the run (-run +taken):\n%s", diff)
		}
	}
}

// A number that decreased is 0, and the next difference makes up for it.
func TestSubBackwards(t *testing.T) {
	early := growing(t, [][]uint64{{100, 100, 120}, nil}, 5, 1e6)
	less := growing(t, [][]uint64{{100, 100}, nil}, 5, 1e6)
	diff, backwards := profile.Sub(less, early)
	if backwards != 1 || len(diff.Markers) != 0 {
		t.Errorf("%d went backwards, %d markers", backwards, len(diff.Markers))
	}
	late := growing(t, [][]uint64{{100, 100, 120, 90}, nil}, 5, 1e6)
	diff, backwards = profile.Sub(late, profile.Merge([]*profile.Profile{early, diff}))
	if backwards != 0 || len(diff.Markers) != 1 || diff.Markers[0].Count != 1 || diff.Markers[0].Buckets[0].SumNS != 90 {
		t.Errorf("%d went backwards, %+v", backwards, diff.Markers)
	}
}

// A scope that is ending may be read in part: the difference is still consistent, and the rest is
// in the next difference.
func TestSubTorn(t *testing.T) {
	at := func(count, sum, self, nested, size, read, readSelf uint64) *profile.Profile {
		m := profile.Marker{ID: 1, Name: "f", Kind: "func", Runs: 1, Count: count, SelfNS: self, NestedNS: nested, MinNS: 100, MaxNS: 100}
		m.Buckets = []profile.Bucket{{K: 6, Count: count, SumNS: sum, SumSq: profile.Square(100)}}
		m.Buckets[0].SumSq = profile.Uint128{Lo: count * 100 * 100}
		m.Sizes = []profile.SizeBucket{{K: 3, Count: count, SumSize: profile.Uint128{Lo: size}, SumNS: sum, SumSq: profile.Uint128{Lo: count * 100 * 100}}}
		m.Readings = []profile.Reading{{Collector: "alloc", Scopes: count, Values: []profile.Value{{Name: "bytes", Sum: read, Self: readSelf,
			Buckets: []profile.ValueBucket{{K: 3, Count: count, Sum: read, SumSq: profile.Uint128{Lo: read * 5}}}}}}}
		return &profile.Profile{Runs: 1, Complete: true, Markers: []profile.Marker{m}}
	}
	taken := &profile.Profile{}
	last := at(5, 500, 380, 350, 25, 25, 20)
	for _, now := range []*profile.Profile{at(1, 100, 0, 0, 4, 5, 0), at(2, 200, 200, 200, 14, 10, 10), at(3, 300, 300, 300, 15, 15, 15), last} {
		diff, _ := profile.Sub(now, taken)
		m := &diff.Markers[0]
		if m.SelfNS > m.SumNS() || m.NestedNS > m.SumNS() || !m.Buckets[0].Sound() || !m.Sizes[0].Sound() {
			t.Errorf("%+v", m)
		}
		if v := m.Readings[0].Values[0]; v.Self > v.Sum || v.Nested > v.Sum || !v.Buckets[0].Sound() {
			t.Errorf("%+v", v)
		}
		taken = profile.Merge([]*profile.Profile{taken, diff})
	}
	if d := cmp.Diff(at(5, 500, 380, 350, 25, 25, 20), last, additive); d != "" {
		t.Errorf("what was subtracted from has changed:\n%s", d)
	}
	if m := taken.Markers[0]; m.SelfNS != 380 || m.NestedNS != 350 || m.Sizes[0].SumSize.Lo != 25 || m.Readings[0].Values[0].Self != 20 {
		t.Errorf("all that was taken: %+v", m)
	}
}
