package store_test

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/store"
	"github.com/markgen/markgen/tier"
)

// checkAll compares all answers of the store with the sums of the batches.
func checkAll(t *testing.T, s *store.Store, list []fact) {
	t.Helper()
	ctx := context.Background()
	settle(t, s)
	all := sumOf(list, func(fact) bool { return true })
	apis := map[registry.ID]*fleet.API{}
	var sum profile.Sum
	for _, b := range list {
		sum.Add(b.Profile)
	}
	whole := sum.Profile()
	cursor, more, err := s.Changed(ctx, "", 0, func(a *fleet.API) error { apis[a.ID] = a; return nil })
	if err != nil || more {
		t.Fatal(more, err)
	}
	if n := 0; true {
		if _, _, err := s.Changed(ctx, cursor, 0, func(*fleet.API) error { n++; return nil }); err != nil || n > 0 {
			t.Errorf("%d changes since all were read, %v", n, err)
		}
	}
	if len(apis) != len(all) {
		t.Errorf("%d APIs, want %d", len(apis), len(all))
	}
	for id, want := range all {
		a := apis[id]
		if a == nil {
			t.Errorf("no API %s", want.Name)
			continue
		}
		var runs uint64
		origins := map[fleet.Origin]bool{}
		lines := map[int]bool{} // of runs that started in the newest hour: which arrived last is not known here
		for _, b := range list {
			if i := slices.IndexFunc(b.Profile.Markers, func(m profile.Marker) bool { return m.ID == id }); i >= 0 {
				m := &b.Profile.Markers[i]
				runs += m.Runs
				origins[b.Origin] = true
				if m.AsOf/int64(time.Hour) == want.AsOf/int64(time.Hour) {
					lines[m.Line] = true
				}
			}
		}
		if a.Name != want.Name || a.Package != want.Package || a.Kind != want.Kind || a.File != want.File || !lines[a.Line] ||
			held(a.Count) != held(want.Count) || a.Runs != runs || a.Origins != uint64(len(origins)) || len(want.Buckets) > 0 && held(a.MaxNS) != held(want.MaxNS) {
			t.Errorf("%+v, want %d runs, %d origins, and %+v", a, runs, len(origins), want)
		}
		if want.SumNS() < math.MaxInt64 && want.Timed() < math.MaxInt64 && a.MeanNS != want.MeanNS() { // otherwise a sum has saturated
			t.Errorf("%s: mean %g ns, want %g", a.Name, a.MeanNS, want.MeanNS())
		}
	}
	// With each grouping and each choice; outside make corpus with one choice per grouping, a
	// different one each time.
	keys := []struct {
		by fleet.Grouping
		of func(fact) string
	}{
		{fleet.NoGrouping, func(fact) string { return "" }},
		{fleet.ByBuild, func(b fact) string { return b.Origin.Build }},
		{fleet.ByGo, func(b fact) string { return b.Origin.Go }},
		{fleet.ByGOARCH, func(b fact) string { return b.Origin.GOARCH }},
		{fleet.ByCPU, func(b fact) string { return b.Origin.CPU }},
		{fleet.ByDay, func(b fact) string { return b.Day.String() }},
	}
	filters := []struct {
		fleet.Filter
		fits func(fact) bool
	}{
		{fleet.Filter{}, func(fact) bool { return true }},
		{fleet.Filter{Build: "*v1.1.0", CPU: "?"}, func(b fact) bool { return b.Origin.Build == "example.com/shop@v1.1.0" && b.Origin.CPU != "" }},
		{fleet.Filter{From: someDay + 1, To: someDay + 2, GOARCH: "amd64"}, func(b fact) bool {
			return b.Day >= someDay+1 && b.Day <= someDay+2 && b.Origin.GOARCH == "amd64"
		}},
	}
	for i, f := range filters {
		for j, key := range keys {
			if !tier.InCorpus() && (i+j+len(list))%len(filters) != 0 {
				continue
			}
			by, of := key.by, key.of
			want := map[registry.ID]map[string]profile.Marker{}
			values := map[string]bool{}
			for _, b := range list {
				values[of(b)] = true
			}
			for k := range values {
				for id, m := range sumOf(list, func(b fact) bool { return f.fits(b) && of(b) == k }) {
					if want[id] == nil {
						want[id] = map[string]profile.Marker{}
					}
					want[id][k] = m
				}
			}
			for id := range all {
				groups, err := s.Figures(ctx, id, f.Filter, by)
				if err != nil {
					t.Fatal(err)
				}
				if lists, err := s.FiguresBy(ctx, id, f.Filter, fleet.ByDay, by); err != nil || len(lists) != 2 || !reflect.DeepEqual(groups, lists[1]) {
					t.Fatalf("%s by %q of %+v are others beside those by day: %v", id, by, f.Filter, err)
				}
				got := map[string]profile.Marker{}
				for _, g := range groups {
					got[g.Key] = g.Marker
				}
				if diff := gocmp.Diff(want[id], got, same, gocmp.FilterValues(func(a, b map[string]profile.Marker) bool { return len(a)+len(b) == 0 }, gocmp.Ignore())); diff != "" {
					t.Fatalf("%s by %q of %+v (-want +got)\n%s", id, by, f.Filter, diff)
				}
				if by != fleet.ByBuild && !slices.IsSortedFunc(groups, func(a, b fleet.Group) int { return cmp.Compare(a.Key, b.Key) }) {
					t.Errorf("groups by %q are in no order", by)
				}
			}
		}
		p, more, err := s.Profile(ctx, f.Filter, 0)
		if err != nil || more {
			t.Fatal(more, err)
		}
		got := map[registry.ID]profile.Marker{}
		for _, m := range p.Markers {
			got[m.ID] = m
		}
		if diff := gocmp.Diff(sumOf(list, f.fits), got, same); diff != "" {
			t.Fatalf("profile of %+v (-want +got)\n%s", f.Filter, diff)
		}
		if f.Filter == (fleet.Filter{}) {
			if p.Runs != whole.Runs || held(p.ElapsedNS) != held(whole.ElapsedNS) || p.Lost != whole.Lost || p.NoSelf != whole.NoSelf || p.Complete != whole.Complete {
				t.Errorf("runs %d, elapsed %d, lost %d, no self %v, complete %v; want %d, %d, %d, %v, %v",
					p.Runs, p.ElapsedNS, p.Lost, p.NoSelf, p.Complete, whole.Runs, whole.ElapsedNS, whole.Lost, whole.NoSelf, whole.Complete)
			}
			if diff := gocmp.Diff(whole.Wild, p.Wild, same) + gocmp.Diff(whole.Sampling, p.Sampling, same); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if _, err := codec.Encode(p); err != nil {
				t.Error(err)
			}
		}
	}
	checkOrigins(t, s, list)
}

func checkOrigins(t *testing.T, s *store.Store, list []fact) {
	t.Helper()
	type count struct{ Runs, Batches uint64 }
	want := map[fleet.Origin]count{}
	for _, b := range list {
		c := want[b.Origin]
		want[b.Origin] = count{c.Runs + uint64(b.Profile.Runs), c.Batches + 1}
	}
	origins, err := s.Origins(context.Background(), fleet.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[fleet.Origin]count{}
	for _, o := range origins {
		got[o.Origin] = count{o.Runs, o.Batches}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("origins (-want +got)\n%s", diff)
	}
	if !slices.IsSortedFunc(origins, func(a, b fleet.OriginSum) int { return a.First.Compare(b.First) }) {
		t.Error("origins are not in the order in which they came")
	}
}
