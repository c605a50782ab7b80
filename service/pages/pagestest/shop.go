// Package pagestest makes a store with a fleet's statistics, and the pages of the service that show
// it, for tests of the pages.
package pagestest

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/pages"
	"github.com/markgen/markgen/service/store"
)

// Now is the current time of the tests.
var Now = time.Date(2026, 5, 12, 15, 4, 5, 0, time.UTC)

// Hostile are names that an attacker might send.
var Hostile = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`'; DROP TABLE api; --`,
	"abc\u202etxt.exe\u2066",
	`{{.Title}}`,
	`javascript:alert(1)`,
	"Ünï.(*Cödé).Wörld世界",
}

// Addresses have at least one page of each kind.
var Addresses = []string{
	"/",
	"/search?q=buf+write",
	"/package/bytes",
	"/package/bytes?kind=all&sort=total",
	"/api/0000000000001000",
	"/api/0000000000001005",
	"/compare",
	"/compare?old=example.com/shop/cmd/shop@v1.1.1&new=example.com/shop/cmd/shop@v1.3.0",
	"/new",
}

// A Shop is a store with statistics of some releases of a program on some machines: functions of
// all shapes, memory and sizes, loops, and hostile names.
type Shop struct {
	*store.Store
	Index *catalogue.Index
}

// Pages returns the pages of the shop, at Now.
func (s *Shop) Pages() *pages.Pages {
	return pages.New(pages.Options{Store: s, Catalogue: s.Index, Now: func() time.Time { return Now }})
}

// NewShop returns the shop, whose store is closed at the end of the test.
func NewShop(t testing.TB) *Shop {
	t.Helper()
	var clock atomic.Pointer[time.Time]
	clock.Store(&Now)
	ctx := context.Background()
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "fleet.db"), store.Options{Now: func() time.Time { return *clock.Load() }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, b := range Batches() {
		clock.Store(&b.At)
		file, err := codec.Encode(b.Profile)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Ingest(ctx, &fleet.Batch{
			ID: fleet.BatchID{Build: b.Origin.Build, Run: fleet.NewRunID()}, Origin: b.Origin, Day: fleet.DayOf(b.At), Profile: b.Profile, Body: file,
		})
		if err == nil {
			err = s.Settle(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	x := catalogue.New()
	follow, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		x.Follow(follow, s, catalogue.Options{Every: time.Millisecond})
		close(done)
	}()
	for !x.Ready() {
		time.Sleep(time.Millisecond)
	}
	stop()
	<-done
	return &Shop{s, x}
}

// A Batch is what some runs on one kind of machine sent, and when.
type Batch struct {
	Origin  fleet.Origin
	At      time.Time
	Profile *profile.Profile
}

// Batches returns the batches in the order of arrival.
func Batches() (list []Batch) {
	long := ""
	for len(long) < 10_000 {
		long += "VeryLongNamesAreNotForbidden"
	}
	names := []struct {
		pkg, name, kind string
		mean, width     float64
	}{
		{"bytes", "(*Buffer).Write", "func", 60, 0.2},
		{"bytes", "(*Buffer).Write:for#1", "loop", 9, 0.1},
		{"bytes", "(*Buffer).Write:if#1.then", "branch", 30, 0.4},
		{"bytes", "(*Buffer).WriteString", "func", 45, 0.3},
		{"bytes", "Equal", "func", 12, 0.1},
		{"example.com/shop/cart", "(*Cart).Add", "func", 4200, 0.6},
		{"example.com/shop/cart", "(*Cart).Total", "func", 900, 0.3},
		{"example.com/shop/cart", "Price", "func", 310, 0.05},
		{"example.com/shop/store", "Open", "func", 3e7, 1.2},
		{"example.com/shop/store", "(*Store).Get", "func", 85_000, 1.8},
		{"example.com/shop/store", "(*Store).Get:switch#1.case#2", "branch", 1e6, 0.9},
		{"", "parse headers", "region", 700, 0.5},
		{"example.com/shop/once", "Only", "func", 5000, 0},
		{"example.com/shop/" + long[:300], long, "func", 100, 0.2},
	}
	for _, name := range Hostile {
		names = append(names, struct {
			pkg, name, kind string
			mean, width     float64
		}{"example.com/hostile", name, "func", 50, 0.2})
	}
	names = append(names, struct {
		pkg, name, kind string
		mean, width     float64
	}{"example.com/" + Hostile[0], "Path", "func", 50, 0.2})
	r := rand.New(rand.NewPCG(1, 1))
	versions := []string{"v1.0.0", "v1.1.0", "v1.1.1", "v1.2.0", "v1.3.0"}
	machines := []fleet.Origin{
		{Go: "go1.25.3", GOOS: "linux", GOARCH: "amd64", CPU: "AMD EPYC 7B13"},
		{Go: "go1.26.0", GOOS: "linux", GOARCH: "amd64", CPU: "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz"},
		{Go: "go1.26.0", GOOS: "linux", GOARCH: "arm64", CPU: "Neoverse-N1"},
		{Go: "go1.26.0", GOOS: "darwin", GOARCH: "arm64", CPU: ""},
	}
	for v, version := range versions {
		for k, o := range machines {
			o.Build = "example.com/shop/cmd/shop@" + version
			if v == 4 && k == 3 {
				o.Build = "example.com/" + Hostile[0] + "@v1"
			}
			b := Batch{Origin: o, At: Now.AddDate(0, 0, 5*(v-4)).Add(time.Duration(k-4) * time.Hour)}
			b.Profile = &profile.Profile{App: "shop", Runs: 3000 + 1000*k, Start: b.At, ElapsedNS: 1e9, Complete: true}
			for i, n := range names {
				if n.name == "Price" && v < 4 || n.name == "Only" && (v > 0 || k > 0) {
					continue
				}
				factor := 1 + 0.15*float64(k)
				if n.name == "(*Cart).Add" && v >= 3 {
					factor *= 1.4
				}
				if n.name == "(*Cart).Total" && v >= 4 {
					factor *= 0.7
				}
				count := 400 + r.IntN(5000)
				if n.name == "Only" {
					count = 1
				}
				m := marker(r, registry.ID(0x1000+i), n.pkg, n.name, n.kind, count, n.mean*factor, n.width)
				m.Runs = min(m.Count, uint64(b.Profile.Runs))
				b.Profile.Markers = append(b.Profile.Markers, m)
			}
			slices.SortFunc(b.Profile.Markers, func(a, b profile.Marker) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
			list = append(list, b)
		}
	}
	return list
}

// marker returns a marker with log-normally distributed times.
func marker(r *rand.Rand, id registry.ID, pkg, name, kind string, count int, mean, width float64) profile.Marker {
	k := profile.Marker{ID: id, Package: pkg, Name: name, Kind: kind, File: "shop/file.go", Line: 12, Col: 1, Runs: 1, Count: uint64(count), MinNS: math.MaxUint64}
	if pkg != "" {
		k.Name = pkg + "." + name
	}
	times, bytes, sizes := map[uint8]*profile.Bucket{}, map[uint8]*profile.ValueBucket{}, map[uint8]*profile.SizeBucket{}
	reading := profile.Reading{Collector: profile.Alloc, Scopes: uint64(count), Values: []profile.Value{{Name: profile.AllocBytes}, {Name: profile.AllocObjects}}}
	for range count {
		ns := uint64(max(1, mean*math.Exp(width*r.NormFloat64())))
		if name == "(*Cart).Add" && r.IntN(20) == 0 {
			ns *= 40
		}
		k.MinNS, k.MaxNS = min(k.MinNS, ns), max(k.MaxNS, ns)
		b := times[uint8(bits.Len64(ns)-1)]
		if b == nil {
			b = &profile.Bucket{K: uint8(bits.Len64(ns) - 1)}
			times[b.K] = b
		}
		b.Count++
		b.SumNS += ns
		b.SumSq = b.SumSq.Add(profile.Square(ns))
		k.SelfNS += ns / 2
		if name == "(*Buffer).Write" {
			n := uint64(r.ExpFloat64() * 500)
			v := bytes[uint8(bits.Len64(n))]
			if v == nil {
				v = &profile.ValueBucket{K: uint8(bits.Len64(n))}
				bytes[v.K] = v
			}
			v.Count++
			v.Sum += n
			v.SumSq = v.SumSq.Add(profile.Square(n))
			reading.Values[0].Sum += n
			reading.Values[1].Sum++
			s := sizes[uint8(bits.Len64(n))]
			if s == nil {
				s = &profile.SizeBucket{K: uint8(bits.Len64(n))}
				sizes[s.K] = s
			}
			s.Count++
			s.SumSize = s.SumSize.Add(profile.Uint128{Lo: n})
			s.SumNS += ns
			s.SumSq = s.SumSq.Add(profile.Square(ns))
		}
	}
	for i := range uint8(64) {
		if b := times[i]; b != nil {
			k.Buckets = append(k.Buckets, *b)
		}
		if b := bytes[i]; b != nil {
			reading.Values[0].Buckets = append(reading.Values[0].Buckets, *b)
		}
		if b := sizes[i]; b != nil {
			k.Sizes = append(k.Sizes, *b)
		}
	}
	if name == "(*Buffer).Write" {
		k.Readings = []profile.Reading{reading}
	}
	return k
}
