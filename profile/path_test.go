package profile_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
)

// chains returns the nodes by the text of their path.
func chains(p *profile.Paths) map[string]profile.Path {
	all := map[string]profile.Path{}
	for i, n := range p.Nodes {
		text := ""
		for _, k := range p.Chain(i) {
			text += "/" + p.Nodes[k].ID.String() + p.Nodes[k].Label
			if p.Nodes[k].Go {
				text += "!"
			}
		}
		n.Parent = 0
		all[text] = n
	}
	return all
}

func withPaths(n int, seed uint64) *profile.Profile {
	p := profiletest.Random(20, 1)
	p.Paths = profiletest.RandomPaths(p, n, seed)
	for i := range p.Paths.Nodes {
		if n := &p.Paths.Nodes[i]; i%3 > 0 && n.Count > 1 {
			n.Buckets = []profile.Bucket{{K: uint8(seed), Count: 1, SumNS: seed}, {K: uint8(seed) + 2, Count: n.Count - 1, SumNS: n.SumNS}}
		}
	}
	return p
}

// addFigures adds all figures of a node to those of its path.
func addFigures(sums map[string]map[string]uint64, path string, n *profile.Path) {
	if sums[path] == nil {
		sums[path] = map[string]uint64{}
	}
	sum := sums[path]
	sum["count"] += n.Count
	sum["sum"] += n.SumNS
	sum["nested"] += n.NestedNS
	sum["self"] += n.SelfNS
	for _, r := range n.Readings {
		sum[r.Collector] += r.Scopes
		for _, v := range r.Values {
			sum[v.Name+" sum"] += v.Sum
			sum[v.Name+" self"] += v.Self
			sum[v.Name+" nested"] += v.Nested
		}
	}
	for _, b := range n.Buckets {
		sum[fmt.Sprint("scopes in bucket ", b.K)] += b.Count
		sum[fmt.Sprint("ns in bucket ", b.K)] += b.SumNS
	}
}

// Paths add up by the markers, labels and goroutines on them, in any order, and also from files.
func TestMergePaths(t *testing.T) {
	a, b, c := withPaths(300, 1), withPaths(200, 2), withPaths(3, 3)
	none := profiletest.Random(20, 1)
	sum := profile.Merge([]*profile.Profile{a, b, c, none})
	if diff := cmp.Diff(sum, profile.Merge([]*profile.Profile{profile.Merge([]*profile.Profile{c, none}), profiletest.Encoded(t, profile.Merge([]*profile.Profile{b, a}))})); diff != "" {
		t.Errorf("in another order (-want +got)\n%s", diff)
	}
	if sum.Paths.Runs != 3 || sum.Paths.Lost != a.Paths.Lost+b.Paths.Lost+c.Paths.Lost {
		t.Errorf("%d runs, %d lost", sum.Paths.Runs, sum.Paths.Lost)
	}
	want, got := map[string]map[string]uint64{}, map[string]map[string]uint64{}
	for _, p := range []*profile.Profile{a, b, c} {
		for path, n := range chains(p.Paths) {
			addFigures(want, path, &n)
		}
	}
	for path, n := range chains(sum.Paths) {
		addFigures(got, path, &n)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != len(sum.Paths.Nodes) {
		t.Errorf("%d nodes of %d paths (-want +got)\n%s", len(sum.Paths.Nodes), len(got), diff)
	}
	if profile.Merge([]*profile.Profile{none}).Paths != nil {
		t.Error("paths where none were recorded")
	}
}

// A sum shares no memory with what it was made of.
func TestMergePathsCopies(t *testing.T) {
	a := withPaths(50, 1)
	want := profile.NewPaths(a.Paths.Nodes)
	var sum profile.Sum
	sum.Add(a)
	before := sum.Profile()
	sum.Add(a)
	if diff := cmp.Diff(want.Nodes, before.Paths.Nodes); diff != "" {
		t.Errorf("a sum changed with the one it continued (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want.Nodes, a.Paths.Nodes); diff != "" {
		t.Errorf("adding changed what was added (-want +got)\n%s", diff)
	}
}

// Parents come before children, and siblings are in order.
func TestPathsOrder(t *testing.T) {
	p := profile.NewPaths([]profile.Path{
		{Parent: -1, ID: 2, Count: 1}, {Parent: 0, ID: 3, Label: "b", Count: 1}, {Parent: -1, ID: 1, Count: 1},
		{Parent: 0, ID: 3, Go: true, Count: 1}, {Parent: 0, ID: 3, Label: "a", Count: 1}, {Parent: 2, ID: 3, Count: 1}, {Parent: -1, ID: 2, Count: 1},
	})
	want := []profile.Path{
		{Parent: -1, ID: 1, Count: 1}, {Parent: 0, ID: 3, Count: 1},
		{Parent: -1, ID: 2, Count: 2}, {Parent: 2, ID: 3, Label: "a", Count: 1}, {Parent: 2, ID: 3, Label: "b", Count: 1}, {Parent: 2, ID: 3, Go: true, Count: 1},
	}
	if diff := cmp.Diff(want, p.Nodes); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := p.Chain(4); !slices.Equal(got, []int{2, 4}) {
		t.Errorf("chain %d", got)
	}
}

// Without the markers that began a goroutine, what is inside them began it.
func TestOnlyPaths(t *testing.T) {
	p := &profile.Profile{Markers: []profile.Marker{{ID: 1, Name: "main"}, {ID: 2, Name: "worker"}, {ID: 3, Name: "job"}, {ID: 4, Name: "step"}}}
	p.Paths = profile.NewPaths([]profile.Path{
		{Parent: -1, ID: 1, Count: 1}, {Parent: 0, ID: 2, Go: true, Count: 1}, {Parent: 1, ID: 3, Count: 2}, {Parent: 2, ID: 4, Count: 3},
		{Parent: 0, ID: 3, Count: 4}, {Parent: -1, ID: 4, Count: 5},
	})
	p.Paths.Runs = 1
	for _, tt := range []struct {
		without string
		want    []profile.Path
	}{
		{"worker", []profile.Path{{Parent: -1, ID: 1, Count: 1}, {Parent: 0, ID: 3, Count: 4}, {Parent: 0, ID: 3, Go: true, Count: 2}, {Parent: 2, ID: 4, Count: 3}, {Parent: -1, ID: 4, Count: 5}}},
		{"main", []profile.Path{{Parent: -1, ID: 2, Count: 1}, {Parent: 0, ID: 3, Count: 2}, {Parent: 1, ID: 4, Count: 3}, {Parent: -1, ID: 3, Count: 4}, {Parent: -1, ID: 4, Count: 5}}},
	} {
		only := p.Only(func(name string) bool { return name != tt.without })
		if diff := cmp.Diff(tt.want, only.Paths.Nodes); diff != "" {
			t.Errorf("without %s (-want +got)\n%s", tt.without, diff)
		}
	}
}

// The difference of two readings has what was added between them.
func TestSubPaths(t *testing.T) {
	first, second := withPaths(200, 1), withPaths(150, 2)
	both := profile.Merge([]*profile.Profile{first, second})
	rest, _ := profile.Sub(both, first)
	want := chains(second.Paths)
	equal := cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(profile.Path{}, "Readings")}
	for text, n := range chains(rest.Paths) {
		if n.Count > 0 {
			if diff := cmp.Diff(want[text], n, equal); diff != "" {
				t.Errorf("%s (-want +got)\n%s", text, diff)
			}
		}
		delete(want, text)
	}
	for text, n := range want {
		if n.Count > 0 {
			t.Errorf("%s is missing", text)
		}
	}
	if nothing, _ := profile.Sub(both, both); len(nothing.Paths.Nodes) != 0 {
		t.Errorf("%d paths in a difference of nothing", len(nothing.Paths.Nodes))
	}
	profiletest.Encoded(t, rest)
}
