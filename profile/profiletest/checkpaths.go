package profiletest

import (
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// CheckPaths checks that the figures of each marker are the sums over its paths, and that parents
// are before children. If some scopes are beyond the limit of nodes, it compares the sums over all
// markers. The scopes of no marker may have been demoted or sampled.
func CheckPaths(t testing.TB, p *profile.Profile) {
	t.Helper()
	if p.Paths == nil || p.Paths.Lost != 0 {
		t.Fatalf("paths %+v", p.Paths)
	}
	sums, folded := map[registry.ID]profile.Path{}, p.Paths.Other() > 0
	key := func(id registry.ID) registry.ID {
		if folded {
			return 0
		}
		return id
	}
	add := func(id registry.ID, n profile.Path, sign uint64) {
		sum := sums[key(id)]
		sum.Count += sign * n.Count
		sum.SumNS += sign * n.SumNS
		sum.NestedNS += sign * n.NestedNS
		sum.SelfNS += sign * n.SelfNS
		sums[key(id)] = sum
	}
	for i, n := range p.Paths.Nodes {
		if n.Parent >= i || n.Parent < -1 {
			t.Fatalf("node %d has the parent %d", i, n.Parent)
		}
		add(n.ID, n, 1)
	}
	for i := range p.Markers {
		m := &p.Markers[i]
		add(m.ID, profile.Path{Count: m.Count, SumNS: m.SumNS(), NestedNS: m.NestedNS, SelfNS: m.SelfNS}, ^uint64(0))
	}
	for id, sum := range sums {
		if int64(sum.Count)|int64(sum.SumNS)|int64(sum.NestedNS)|int64(sum.SelfNS) != 0 {
			t.Errorf("marker %s: its paths have %d more scopes, %d ns, of them %d nested, %d ns of self time",
				id, int64(sum.Count), int64(sum.SumNS), int64(sum.NestedNS), int64(sum.SelfNS))
		}
	}
}
