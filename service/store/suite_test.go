package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/store"
	"github.com/markgen/markgen/tier"
)

// suite runs every test with both databases. fresh makes an empty one and returns its URL.
func suite(t *testing.T, fresh func(t *testing.T) string) {
	for name, test := range map[string]func(*testing.T, string){
		"Sums":       testSums,
		"Duplicates": testDuplicates,
		"Reopened":   testReopened,
		"Changed":    testChanged,
		"Cursors":    testCursors,
		"Limits":     testLimits,
		"Tokens":     testTokens,
		"Concurrent": testConcurrent,
		"Words":      testWords,
		"Backup":     testBackup,
		"Restore":    testRestore,
		"Months":     testMonths,
		"Forgotten":  testForgotten,
		"Hostile":    testHostile,
		"Parts":      testParts,
		"Readers":    testReaders,
		"Each":       testEach,
		"Backups":    testBackups,
		"State":      testState,
		"SameNames":  testSameNames,
		"Means":      testMeans,
		"Remove":     testRemove,
		"RemoveName": testRemoveName,
		"Paths":      testPaths,
		"OldPaths":   testOldPaths,
		"PathKinds":  testPathsOfKind,
		"MaxNodes":   testMaxNodes,
		"MaxOthers":  testMaxOthers,
	} {
		t.Run(name, func(t *testing.T) { test(t, fresh(t)) })
	}
}

func TestSQLite(t *testing.T) {
	suite(t, func(t *testing.T) string { return filepath.Join(t.TempDir(), "fleet.db") })
}

func open(t testing.TB, url string, o store.Options) *store.Store {
	t.Helper()
	if o.Days == 0 {
		o.Days = 1e6
	}
	s, err := store.Open(context.Background(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ingest(t testing.TB, s *store.Store, b *fleet.Batch) fleet.Receipt {
	t.Helper()
	r, err := s.Ingest(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func settle(t testing.TB, s *store.Store) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := s.Settle(ctx); err != nil {
		t.Fatal(err)
	}
}

// The store adds batches up as package profile adds up profiles.
func testSums(t *testing.T, url string) {
	r := newMaker(1)
	s := open(t, url, store.Options{})
	var list []fact
	half := 10
	if tier.InCorpus() {
		half = 30
	}
	for i := range 2 * half {
		r.large = i >= half
		b := r.batch()
		if got := ingest(t, s, b); got.Known || got.Markers != len(b.Profile.Markers) {
			t.Errorf("%+v", got)
		}
		if list = append(list, b); i == half-1 {
			checkAll(t, s, list)
		}
	}
	checkAll(t, s, list)
}

// A batch counts once, and a different batch with its ID is refused.
func testDuplicates(t *testing.T, url string) {
	r := newMaker(2)
	s := open(t, url, store.Options{})
	var list []fact
	for range 10 {
		b := r.batch()
		list = append(list, b)
		ingest(t, s, b)
		for range r.IntN(3) {
			if got := ingest(t, s, list[r.IntN(len(list))]); !got.Known {
				t.Errorf("%+v", got)
			}
		}
		if r.IntN(3) == 0 {
			settle(t, s)
		}
	}
	other := r.batch()
	other.ID = list[0].ID
	if _, err := s.Ingest(context.Background(), other); !errors.Is(err, store.ErrConflict) {
		t.Errorf("another batch by the same ID: %v", err)
	}
	// The same run and number with another build is another batch.
	other.ID.Build += "x"
	if got := ingest(t, s, other); got.Known {
		t.Errorf("%+v", got)
	}
	checkAll(t, s, append(list, other))
}

// Accepted batches are there when the store is opened again.
func testReopened(t *testing.T, url string) {
	r := newMaker(3)
	var list []fact
	for range 4 {
		s := open(t, url, store.Options{})
		for range 1 + r.IntN(10) {
			b := r.batch()
			ingest(t, s, b)
			list = append(list, b)
		}
		if len(list) > 1 {
			if got := ingest(t, s, list[0]); !got.Known {
				t.Errorf("%+v", got)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	checkAll(t, open(t, url, store.Options{}), list)
}

// A cursor belongs to one store, also when that is reopened, but not to a store restored from its
// backup. Cursors without a store, as older versions made them, are accepted if there was such a
// change.
func testCursors(t *testing.T, url string) {
	ctx := context.Background()
	r := newMaker(11)
	s, err := store.Open(ctx, url, store.Options{Days: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	asked := func(s *store.Store, c store.Cursor) (store.Cursor, error) {
		next, _, err := s.Changed(ctx, c, 0, func(*fleet.API) error { return nil })
		return next, err
	}
	ingest(t, s, r.batch())
	settle(t, s)
	var backup bytes.Buffer
	if err := s.Backup(ctx, &backup); err != nil {
		t.Fatal(err)
	}
	at, err := asked(s, "")
	if err != nil {
		t.Fatal(err)
	}
	old := at[:strings.LastIndexByte(string(at), '.')]
	if next, err := asked(s, old); err != nil || next != at {
		t.Errorf("after %q comes %q: %v", old, next, err)
	}
	if _, err := asked(s, "999999999.7fffffffffffffff"); !errors.Is(err, store.ErrCursor) {
		t.Errorf("a cursor behind all changes: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, url, store.Options{})
	if next, err := asked(s, at); err != nil || next != at {
		t.Errorf("opened again, after %q comes %q: %v", at, next, err)
	}
	restored := open(t, filepath.Join(t.TempDir(), "restored.db"), store.Options{})
	if err := restored.Restore(ctx, &backup); err != nil {
		t.Fatal(err)
	}
	if _, err := asked(restored, at); !errors.Is(err, store.ErrCursor) {
		t.Errorf("a cursor of the store before: %v", err)
	}
	if _, err := asked(restored, old); err != nil {
		t.Errorf("a cursor without a store: %v", err)
	}
}

// A client that follows the changes, however often it asks, gets every change.
func testChanged(t *testing.T, url string) {
	r := newMaker(4)
	ctx := context.Background()
	s := open(t, url, store.Options{})
	seen := map[registry.ID]fleet.API{}
	var cursor store.Cursor
	follow := func(limit int) {
		for {
			n := 0
			next, more, err := s.Changed(ctx, cursor, limit, func(a *fleet.API) error { seen[a.ID] = *a; n++; return nil })
			if err != nil {
				t.Fatal(err)
			}
			if cursor = next; limit > 0 && n > limit {
				t.Errorf("%d of at most %d", n, limit)
			}
			if !more {
				return
			}
		}
	}
	for range 20 {
		ingest(t, s, r.batch())
		follow(r.IntN(4))
	}
	settle(t, s)
	follow(3)
	want := map[registry.ID]fleet.API{}
	if _, _, err := s.Changed(ctx, "", 0, func(a *fleet.API) error { want[a.ID] = *a; return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, seen); diff != "" {
		t.Errorf("(-all +followed)\n%s", diff)
	}
	for _, bad := range []store.Cursor{"x", "1", "1.zz", "1.1 ", "1.1.", "1.1.zz", "1.1.1.1"} {
		if _, _, err := s.Changed(ctx, bad, 0, nil); err == nil {
			t.Errorf("cursor %q was taken", bad)
		}
	}
	if _, err := s.API(ctx, 4711); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if _, err := s.Figures(ctx, 4711, fleet.Filter{}, fleet.ByDay); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

func testTokens(t *testing.T, url string) {
	ctx := context.Background()
	now := time.Now().Truncate(time.Millisecond).UTC()
	s := open(t, url, store.Options{})
	want := []store.Token{
		{ID: "a", Hash: [32]byte{1}, Name: "CI of the shop", Scopes: []string{"ingest"}, Created: now},
		{ID: "b", Hash: [32]byte{2}, Scopes: []string{"read", "admin"}, Created: now.Add(time.Second), Expires: now.Add(time.Hour)},
	}
	for _, token := range want {
		if err := s.AddToken(ctx, token); err != nil {
			t.Fatal(err)
		}
	}
	for _, token := range []store.Token{{ID: "a", Hash: [32]byte{3}}, {ID: "c", Hash: [32]byte{2}}, {Hash: [32]byte{4}}, {ID: "d", Scopes: []string{"a b"}}} {
		if err := s.AddToken(ctx, token); err == nil {
			t.Errorf("%+v was added", token)
		}
	}
	if err := s.RevokeToken(ctx, "c"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if err := s.RevokeToken(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	list, err := s.Tokens(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Revoked.IsZero() {
		t.Fatalf("%+v", list)
	}
	want[0].Revoked = list[0].Revoked
	if diff := gocmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := s.RevokeToken(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if list, _ := s.Tokens(ctx); !list[0].Revoked.Equal(want[0].Revoked) {
		t.Error("a token was revoked twice")
	}
}

// Many clients at once, some of which send the same batches.
func testConcurrent(t *testing.T, url string) {
	r := newMaker(6)
	s := open(t, url, store.Options{Memory: 1 << 20})
	var list []fact
	for range 120 {
		list = append(list, r.batch())
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	taken := map[fleet.BatchID]int{}
	for g := range 8 {
		all.Go(func() {
			for i := range list {
				b := list[(i*7+g*15)%len(list)]
				if i%3 == 0 || g == i%8 {
					receipt, err := s.Ingest(context.Background(), b)
					if err != nil {
						t.Error(err)
						return
					}
					if mu.Lock(); !receipt.Known {
						taken[b.ID]++
					}
					mu.Unlock()
				}
				if i%20 == 0 {
					if _, _, err := s.Profile(context.Background(), fleet.Filter{}, 5); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	var came []fact
	for _, b := range list {
		if n := taken[b.ID]; n > 1 {
			t.Errorf("batch %v was taken %d times", b.ID, n)
		} else if n == 1 {
			came = append(came, b)
		}
	}
	checkAll(t, s, came)
}

// A file has one owner.
func TestSecondProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.db")
	open(t, file, store.Options{})
	if _, err := store.Open(context.Background(), file, store.Options{}); err == nil || !strings.Contains(err.Error(), file+": another process has the store open") {
		t.Error(err)
	}
}

// Statistics of old days are merged into months, exactly, and late batches are added there.
func testMonths(t *testing.T, url string) {
	ctx := context.Background()
	r := newMaker(12)
	r.large = true
	s := open(t, url, store.Options{})
	var list []fact
	add := func(b *fleet.Batch) {
		ingest(t, s, b)
		month := *b
		month.Day -= fleet.Day(b.Day.Time().Day() - 1)
		list = append(list, &month)
	}
	for range 20 {
		add(r.batch())
	}
	if err := s.Maintain(ctx); err != nil { // not due yet
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, url, store.Options{Days: 30})
	for range 2 {
		settle(t, s)
		if err := s.Maintain(ctx); err != nil {
			t.Fatal(err)
		}
		checkAll(t, s, list)
		add(r.batch())
	}
	checkAll(t, s, list)
}

// IDs of batches are remembered for some time.
func testForgotten(t *testing.T, url string) {
	r := newMaker(13)
	s := open(t, url, store.Options{Remember: time.Hour})
	b := r.batch()
	ingest(t, s, b)
	if err := s.Maintain(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !ingest(t, s, b).Known {
		t.Error("a batch was forgotten at once")
	}
	settle(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, url, store.Options{Remember: time.Nanosecond})
	time.Sleep(2 * time.Millisecond)
	if err := s.Maintain(context.Background()); err != nil {
		t.Fatal(err)
	}
	if ingest(t, s, b).Known {
		t.Error("a batch was remembered for longer than was asked for")
	}
}

// The parts of a run, sent one by one, count as one run, for each of its APIs too. The run is
// complete if the last part says so, even if that part has nothing else new.
func testParts(t *testing.T, url string) {
	s := open(t, url, store.Options{})
	f := newMaker(16).marker(1)
	f.Count = 10
	passed := func(runs uint64) []profile.Marker {
		m := f
		m.Runs = runs
		return []profile.Marker{m}
	}
	for i, ends := range []bool{true, false} {
		o := fleet.Origin{Build: fmt.Sprintf("example.com/shop@v%d", i)}
		for n, p := range []*profile.Profile{
			{Runs: 1, ElapsedNS: 5, Complete: true, Markers: passed(1)},
			{ElapsedNS: 7, Complete: true, Markers: passed(0)},
			{ElapsedNS: 11, Lost: 3, Complete: ends},
		} {
			ingest(t, s, batchOf(p, o, someDay, fleet.BatchID{Build: o.Build, Sequence: uint32(n)}))
		}
		settle(t, s)
		p, _, err := s.Profile(t.Context(), fleet.Filter{Build: o.Build}, 0)
		if err != nil || p.Runs != 1 || p.ElapsedNS != 23 || p.Lost != 3 || p.Complete != ends {
			t.Errorf("%d runs, %d ns, lost %d, complete %v, %v; it ended in order: %v", p.Runs, p.ElapsedNS, p.Lost, p.Complete, err, ends)
		}
	}
	o := fleet.Origin{Build: "example.com/shop@v2"} // five runs of it are sent as one profile
	ingest(t, s, batchOf(&profile.Profile{Runs: 5, Complete: true, Markers: passed(4)}, o, someDay, fleet.BatchID{Build: o.Build}))
	settle(t, s)
	groups, err := s.Figures(t.Context(), f.ID, fleet.Filter{}, fleet.ByBuild)
	if err != nil || len(groups) != 3 {
		t.Fatal(groups, err)
	}
	for _, g := range groups {
		want := uint64(1)
		if g.Key == o.Build {
			want = 4
		}
		if g.Runs != want || g.Marker.Runs != want {
			t.Errorf("%s: %d runs, of the marker %d; want %d", g.Key, g.Runs, g.Marker.Runs, want)
		}
	}
	if _, _, err := s.Changed(t.Context(), "", 0, func(a *fleet.API) error {
		if a.Runs != 6 {
			t.Errorf("%s was passed in %d runs, want 6", a.Name, a.Runs)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
