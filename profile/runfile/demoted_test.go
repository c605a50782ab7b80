package runfile

import (
	"math/bits"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/runtime/layout"
)

// The time of demoted markers that were timed alone is subtracted from the self times around them,
// and from their own times the part of a clock reading that InsideNS lacks.
func TestTimedAlone(t *testing.T) {
	outer, inner := &profile.Marker{Count: 1000, SelfNS: 100_000, Buckets: []profile.Bucket{{K: 6, Count: 1000, SumNS: 100_000}}}, &profile.Marker{Count: 3000, SelfNS: 48_000, Buckets: []profile.Bucket{{K: 4, Count: 3000, SumNS: 48_000}}}
	r := &run{Profile: &profile.Profile{Clock: profile.Clock{ReadNS: 9, InsideNS: 2}}}
	r.limitSelf([]demoted{{index: 1, m: outer, alone: true}, {index: 2, m: inner, alone: true}}, map[uint64][]parentShare{2: {{1, 0.5}}})
	if got, want := inner.SelfNS, uint64(48_000-3000*7); got != want {
		t.Errorf("inside: %d ns, want %d", got, want)
	}
	if got, want := outer.SelfNS, uint64(100_000-1000*7-27_000/2); got != want {
		t.Errorf("around: %d ns, want %d", got, want)
	}
	inner.SelfNS, outer.SelfNS = 48_000, 100_000
	r.limitSelf([]demoted{{index: 1, m: outer, alone: true}, {index: 2, m: inner, alone: true, early: 20_000}}, map[uint64][]parentShare{2: {{1, 0.5}}})
	if got, want := outer.SelfNS, uint64(100_000-1000*7-7000/2); got != want {
		t.Errorf("around what had been timed before: %d ns, want %d", got, want)
	}
	inner.SelfNS, outer.SelfNS = 48_000, 100_000
	r.limitSelf([]demoted{{index: 1, m: outer}, {index: 2, m: inner}}, map[uint64][]parentShare{2: {{1, 0.5}}})
	if inner.SelfNS != 48_000 || outer.SelfNS != 100_000-48_000/2 {
		t.Errorf("not alone: %d ns and around %d", inner.SelfNS, outer.SelfNS)
	}
}

// Self times add up to the recorded time: the estimates for demoted markers are subtracted from the
// timed markers around them.
func TestDemoteSelf(t *testing.T) {
	// Marker 1 is timed and has 10,000 ns of self time. Inside it is the demoted marker 2, with
	// 1,000 timed scopes of 10 ns and 1,000 counted ones, and inside that the demoted marker 3,
	// which was demoted first.
	const around, outer, inner = 1, 2, 3
	demotion := func(selfNS uint64) (*run, []*profile.Marker) {
		r := &run{Profile: &profile.Profile{}, scratch: new(scratch), off: map[uint64]string{outer: profile.Demoted, inner: profile.Demoted}, parents: map[uint64][]parent{
			outer: {{around, 10}}, inner: {{outer, 9}, {around, 1}},
		}}
		r.scratch.reset()
		r.tables = map[uint64]*unitTable{0: {Table: &table.Table{Markers: make([]*profile.Marker, 4)}}}
		markers := []*profile.Marker{
			{Count: 10, SelfNS: selfNS, Buckets: []profile.Bucket{{K: 13, Count: 10, SumNS: 10 * 10_000}}},
			{Count: 2000, SelfNS: 9000, Buckets: []profile.Bucket{{K: 3, Count: 1000, SumNS: 10_000}}},
			{Count: 2000, SelfNS: 4000, Buckets: []profile.Bucket{{K: 2, Count: 1000, SumNS: 4000}}},
		}
		for i, m := range markers {
			r.totals.set(uint64(i+1), m)
		}
		return r, markers
	}
	r, m := demotion(50_000)
	r.demote()
	// inner: 8,000 ns in total, 4,000 of them counted. outer: 20,000 minus 90 % of inner's 8,000,
	// of which 9,000 were timed.
	want := []uint64{50_000 - 4000 - 3800, 12_800, 8000}
	for i := range m {
		if m[i].SelfNS != want[i] {
			t.Errorf("marker %d has a self time of %d ns, want %d", i+1, m[i].SelfNS, want[i])
		}
	}

	r, m = demotion(3900) // half of the estimate
	r.demote()
	want = []uint64{0, 9000 + 1900, 4000 + 2000}
	for i := range m {
		if m[i].SelfNS != want[i] {
			t.Errorf("with little self time around: marker %d has %d ns, want %d", i+1, m[i].SelfNS, want[i])
		}
	}
}

// The total of a demoted marker is no more than its self time and what ran inside, also where
// markers are inside each other.
func TestLimitTotals(t *testing.T) {
	marker := func(total, self uint64) *profile.Marker {
		return &profile.Marker{Count: 1, SelfNS: self, Buckets: []profile.Bucket{{K: uint8(bits.Len64(total) - 1), Count: 1, SumNS: total, SumSq: profile.Square(total)}}}
	}
	outer, middle, inner := marker(100_000, 1000), marker(500, 200), marker(300, 300)
	r := &run{Profile: &profile.Profile{}, scratch: new(scratch)}
	r.scratch.reset()
	r.limitTotals([]demoted{{index: 1, m: outer, alone: true, insideNS: 50}, {index: 2, m: middle, alone: true}, {index: 3, m: inner, alone: true}},
		map[uint64][]parentShare{1: {{3, 0.1}}, 2: {{1, 1}}, 3: {{2, 0.5}}}, make([]map[uint64]float64, 3))
	if got, want := outer.SumNS(), uint64(1000+50+350); got != want {
		t.Errorf("outer: %d ns, want %d", got, want)
	}
	if got, want := middle.SumNS(), uint64(200+300/2); got != want {
		t.Errorf("middle: %d ns, want %d", got, want)
	}
	if got := inner.SumNS(); got != 300 {
		t.Errorf("inner: %d ns, want 300", got)
	}
}

// In recursion, what is wrong is the time inside other scopes of the marker, not that of each scope.
func TestLimitRecursion(t *testing.T) {
	around := &profile.Marker{Count: 1, SelfNS: 10, Buckets: []profile.Bucket{{K: 9, Count: 1, SumNS: 800}}}
	recursive := &profile.Marker{Count: 10, SelfNS: 700, NestedNS: 1000, Buckets: []profile.Bucket{{K: 8, Count: 10, SumNS: 4000}}}
	r := &run{Profile: &profile.Profile{}, scratch: new(scratch)}
	r.scratch.reset()
	r.totals.set(4, around)
	for _, inside := range []map[uint64]float64{{4: 1}, {4: 0.5, layout.NoMarker: 0.5}} {
		m := *recursive
		r.limitTotals([]demoted{{index: 1, m: &m, alone: true, insideNS: 9000}}, nil, []map[uint64]float64{inside})
		want := uint64(800)
		if len(inside) > 1 { // some scopes were in no other
			want = 3000
		}
		if m.TotalNS() != want || m.SumNS() != 4000 || m.SelfNS != 700 {
			t.Errorf("inside %v: total %d ns, each %.0f, self %d; want a total of %d", inside, m.TotalNS(), m.MeanNS(), m.SelfNS, want)
		}
	}
}
