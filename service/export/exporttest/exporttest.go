// Package exporttest makes the stores from which tests export.
package exporttest

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/service/store"
)

// Demo returns a profile with known statistics.
func Demo() *profile.Profile {
	return &profile.Profile{Runs: 1, Main: "example.com/app", Version: "v1.2.3", Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64", CPU: "Some 9000", Markers: []profile.Marker{
		{ID: 1, Name: "example.com/app.Get", Package: "example.com/app", Kind: "func", File: "a.go", Line: 3, Col: 1,
			Count: 10, SelfNS: 900, MinNS: 0, MaxNS: 600,
			Buckets: []profile.Bucket{
				{K: 0, Count: 3, SumNS: 1, SumSq: profile.Uint128{Lo: 1}}, // 0, 0 and 1
				{K: 1, Count: 1, SumNS: 3, SumSq: profile.Uint128{Lo: 9}},
				{K: 4, Count: 5, SumNS: 100, SumSq: profile.Uint128{Lo: 2000}},
				{K: 9, Count: 1, SumNS: 600, SumSq: profile.Uint128{Lo: 360000}},
			},
			Readings: []profile.Reading{{Collector: profile.Alloc, Scopes: 10, Values: []profile.Value{
				{Name: profile.AllocBytes, Sum: 48, Buckets: []profile.ValueBucket{{K: 0, Count: 8}, {K: 5, Count: 2, Sum: 48, SumSq: profile.Uint128{Lo: 1152}}}},
				{Name: profile.AllocObjects, Sum: 2, Buckets: []profile.ValueBucket{{K: 0, Count: 8}, {K: 1, Count: 2, Sum: 2, SumSq: profile.Uint128{Lo: 2}}}},
			}}}},
		{ID: 2, Name: "example.com/app.hits", Package: "example.com/app", Kind: "point", File: "a.go", Line: 9, Col: 1, CountOnly: true, Count: 7},
	}}
}

// Store returns a store with the profiles as batches.
func Store(t *testing.T, ps ...*profile.Profile) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "fleet.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	Ingest(t, s, ps...)
	return s
}

// Ingest adds the profiles as batches.
func Ingest(t *testing.T, s *store.Store, ps ...*profile.Profile) {
	t.Helper()
	for _, p := range ps {
		body, err := codec.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		id := fleet.BatchID{Build: p.Build(), Run: fleet.NewRunID()}
		if _, err := s.Ingest(context.Background(), &fleet.Batch{ID: id, Origin: fleet.OriginOf(p), Day: fleet.DayOf(time.Now()), Profile: p, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// Build returns Demo with another version.
func Build(version string) *profile.Profile {
	p := Demo()
	p.Version = version
	return p
}
