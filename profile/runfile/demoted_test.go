package runfile

import (
	"math"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/estimate"
	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/runtime/layout"
)

// Estimates that are too large are reduced by the same time a scope, none below a part of it, and by
// the same factor if that is still too much.
func TestExcess(t *testing.T) {
	list := []counted{{scopes: 10, ns: 100}, {scopes: 10, ns: 40}, {scopes: 1, ns: 4}}
	for _, tt := range []struct {
		fits float64
		want [3]float64
	}{
		{150, [3]float64{100, 40, 4}},
		{144, [3]float64{100, 40, 4}},
		{123, [3]float64{90, 30, 3}},
		{68.8, [3]float64{60, 8, 0.8}},
		{14.4, [3]float64{10, 4, 0.4}},
		{0, [3]float64{}},
	} {
		less, least := excess(list, tt.fits)
		for i, c := range list {
			if ns := max(least*c.ns, c.ns-less*c.scopes); math.Abs(ns-tt.want[i]) > 1e-6 {
				t.Errorf("to fit into %v ns: %v of %v ns left, want %v", tt.fits, ns, c.ns, tt.want[i])
			}
		}
	}
}

// Self times add up to the recorded time: the estimates for demoted markers are subtracted from the
// timed markers around them.
func TestDemoteSelf(t *testing.T) {
	// Marker 1 is timed and has 10,000 ns of self time. Inside it is the demoted marker 2, with
	// 1,000 timed scopes of 10 ns and 1,000 counted ones, and inside that the demoted marker 3, whose
	// counted scopes are in the self time of 2, too.
	const around, outer, inner = 1, 2, 3
	demotion := func(selfNS uint64) (*run, []*profile.Marker) {
		r := &run{Profile: &profile.Profile{}, scratch: new(scratch), off: map[uint64]string{outer: profile.Demoted, inner: profile.Demoted}, parents: map[uint64][]parent{
			outer: {{around, 10}}, inner: {{outer, 9}, {around, 1}},
		}, estimates: map[uint64]*estimate.Sample{inner: {Fine: true}}}
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
	// inner: 8,000 ns, 4,000 of them counted. outer: 18,000, 9,000 of them counted.
	want := []uint64{50_000 - 9000 - 400, 18_000 - 3600, 8000}
	for i := range m {
		if m[i].SelfNS != want[i] {
			t.Errorf("marker %d has a self time of %d ns, want %d", i+1, m[i].SelfNS, want[i])
		}
	}

	r, m = demotion(3900)
	r.demote()
	want = []uint64{0, 9000 + 3900 - 3600, 8000 - 400}
	for i := range m {
		if m[i].SelfNS != want[i] {
			t.Errorf("with little self time around: marker %d has %d ns, want %d", i+1, m[i].SelfNS, want[i])
		}
	}
}

// In recursion, what is wrong is the time inside other scopes of the marker, not that of each scope.
func TestLimitRecursion(t *testing.T) {
	around := &profile.Marker{Count: 1, SelfNS: 10, Buckets: []profile.Bucket{{K: 9, Count: 1, SumNS: 800}}}
	recursive := &profile.Marker{Count: 10, SelfNS: 700, NestedNS: 1000, Buckets: []profile.Bucket{{K: 8, Count: 10, SumNS: 4000}}}
	r := &run{Profile: &profile.Profile{}, scratch: new(scratch)}
	r.scratch.reset()
	r.totals.set(4, around)
	for _, inside := range [][]parentShare{{{4, 1}}, {{4, 0.5}, {layout.NoMarker, 0.5}}} {
		m := *recursive
		r.limitTotal(demoted{index: 1, m: &m}, map[uint64][]parentShare{1: inside})
		want := uint64(800)
		if len(inside) > 1 { // some scopes were in no other
			want = 3000
		}
		if m.TotalNS() != want || m.SumNS() != 4000 || m.SelfNS != 700 {
			t.Errorf("inside %v: total %d ns, each %.0f, self %d; want a total of %d", inside, m.TotalNS(), m.MeanNS(), m.SelfNS, want)
		}
	}
}
