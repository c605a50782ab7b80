package reporttest

import (
	"math/bits"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// WithPaths returns the demo with call paths: its main calls Total for two routes, and starts a
// goroutine. Of its 2 s the first route takes 55 %, the second 10 %, and the goroutine 15 %.
func WithPaths(t testing.TB) *profile.Profile {
	p := Parse(t, Demo())
	const main, total, loop, region, round = 0xc0ffee00000001, 0xc0ffee00000002, 0xc0ffee00000003, 0xc0ffee00000005, 0xc0ffee00000007
	const ms = 1_000_000
	p.Paths = profile.NewPaths([]profile.Path{
		{Parent: -1, ID: main, Count: 1, SumNS: 1700 * ms, SelfNS: 400 * ms},
		{Parent: 0, ID: total, Label: "GET /cart", Count: 2, SumNS: 1100 * ms, SelfNS: 300 * ms},
		{Parent: 1, ID: loop, Count: 1500, SumNS: 800 * ms, SelfNS: 600 * ms},
		{Parent: 2, ID: round, Count: 1234, SumNS: 200 * ms, SelfNS: 200 * ms, Readings: []profile.Reading{{Collector: profile.Alloc, Scopes: 1234, Values: []profile.Value{
			{Name: profile.AllocBytes, Sum: 2_468_000, Self: 2_468_000}, {Name: profile.AllocObjects, Sum: 1234, Self: 1234},
		}}}},
		{Parent: 0, ID: total, Label: "GET /item", Count: 1, SumNS: 200 * ms, SelfNS: 100 * ms},
		{Parent: 4, ID: loop, Count: 500, SumNS: 100 * ms, SelfNS: 100 * ms},
		{Parent: 0, ID: region, Go: true, Count: 3, SumNS: 300 * ms, SelfNS: 250 * ms},
		{Parent: 6, Count: 5, SumNS: 50 * ms, SelfNS: 50 * ms},
	})
	p.Paths.Runs = 1
	for i := range p.Markers { // as if nothing else had been recorded
		m := &p.Markers[i]
		m.Count, m.SelfNS, m.Sample, m.Buckets = 0, 0, 0, nil
		sum := uint64(0)
		for _, n := range p.Paths.Nodes {
			if n.ID == m.ID {
				m.Count, m.SelfNS, sum = m.Count+n.Count, m.SelfNS+n.SelfNS, sum+n.SumNS
			}
		}
		if sum > 0 {
			m.Buckets = []profile.Bucket{{K: uint8(bits.Len64(sum/m.Count) - 1), Count: m.Count, SumNS: sum}}
		}
	}
	return p
}

// Mutual returns a profile in which eval calls term and, in a loop, again term, which calls value, and
// that eval: its scopes are folded, and the totals of what it calls have parts of each other.
func Mutual() *profile.Profile {
	p := &profile.Profile{App: "calc", Runs: 1, Complete: true, State: "stopped", ElapsedNS: 120}
	for i, name := range []string{"main", "eval", "term", "value", "eval:for#1"} {
		p.Markers = append(p.Markers, profile.Marker{ID: registry.ID(i + 1), Name: "calc." + name, Package: "calc", Kind: "func", File: "calc.go", Line: i + 1})
	}
	p.Paths = profile.NewPaths([]profile.Path{
		{Parent: -1, ID: 1, Count: 1, SumNS: 100, SelfNS: 10},
		{Parent: 0, ID: 2, Count: 9, SumNS: 150, NestedNS: 60, SelfNS: 10},
		{Parent: 1, ID: 3, Count: 9, SumNS: 120, NestedNS: 30, SelfNS: 20},
		{Parent: 2, ID: 4, Count: 9, SumNS: 85, NestedNS: 0, SelfNS: 25},
		{Parent: 1, ID: 5, Count: 9, SumNS: 80, SelfNS: 20},
		{Parent: 4, ID: 3, Count: 9, SumNS: 60, NestedNS: 60, SelfNS: 15},
	})
	for i := range p.Paths.Nodes {
		n := &p.Paths.Nodes[i]
		m := &p.Markers[n.ID-1]
		m.Count, m.SelfNS = m.Count+n.Count, m.SelfNS+n.SelfNS
	}
	return p
}
