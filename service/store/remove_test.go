package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/store"
	"github.com/markgen/markgen/tier"
)

// After statistics are removed (of an origin, of some of its days, of a token, of a token on some
// days, of a batch) the store is as if it had never had them. What other tokens have sent for the
// same keys stays.
func testRemove(t *testing.T, url string) {
	ctx := context.Background()
	r := newMaker(21)
	s := open(t, url, store.Options{})
	var list []fact
	batches, foresee := 40, 5 // of the removals
	if !tier.InCorpus() {
		if batches = 10; strings.HasPrefix(url, "postgres:") { // it is slow at this, in many small steps
			foresee = 1
		}
	}
	for i := range batches {
		b := r.batch()
		for k := range b.Profile.Markers {
			m := &b.Profile.Markers[k]
			m.Line, m.Col, m.Group, m.NestedNS = 10, 1, "", min(m.NestedNS, m.SumNS())
		}
		origin := b.Origin
		switch i % 10 {
		case 3:
			origin = fleet.Origin{Build: "evil@v1", GOOS: "linux"}
		case 5, 6, 7:
			origin, b.Day = fleet.Origin{Build: fmt.Sprintf("shared@v%d", i/10), GOOS: "linux"}, someDay
		}
		b = batchOf(b.Profile, origin, b.Day, fleet.BatchID{Run: fleet.NewRunID(), Build: origin.Build, Sequence: uint32(i)})
		b.Token = []string{"honest", "other", "once"}[max(0, i%10-5)%3]
		list = append(list, b)
		ingest(t, s, b)
	}
	settle(t, s)
	old, _, err := s.Changed(ctx, "", 1, func(*fleet.API) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	remove := func(removal store.Removal, is func(fact) bool) {
		t.Helper()
		n := len(list)
		dry := removal
		dry.Dry = true
		var foreseen store.Removed
		if foresee > 0 {
			var err error
			if foreseen, err = s.Remove(ctx, dry); err != nil {
				t.Fatal(err)
			}
			checkOrigins(t, s, list)
		}
		list = slices.DeleteFunc(list, is)
		got, err := s.Remove(ctx, removal)
		if got != foreseen && foresee > 0 {
			t.Errorf("%+v were removed, and %+v foreseen", got, foreseen)
		}
		foresee--
		if err != nil || got.Batches != uint64(n-len(list)) || got.Days == 0 || got.APIs == 0 {
			t.Errorf("%+v, %v; want %d batches", got, err, n-len(list))
		}
		never := open(t, filepath.Join(t.TempDir(), "never.db"), store.Options{})
		for _, b := range list {
			ingest(t, never, b)
		}
		if diff := gocmp.Diff(apisOf(t, never), apisOf(t, s)); diff != "" {
			t.Errorf("-never had it +removed:\n%.2000s", diff)
		}
		checkAll(t, s, list)
	}
	remove(store.Removal{Origins: fleet.Filter{Build: "evil@*"}}, func(b fact) bool { return b.Origin.Build == "evil@v1" })
	if _, _, err := s.Changed(ctx, old, 0, func(*fleet.API) error { return nil }); !errors.Is(err, store.ErrCursor) {
		t.Errorf("a cursor of before: %v", err)
	}
	if got, err := s.Remove(ctx, store.Removal{Origins: fleet.Filter{Build: "evil@*"}}); err != nil || got != (store.Removed{}) {
		t.Errorf("once more: %+v, %v", got, err)
	}
	day := list[0].Day
	remove(store.Removal{Origins: fleet.Filter{Go: "go1.26*", From: day, To: day}}, func(b fact) bool { return b.Day == day && b.Origin.Go == "go1.26.8" })
	other := func(b fact) bool { return b.Token == "other" }
	day = list[slices.IndexFunc(list, other)].Day
	remove(store.Removal{Token: "other", Origins: fleet.Filter{From: day, To: day}}, func(b fact) bool { return other(b) && b.Day == day })
	remove(store.Removal{Token: "other"}, other)
	last := list[slices.IndexFunc(list, func(b fact) bool { return b.Token == "once" })]
	run := last.ID.Run
	remove(store.Removal{Run: &run}, func(b fact) bool { return b.ID.Run == run })
	if got := ingest(t, s, last); !got.Known {
		t.Error("a batch that was removed is counted when it comes again")
	}
	for _, b := range []fact{r.batch(), r.batch()} { // batches that arrive later
		for k := range b.Profile.Markers {
			b.Profile.Markers[k].Line = 10
		}
		b = batchOf(b.Profile, fleet.Origin{Build: "evil@v1", GOOS: "linux"}, b.Day, fleet.BatchID{Run: fleet.NewRunID()})
		ingest(t, s, b)
		list = append(list, b)
	}
	checkAll(t, s, list)
	if _, err := s.Remove(ctx, store.Removal{Origins: fleet.Filter{Function: "x"}}); err == nil {
		t.Error("everything can be removed by an empty filter")
	}
}

func apisOf(t *testing.T, s *store.Store) map[registry.ID]fleet.API {
	t.Helper()
	settle(t, s)
	all := map[registry.ID]fleet.API{}
	if _, _, err := s.Changed(context.Background(), "", 0, func(a *fleet.API) error {
		one := *a
		one.First, one.Changed = time.Time{}, time.Time{}
		all[a.ID] = one
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// If the batch that gave an API its name is removed, the API gets its name from another origin
// again.
func testRemoveName(t *testing.T, url string) {
	s := open(t, url, store.Options{})
	send := func(name, build string, start time.Time) {
		t.Helper()
		m := profile.Marker{ID: idOf(1), Package: "example.com/p", Name: "example.com/p." + name, Kind: "func", Runs: 1, Count: 1, CountOnly: true}
		m.AsOf = start.UnixNano()
		p := &profile.Profile{Runs: 1, Complete: true, Markers: []profile.Marker{m}}
		p.Newest = start.UnixNano()
		ingest(t, s, batchOf(p, fleet.Origin{Build: build}, someDay, fleet.BatchID{Run: fleet.NewRunID()}))
		settle(t, s)
	}
	named := func(want string) {
		t.Helper()
		if a, err := s.API(context.Background(), idOf(1)); err != nil || a.Name != "example.com/p."+want {
			t.Errorf("%+v, %v; want %s", a, err, want)
		}
	}
	start := someDay.Time()
	send("Price", "shop@v1", start)
	send("Evil", "evil@v1", start.AddDate(100, 0, 0))
	named("Evil")
	if _, err := s.Remove(context.Background(), store.Removal{Origins: fleet.Filter{Build: "evil@v1"}}); err != nil {
		t.Fatal(err)
	}
	named("Price")
	send("Cost", "shop@v2", start.Add(2*time.Hour))
	named("Cost")
	if _, err := s.Remove(context.Background(), store.Removal{Origins: fleet.Filter{Build: "shop@*"}}); err != nil {
		t.Fatal(err)
	}
	if a, err := s.API(context.Background(), idOf(1)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an API without figures: %+v, %v", a, err)
	}
	send("Price", "shop@v3", start)
	named("Price")
}
