package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/store"
)

// manyAPIs is several times the number of APIs read at once.
const manyAPIs = 900

// many returns a batch with one call of each of manyAPIs APIs.
func many(sequence uint32) *fleet.Batch {
	p := &profile.Profile{Runs: 1, Complete: true, Start: someDay.Time()}
	for i := range manyAPIs {
		m := profile.Marker{ID: idOf(i), Package: "example.com/p", Name: fmt.Sprintf("example.com/p.F%04d", i), Kind: "func", Runs: 1, Count: uint64(i + 1), CountOnly: true}
		m.AsOf = someDay.Time().UnixNano()
		p.Markers = append(p.Markers, m)
	}
	o := fleet.Origin{Build: fmt.Sprintf("example.com/shop@v%d", sequence)}
	return batchOf(p, o, someDay, fleet.BatchID{Build: o.Build, Sequence: sequence})
}

// works checks that the store answers queries and accepts batches, in less time than a wait for a
// connection would take.
func works(t *testing.T, s *store.Store, b *fleet.Batch) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if err := s.Ping(ctx); err != nil {
		t.Error(err)
	}
	if _, err := s.Ingest(ctx, b); err != nil {
		t.Error(err)
	}
	if _, err := s.Figures(ctx, idOf(1), fleet.Filter{}, fleet.ByBuild); err != nil {
		t.Error(err)
	}
}

// While many clients read the catalogue slowly, other queries are answered and batches are
// accepted; in the end each client has all of it.
func testReaders(t *testing.T, url string) {
	s := open(t, url, store.Options{})
	first := many(0)
	ingest(t, s, first)
	settle(t, s)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	const readers = 24
	begun, release := make(chan struct{}, readers), make(chan struct{})
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			n := 0
			err := s.Each(ctx, fleet.Filter{}, func(*profile.Marker) error {
				if n++; n == 10 {
					begun <- struct{}{}
					<-release
				}
				return nil
			})
			if err != nil || n != manyAPIs {
				t.Errorf("%d APIs, want %d; %v", n, manyAPIs, err)
			}
		})
	}
	for n := range readers {
		select {
		case <-begun:
			continue
		case <-time.After(10 * time.Second):
			t.Errorf("%d of %d readers have begun", n, readers)
		}
		break
	}
	works(t, s, many(1))
	close(release)
	all.Wait()
}

// While a catalogue is read, changes make no API appear twice or not at all, and the statistics of
// each are consistent: those before a change or those after it.
func testEach(t *testing.T, url string) {
	s := open(t, url, store.Options{})
	ingest(t, s, many(0))
	settle(t, s)
	got := map[registry.ID]uint64{}
	var names []string
	if err := s.Each(t.Context(), fleet.Filter{Package: "example.com/*"}, func(m *profile.Marker) error {
		if len(names) == 100 || len(names) == 500 {
			ingest(t, s, many(uint32(len(names))))
			settle(t, s)
		}
		names = append(names, m.Name)
		got[m.ID] = m.Count
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	times := map[uint64]int{} // number of APIs by number of batches in their statistics
	for i := range manyAPIs {
		count := got[idOf(i)]
		if count == 0 || count%uint64(i+1) > 0 || names[i] != fmt.Sprintf("example.com/p.F%04d", i) {
			t.Fatalf("%d: %s, %d scopes of %d a batch", i, names[i], count, i+1)
		}
		times[count/uint64(i+1)]++
	}
	if len(names) != manyAPIs || len(times) != 3 || times[1] == 0 || times[2] == 0 || times[3] == 0 {
		t.Errorf("%d APIs; by how many batches they have: %v", len(names), times)
	}
	p, _, err := s.Profile(t.Context(), fleet.Filter{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := s.Each(t.Context(), fleet.Filter{}, func(m *profile.Marker) error {
		if diff := gocmp.Diff(*m, p.Markers[n], same); diff != "" {
			t.Error(diff)
		}
		n++
		return nil
	}); err != nil || n != len(p.Markers) {
		t.Errorf("%d of %d, %v", n, len(p.Markers), err)
	}
}

// A stuck accepts nothing before it is released.
type stuck struct {
	begun, release chan struct{}
	once           sync.Once
	bytes.Buffer
}

func (w *stuck) Write(b []byte) (int, error) {
	w.once.Do(func() { w.begun <- struct{}{} })
	<-w.release
	return w.Buffer.Write(b)
}

// Backups that are read slowly leave connections free for other requests, and all are complete.
func testBackups(t *testing.T, url string) {
	s := open(t, url, store.Options{})
	r := newMaker(21)
	r.apis = 400
	for range 5 { // more than the buffers in between have room for
		ingest(t, s, r.batch())
	}
	settle(t, s)
	release := make(chan struct{})
	begun := make(chan struct{}, 12)
	var all sync.WaitGroup
	for range cap(begun) {
		all.Go(func() {
			w := &stuck{begun: begun, release: release}
			if err := s.Backup(t.Context(), w); err != nil {
				t.Error(err)
			}
			if w.Len() == 0 {
				t.Error("an empty backup")
			}
		})
	}
	<-begun
	time.Sleep(100 * time.Millisecond) // let the others wait
	works(t, s, many(1))
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer stop()
	if err := s.Backup(ctx, io.Discard); err == nil {
		t.Error("two at a time")
	}
	close(release)
	all.Wait()
}

// The state changes whenever an answer may: when statistics arrive, when only numbers of runs
// change, and when days are merged into months. Otherwise it stays the same.
func testState(t *testing.T, url string) {
	s := open(t, url, store.Options{})
	state := func() string {
		t.Helper()
		settle(t, s)
		at, err := s.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	seen := map[string]bool{state(): true}
	changed := func(what string) {
		t.Helper()
		at := state()
		if seen[at] {
			t.Errorf("%s, and the state is as it was", what)
		}
		if seen[at] = true; state() != at {
			t.Errorf("after %s: the state is another, and nothing came", what)
		}
	}
	b := many(0)
	ingest(t, s, b)
	changed("figures came")
	o := fleet.Origin{Build: "example.com/shop@v0"}
	ingest(t, s, batchOf(&profile.Profile{Runs: 3, Complete: true}, o, someDay+1, fleet.BatchID{Build: o.Build, Sequence: 7}))
	changed("runs came without figures")
	ingest(t, s, b)
	if at := state(); !seen[at] {
		t.Error("a batch came twice, and the state is another")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, url, store.Options{Days: 30})
	if at := state(); !seen[at] {
		t.Error("the store was opened again, and the state is another")
	}
	if err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	changed("days became a month")
}

// Names that are equal in the tables are one name, also within one marker: names with characters
// that a table rejects, and a name equal to the shortened form of another.
func testSameNames(t *testing.T, url string) {
	s := open(t, url, store.Options{})
	reading := func(collector string, scopes, sum uint64) profile.Reading {
		b := []profile.ValueBucket{{K: 3, Count: 1, Sum: sum, SumSq: profile.Square(sum)}}
		return profile.Reading{Collector: collector, Scopes: scopes, Values: []profile.Value{
			{Name: "n\x00", Sum: sum, Buckets: b}, {Name: "n\ufffd", Sum: 10 * sum, Self: 1},
		}}
	}
	long := strings.Repeat("x", 600)
	cut := fmt.Sprintf("%s…%016x", long[:400-16-len("…")], xxhash.Sum64String(long))
	m := profile.Marker{ID: 5, Package: "a", Name: "a.F", Kind: "func", Runs: 1, Count: 9, CountOnly: true,
		Readings: []profile.Reading{reading("c\x00", 2, 5), reading("c\ufffd", 3, 7), reading(long, 2, 5), reading(cut, 3, 7)}}
	ingest(t, s, batchOf(&profile.Profile{Runs: 1, Complete: true, Markers: []profile.Marker{m}}, fleet.Origin{}, someDay, fleet.BatchID{}))
	settle(t, s)
	groups, err := s.Figures(t.Context(), m.ID, fleet.Filter{}, fleet.NoGrouping)
	if err != nil || len(groups) != 1 {
		t.Fatal(groups, err)
	}
	values := []profile.Value{{Name: "n\ufffd", Sum: 11 * 12, Self: 2, Buckets: []profile.ValueBucket{{K: 3, Count: 2, Sum: 12, SumSq: profile.Uint128{Lo: 25 + 49}}}}}
	want := []profile.Reading{{Collector: "c\ufffd", Scopes: 5, Values: values}, {Collector: cut, Scopes: 5, Values: values}}
	if diff := gocmp.Diff(want, groups[0].Marker.Readings, same); diff != "" || groups[0].Marker.Count != 9 {
		t.Errorf("%d scopes; (-want +got)\n%s", groups[0].Marker.Count, diff)
	}
}
