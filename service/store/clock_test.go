//go:build unix

package store_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/service/store"
	"github.com/markgen/markgen/tier"
)

// A clock that was ahead and is set back does no lasting harm: statistics are still written and
// rolled up, and names are those of the newest run.
func TestClockSetBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fleet.db")
	var now atomic.Pointer[time.Time]
	set := func(at time.Time) { now.Store(&at) }
	send := func(s *store.Store, name string, sequence uint32) {
		t.Helper()
		m := profile.Marker{ID: idOf(1), Package: "example.com/p", Name: "example.com/p." + name, Kind: "func", Runs: 1, Count: 1, CountOnly: true}
		m.AsOf = now.Load().UnixNano()
		p := &profile.Profile{Runs: 1, Complete: true, Markers: []profile.Marker{m}}
		p.Newest = now.Load().UnixNano()
		ingest(t, s, batchOf(p, fleet.Origin{Build: name}, fleet.DayOf(*now.Load()), fleet.BatchID{Build: name, Sequence: sequence}))
		settle(t, s)
		if a, err := s.API(context.Background(), m.ID); err != nil || a.Name != m.Name || a.Count != uint64(sequence)+1 {
			t.Errorf("%+v, %v; want %s and %d scopes", a, err, m.Name, sequence+1)
		}
	}
	set(someDay.Time().AddDate(5, 0, 0))
	o := store.Options{Days: 30, Now: func() time.Time { return *now.Load() }}
	s := open(t, file, o)
	send(s, "Ahead", 0)
	set(someDay.Time())
	send(s, "Before", 1)
	if err := s.Maintain(context.Background()); err != nil {
		t.Error(err)
	}
	send(s, "Now", 2)
}

// A dead server is detected, and its log recovered, even if the database's clock was set back.
func TestClockSetBackPostgres(t *testing.T) {
	tier.Test(t)
	ctx := context.Background()
	url := database(t)
	s := open(t, url, store.Options{})
	b := newMaker(3).batch()
	ingest(t, s, b)
	settle(t, s)
	db, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	for _, text := range []string{
		"INSERT INTO writer (id, owner, beat) VALUES (99, 'dead', (extract(epoch FROM clock_timestamp() + interval '1 year') * 1000)::bigint)",
		"INSERT INTO written (writer, chunk, number) SELECT 99, chunk, 0 FROM generate_series(0, 256) AS chunk",
	} {
		if _, err := db.Exec(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec(ctx, "INSERT INTO log (writer, number, origin, day, body) VALUES (99, 1, 1, $1, $2)", int64(b.Day), b.Body); err != nil {
		t.Fatal(err)
	}
	settle(t, s)
	checkAll(t, s, []fact{b, b})
}
