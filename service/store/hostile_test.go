package store_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/service/store"
)

// Limits are exact, and what is refused leaves nothing behind.
func testLimits(t *testing.T, url string) {
	r := newMaker(5)
	s := open(t, url, store.Options{MaxAPIs: 10, MaxOrigins: 2})
	ctx := context.Background()
	of := func(from, to int, cpu string) *fleet.Batch {
		p := r.profile(someDay.Time())
		p.Markers = nil
		for i := from; i < to; i++ {
			p.Markers = append(p.Markers, r.marker(i))
		}
		slices.SortFunc(p.Markers, func(a, b profile.Marker) int { return cmp.Compare(a.Name, b.Name) })
		r.next++
		return batchOf(p, fleet.Origin{Build: "b@v1", CPU: cpu}, someDay, fleet.BatchID{Build: "b@v1", Sequence: r.next})
	}
	list := []fact{of(0, 8, "A"), of(4, 10, "B")}
	for _, b := range list {
		if !ingest(t, s, b).NewOrigin {
			t.Errorf("the origin of %s is not said to be new", b.Origin.CPU)
		}
	}
	byToken := of(0, 1, "A") // another token is another origin
	byToken.Token = "other"
	for _, b := range []*fleet.Batch{of(9, 11, "A"), of(0, 1, "C"), byToken} {
		for range 2 {
			if _, err := s.Ingest(ctx, b); !errors.Is(err, store.ErrFull) {
				t.Errorf("error %v, want ErrFull", err)
			}
		}
	}
	last := of(9, 10, "A")
	if ingest(t, s, last).NewOrigin {
		t.Error("an origin is said to be new that is not")
	}
	checkAll(t, s, append(list, last))
}

// An API has the name and position of the newest run, whatever the order of arrival; of runs with
// the same or an unknown start, of the last to arrive. A start in the future counts as the hour of
// arrival.
func testWords(t *testing.T, url string) {
	now := someDay.Time().Add(12 * time.Hour)
	s := open(t, url, store.Options{Now: func() time.Time { return now }})
	if strings.HasPrefix(url, "postgres") { // it uses its own clock
		now = time.Now().Truncate(time.Hour)
	}
	r := newMaker(7)
	for i, step := range []struct {
		name  string
		start time.Time
		want  string
	}{
		{"M", time.Time{}, "M"},
		{"Z", time.Time{}, "Z"},
		{"A", time.Time{}, "A"},
		{"H", now.Add(-7 * time.Hour), "H"},
		{"Z", now.Add(-8 * time.Hour), "H"},
		{"Z", time.Time{}, "H"},
		{"C", now.Add(-7 * time.Hour).Add(time.Minute), "C"},
		{"B", now.Add(-7 * time.Hour), "B"},
		{"Evil", now.AddDate(30, 0, 0), "Evil"},
		{"B", now.Add(-7 * time.Hour), "Evil"},
		{"A", now, "A"},
		{"Evil", now.AddDate(30, 0, 0), "Evil"},
		{"D", now, "D"},
	} {
		m := r.marker(0)
		m.Name, m.Line = "example.com/p0."+step.name, 100+i%3
		p := r.profile(someDay.Time())
		m.AsOf = max(0, step.start.UnixNano())
		p.Newest = m.AsOf
		p.Markers = []profile.Marker{m}
		if i%2 == 0 { // every second pair is written together
			settle(t, s)
		}
		ingest(t, s, batchOf(p, fleet.Origin{Build: fmt.Sprintf("b@v%d", i)}, someDay, fleet.BatchID{Sequence: uint32(i)}))
		if i%2 == 0 {
			continue
		}
		settle(t, s)
		a, err := s.API(context.Background(), m.ID)
		if err != nil {
			t.Fatal(err)
		}
		if a.Name != "example.com/p0."+step.want {
			t.Errorf("after %d: %s, want %s", i, a.Name, step.want)
		}
	}
	settle(t, s)
	if a, err := s.API(context.Background(), r.marker(0).ID); err != nil || a.Name != "example.com/p0.D" {
		t.Errorf("in the end: %v, %v", a, err)
	}
}

// Names that no Go program can have do no harm.
func testHostile(t *testing.T, url string) {
	r := newMaker(14)
	s := open(t, url, store.Options{})
	ctx := context.Background()
	long := strings.Repeat("ä", 40000)
	for i, text := range []string{"", "\x00", "a\x00b", long, "'; DROP TABLE api; --", "$1", "\U0010ffff", "%s", `\`, "\t"} {
		m := r.marker(i)
		m.Package, m.Name, m.File = "", "F"+text, text
		if !strings.Contains(text, "\t") {
			m.Kind, m.Group = "k"+text, text
		}
		m.Readings = []profile.Reading{{Collector: text, Values: []profile.Value{{Name: text, Sum: 5}}}}
		p := &profile.Profile{Runs: 1, Markers: []profile.Marker{m}}
		b := batchOf(p, fleet.Origin{Build: text, Go: text, GOOS: text, GOARCH: text, CPU: text}, someDay, fleet.BatchID{Build: text, Sequence: uint32(i)})
		ingest(t, s, b)
		if !ingest(t, s, b).Known {
			t.Errorf("%.20q was taken twice", text)
		}
		settle(t, s)
		groups, err := s.Figures(ctx, m.ID, fleet.Filter{}, fleet.ByBuild)
		if err != nil || len(groups) != 1 || held(groups[0].Marker.Count) != held(m.Count) || len(groups[0].Marker.Readings) != 1 {
			t.Errorf("%.20q: %v, %v", text, groups, err)
		}
	}
	// Names of one marker with equal beginnings stay distinct when shortened.
	m := r.marker(100)
	value := []profile.Value{{Name: "read_bytes", Sum: 1}}
	m.Readings = []profile.Reading{{Collector: long + "1", Scopes: 1, Values: value}, {Collector: long + "2", Scopes: 1, Values: value}}
	ingest(t, s, batchOf(&profile.Profile{Runs: 1, Markers: []profile.Marker{m}}, fleet.Origin{}, someDay, fleet.BatchID{Sequence: 100}))
	settle(t, s)
	if groups, err := s.Figures(ctx, m.ID, fleet.Filter{}, fleet.ByBuild); err != nil || len(groups) != 1 || len(groups[0].Marker.Readings) != 2 {
		t.Errorf("of two collectors whose names begin alike there are %+v, %v", groups, err)
	}
	if _, _, err := s.Profile(ctx, fleet.Filter{}, 0); err != nil {
		t.Error(err)
	}
	if _, err := s.Origins(ctx, fleet.Filter{}); err != nil {
		t.Error(err)
	}
}

// FuzzBatch: every body that can be decoded is summed as package profile sums it.
func FuzzBatch(f *testing.F) {
	ctx := context.Background()
	s, err := store.Open(ctx, filepath.Join(f.TempDir(), "fleet.db"), store.Options{Days: 1e6})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	r := newMaker(15)
	for range 5 {
		f.Add(r.batch().Body[16:])
	}
	f.Fuzz(func(t *testing.T, rest []byte) {
		body := binary.LittleEndian.AppendUint32([]byte("markgen\x01\x01\x00\x00\x00"), crc32.Checksum(rest, crc32.MakeTable(crc32.Castagnoli)))
		body = append(body, rest...)
		p, err := codec.Decode(body, "x")
		if err != nil {
			return
		}
		o := fleet.Origin{Build: fleet.NewRunID().String()} // only this batch has it
		b := &fleet.Batch{ID: fleet.BatchID{Build: o.Build}, Origin: o, Day: someDay, Profile: p, Body: body}
		if _, err := s.Ingest(ctx, b); err != nil {
			if errors.Is(err, store.ErrFull) { // too many collectors
				return
			}
			t.Fatal(err)
		}
		settle(t, s)
		for i := range p.Markers {
			want := &p.Markers[i]
			groups, err := s.Figures(ctx, want.ID, fleet.Filter{Build: o.Build}, fleet.NoGrouping)
			if err != nil || len(groups) != 1 {
				t.Fatalf("%v: %d groups, %v", want.ID, len(groups), err)
			}
			got := groups[0].Marker
			if len(want.Readings) == 0 { // their names may be too long to be distinguished
				got.Name, got.Package, got.Kind = want.Name, want.Package, want.Kind
				if diff := gocmp.Diff(*want, got, same); diff != "" {
					t.Fatalf("(-sent +got)\n%s", diff)
				}
			} else if held(got.Count) != held(want.Count) {
				t.Fatalf("count %d, want %d", got.Count, want.Count)
			}
		}
	})
}
