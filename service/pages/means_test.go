package pages_test

import (
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/pages"
	"github.com/markgen/markgen/service/store"
)

// The mean is the same on all pages: that of the timed calls, including recursive ones.
func TestMeans(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir()+"/fleet.db", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := profile.Marker{
		ID: 0x77, Package: "example.com/tree", Name: "example.com/tree.walk", Kind: "func", File: "tree.go", Line: 3, Col: 1,
		Runs: 1, Count: 10, MinNS: 300, MaxNS: 2400, NestedNS: 3000, // 3.6 µs in total, of ten calls, eight of them timed
		Buckets: []profile.Bucket{
			{K: 8, Count: 6, SumNS: 6 * 300, SumSq: profile.Uint128{Lo: 6 * 300 * 300}},
			{K: 11, Count: 2, SumNS: 2 * 2400, SumSq: profile.Uint128{Lo: 2 * 2400 * 2400}},
		},
	}
	p := &profile.Profile{Runs: 1, Complete: true, Main: "example.com/tree", Markers: []profile.Marker{m}}
	body, err := codec.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ingest(t.Context(), &fleet.Batch{ID: fleet.BatchID{Build: "b"}, Origin: fleet.Origin{Build: "b"}, Day: fleet.DayOf(time.Now()), Profile: p, Body: body}); err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	x := catalogue.New()
	if _, _, err := s.Changed(t.Context(), "", 0, func(a *fleet.API) error { x.Put(*a); return nil }); err != nil {
		t.Fatal(err)
	}
	h := pages.New(pages.Options{Store: s, Catalogue: x})
	for address, want := range map[string]string{
		"/api/0000000000000077":     "A call takes 825ns on average",
		"/":                         "10 825ns 3.60µs",
		"/package/example.com/tree": "10 825ns 3.60µs",
		"/search?q=walk":            "10 calls, 825ns each",
	} {
		if _, text := get(t, h, address); !strings.Contains(words(text), want) {
			t.Errorf("%s does not say %q; it says\n%.2000s", address, want, words(text))
		}
	}
}
