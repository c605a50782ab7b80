package report_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/markgen/markgen/profile"
)

// withPaths returns the demo with call paths: its main calls Total for two routes, and starts a
// goroutine. Of its 2 s the first route takes 55 %, the second 10 %, and the goroutine 15 %.
func withPaths(t testing.TB) *profile.Profile {
	p := parse(t, demo())
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
	return p
}

// callTree returns a tree of n paths of p's markers, in which some start goroutines and some have
// labels.
func callTree(p *profile.Profile, n int, seed uint64) *profile.Paths {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	list := make([]profile.Path, n)
	for i := range list {
		node := &list[i]
		node.Parent = -1
		if i > 0 {
			node.Parent = r.IntN(i)
			if r.IntN(2) == 0 {
				node.Parent = i - 1 - r.IntN(min(i, 40))
			}
		}
		node.ID = p.Markers[r.IntN(len(p.Markers))].ID
		node.Go = i > 0 && r.IntN(50) == 0
		if r.IntN(20) == 0 {
			node.Label = fmt.Sprint("tenant ", r.IntN(4))
		}
		node.Count = 1 + r.Uint64N(1000)
		node.SelfNS = r.Uint64N(1 << r.IntN(24))
	}
	for i := n - 1; i >= 0; i-- {
		list[i].SumNS += list[i].SelfNS
		if up := list[i].Parent; up >= 0 && !list[i].Go {
			list[up].SumNS += list[i].SumNS
		}
	}
	paths := profile.NewPaths(list)
	paths.Runs = 1
	return paths
}
