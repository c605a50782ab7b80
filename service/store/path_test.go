package store_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/store"
	"github.com/markgen/markgen/tier"
)

// pathBatches returns n batches with call paths, also of scopes beyond the limit of their processes.
// Two by two they have markers and many paths in common.
func pathBatches(r *maker, n int) (list []fact) {
	for len(list) < n {
		b := r.batch()
		if len(b.Profile.Markers) == 0 {
			continue
		}
		if k := len(list); k%2 > 0 {
			b.Profile.Markers = list[k-1].Profile.Markers
		}
		list = append(list, withPaths(b, 60, uint64(len(list)%4)))
	}
	return list
}

// withPaths returns the batch with random paths of its markers.
func withPaths(b *fleet.Batch, n int, seed uint64) *fleet.Batch {
	b.Profile.Paths = profiletest.RandomPaths(b.Profile, n, seed)
	with := batchOf(b.Profile, b.Origin, b.Day, b.ID)
	with.Token = b.Token
	return with
}

// pathsOf returns the sum of the paths of the chosen batches.
func pathsOf(list []fact, chosen func(fact) bool) *profile.Paths {
	var sum profile.Sum
	sum.Add(&profile.Profile{Paths: &profile.Paths{}})
	for _, b := range list {
		if chosen(b) {
			sum.Add(b.Profile)
		}
	}
	return sum.Profile().Paths
}

// checkPaths checks that the store has exactly the paths of the batches, by build and days.
func checkPaths(t *testing.T, s *store.Store, list []fact) {
	t.Helper()
	settle(t, s)
	for name, filter := range map[string]struct {
		fleet.Filter
		is func(fact) bool
	}{
		"all":   {fleet.Filter{}, func(fact) bool { return true }},
		"build": {fleet.Filter{Build: "*@v1.1.0"}, func(b fact) bool { return b.Origin.Build == "example.com/shop@v1.1.0" }},
		"days":  {fleet.Filter{From: someDay + 1, To: someDay + 2}, func(b fact) bool { return b.Day > someDay && b.Day <= someDay+2 }},
		"none":  {fleet.Filter{Build: "none"}, func(fact) bool { return false }},
	} {
		got, err := s.Paths(context.Background(), filter.Filter)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(pathsOf(list, filter.is), got.Paths, same, gocmp.Transformer("nodes", func(n []profile.Path) []profile.Path { return append([]profile.Path{}, n...) })); diff != "" {
			t.Fatalf("%s (-profile +store)\n%s", name, diff)
		}
		for _, n := range got.Paths.Nodes {
			if n.ID != 0 && !slices.ContainsFunc(got.Markers, func(m profile.Marker) bool { return m.ID == n.ID && m.Name != "" }) {
				t.Errorf("%s: no marker %s", name, n.ID)
			}
		}
	}
}

// The store adds paths up as package profile does, also after it is opened again, and in a backup.
func testPaths(t *testing.T, url string) {
	ctx := context.Background()
	s := open(t, url, store.Options{})
	list := pathBatches(newMaker(31), 12)
	for _, b := range list[:6] {
		ingest(t, s, b)
	}
	checkPaths(t, s, list[:6])
	checkAll(t, s, list[:6])
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, url, store.Options{})
	for _, b := range list[6:] {
		ingest(t, s, b)
		if !ingest(t, s, b).Known {
			t.Error("a batch counts twice")
		}
	}
	var backup bytes.Buffer
	if err := s.Backup(ctx, &backup); err != nil {
		t.Fatal(err)
	}
	checkPaths(t, s, list)
	other := open(t, filepath.Join(t.TempDir(), "other.db"), store.Options{})
	if err := other.Restore(ctx, &backup); err != nil {
		t.Fatal(err)
	}
	checkPaths(t, other, list)
}

// So it does after a removal, and in months.
func testOldPaths(t *testing.T, url string) {
	tier.Corpus(t)
	ctx := context.Background()
	s := open(t, url, store.Options{})
	list := pathBatches(newMaker(34), 12)
	for _, b := range list {
		ingest(t, s, b)
	}
	if _, err := s.Remove(ctx, store.Removal{Origins: fleet.Filter{Build: "*@v1.0.0"}}); err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(b fact) bool { return b.Origin.Build == "example.com/shop@v1.0.0" })
	checkPaths(t, s, list)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, url, store.Options{Days: 30})
	if err := s.Maintain(ctx); err != nil {
		t.Fatal(err)
	}
	for i, b := range list {
		month := *b
		month.Day -= fleet.Day(b.Day.Time().Day() - 1)
		list[i] = &month
	}
	checkPaths(t, s, list)
}

// With a filter by kind, what is inside other markers is inside the scope around these.
func testPathsOfKind(t *testing.T, url string) {
	s := open(t, url, store.Options{})
	list := pathBatches(newMaker(32), 3)
	kinds := map[registry.ID]string{}
	for _, b := range list {
		ingest(t, s, b)
		for _, m := range b.Profile.Markers {
			kinds[m.ID] = m.Kind
		}
	}
	settle(t, s)
	all := pathsOf(list, func(fact) bool { return true }).Nodes
	want := profile.NewPaths(profile.KeepPaths(all, func(i int) bool { return kinds[all[i].ID] == "loop" }))
	got, err := s.Paths(t.Context(), fleet.Filter{Kind: "loop"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want.Nodes, got.Paths.Nodes, same); diff != "" {
		t.Errorf("(-profile +store)\n%s", diff)
	}
}

// Beyond the limit of nodes scopes count at "other" below the nearest node: no scope and no time is
// lost, and the nodes that there are have all of theirs.
func testMaxNodes(t *testing.T, url string) {
	const most = 70
	list := pathBatches(newMaker(33), 8)
	s := open(t, url, store.Options{MaxNodes: most})
	for _, b := range list[:4] {
		ingest(t, s, b)
	}
	settle(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, url, store.Options{MaxNodes: most})
	for _, b := range list[4:] {
		ingest(t, s, b)
	}
	settle(t, s)
	got, err := s.Paths(t.Context(), fleet.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	whole := pathsOf(list, func(fact) bool { return true })
	nodes, sums := 0, [2][2]uint64{}
	index, numbers := profile.PathIndex{}, make([]int, len(whole.Nodes))
	byNumber := map[int]*profile.Path{}
	for i := range whole.Nodes {
		n := &whole.Nodes[i]
		numbers[i], _, _ = index.Number(n, numbers)
		byNumber[numbers[i]] = n
		sums[0][0], sums[0][1] = sums[0][0]+n.Count, sums[0][1]+n.SelfNS
	}
	numbers = make([]int, len(got.Paths.Nodes))
	for i := range got.Paths.Nodes {
		n := &got.Paths.Nodes[i]
		sums[1][0], sums[1][1] = sums[1][0]+n.Count, sums[1][1]+n.SelfNS
		numbers[i], _, _ = index.Number(n, numbers)
		if n.ID == 0 {
			continue
		}
		nodes++
		want := byNumber[numbers[i]]
		if want == nil {
			t.Fatalf("a path that no batch has: %+v", n)
		}
		if want.Count != n.Count || want.SumNS != n.SumNS || want.NestedNS != n.NestedNS || want.SelfNS != n.SelfNS {
			t.Errorf("%+v, want %+v", n, want)
		}
	}
	if nodes > most || nodes < most/2 || len(whole.Nodes) < 2*most {
		t.Errorf("%d nodes of %d, limit %d", nodes, len(whole.Nodes), most)
	}
	if sums[0] != sums[1] {
		t.Errorf("scopes and self time %d, want %d", sums[1], sums[0])
	}
	if got.Paths.Other() <= whole.Other() {
		t.Error("no scope is at other")
	}
}

// Nodes for scopes that are at other in their batch already are limited, too: those with labels, and
// those below others.
func testMaxOthers(t *testing.T, url string) {
	const most, labels, depths = 70, 60, 5
	r := newMaker(35)
	s := open(t, url, store.Options{MaxNodes: most})
	var list []profile.Path
	for depth := range depths {
		for label := range labels {
			n := profile.Path{Parent: len(list) - labels, Count: 1}
			if depth == 0 {
				n.Parent, n.Label = -1, strconv.Itoa(label)
			}
			list = append(list, n)
		}
		b := r.batch()
		b.Profile.Paths = profile.NewPaths(list)
		ingest(t, s, batchOf(b.Profile, b.Origin, b.Day, b.ID))
	}
	settle(t, s)
	got, err := s.Paths(t.Context(), fleet.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Paths.Nodes); n > 2*most+1 { // an other for each node, and one for the roots
		t.Errorf("%d nodes, limit %d", n, most)
	}
	if n := got.Paths.Other(); n != labels*depths*(depths+1)/2 {
		t.Errorf("%d scopes, want %d", n, labels*depths*(depths+1)/2)
	}
}
