package profiletest

import (
	"fmt"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// CheckPathBuckets checks that the buckets of each marker are the sums over its paths.
func CheckPathBuckets(t testing.TB, p *profile.Profile) {
	t.Helper()
	type key struct {
		id registry.ID
		k  uint8
	}
	counts, sums := map[key]uint64{}, map[key]uint64{}
	for i := range p.Paths.Nodes {
		n := &p.Paths.Nodes[i]
		for _, b := range n.Buckets {
			counts[key{n.ID, b.K}] += b.Count
			sums[key{n.ID, b.K}] += b.SumNS
		}
	}
	if len(counts) == 0 {
		t.Error("no path has buckets")
	}
	for i := range p.Markers {
		m := &p.Markers[i]
		for _, b := range m.Buckets {
			at := key{m.ID, b.K}
			if counts[at] != b.Count || sums[at] != b.SumNS {
				t.Errorf("%s: bucket %d has %d scopes of %d ns, on its paths %d of %d ns", m.Name, b.K, b.Count, b.SumNS, counts[at], sums[at])
			}
			delete(counts, at)
		}
	}
	if len(counts) > 0 {
		t.Errorf("buckets of paths that no marker has: %v", counts)
	}
}

// CheckPaths is PathSums for a test.
func CheckPaths(t testing.TB, p *profile.Profile) {
	t.Helper()
	for _, err := range PathSums(p) {
		t.Error(err)
	}
}

// PathSums checks that the figures of each marker are the sums over its paths, and that parents are
// before children. If some scopes are beyond the limit of nodes, it compares the sums over all
// markers. No marker may have been sampled. Markers that code counters count are on no path.
func PathSums(p *profile.Profile) (wrong []error) {
	if p.Paths == nil || p.Paths.Lost != 0 {
		return []error{fmt.Errorf("paths %+v", p.Paths)}
	}
	sums, folded := map[registry.ID]profile.Path{}, p.Paths.Other() > 0
	add := func(id registry.ID, n profile.Path, sign uint64) {
		if folded {
			id = 0
		}
		sum := sums[id]
		sum.Count += sign * n.Count
		sum.SumNS += sign * n.SumNS
		sum.NestedNS += sign * n.NestedNS
		sum.SelfNS += sign * n.SelfNS
		sums[id] = sum
	}
	on := map[registry.ID]bool{}
	for i, n := range p.Paths.Nodes {
		if n.Parent >= i || n.Parent < -1 {
			return []error{fmt.Errorf("node %d has the parent %d", i, n.Parent)}
		}
		on[n.ID] = true
		add(n.ID, n, 1)
	}
	for i := range p.Markers {
		if m := &p.Markers[i]; !m.CountOnly || on[m.ID] || folded {
			add(m.ID, profile.Path{Count: m.Count, SumNS: m.SumNS(), NestedNS: m.NestedNS, SelfNS: m.SelfNS}, ^uint64(0))
		}
	}
	for id, sum := range sums {
		if int64(sum.Count)|int64(sum.SumNS)|int64(sum.NestedNS)|int64(sum.SelfNS) != 0 {
			wrong = append(wrong, fmt.Errorf("marker %s: its paths have %d more scopes, %d ns, of them %d nested, %d ns of self time",
				id, int64(sum.Count), int64(sum.SumNS), int64(sum.NestedNS), int64(sum.SelfNS)))
		}
	}
	return wrong
}
