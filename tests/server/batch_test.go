package server_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/service/server"
)

// A batch counts once, gzipped or not, however often it is sent, and queries return what was sent.
func TestBatch(t *testing.T) {
	at := start(t, server.Options{}, server.Limits{}, nil)
	run := fleet.NewRunID()
	p := made(40, 1, "example.com/shop@v1.0.0")
	body := encoded(t, p)
	var got struct {
		Known   bool
		Markers int
	}
	for i, want := range []int{201, 200, 200} {
		r := at.put(run, "0", packed(t, body), "Content-Encoding: gzip", "Markgen-Age: 3.5", "Markgen-Version: v9")
		if i == 2 {
			r = at.put(run, "0", body)
		}
		if r.status != want {
			t.Fatalf("time %d: %d\n%s", i+1, r.status, r.body)
		}
		if r.into(t, &got); got.Known != (i > 0) || i == 0 && got.Markers != len(p.Markers) || i > 0 && got.Markers != 0 {
			t.Errorf("time %d: %+v, and %d markers were sent", i+1, got, len(p.Markers))
		}
	}
	other := made(41, 2, "example.com/shop@v1.0.0")
	if r := at.put(run, "0", encoded(t, other)); r.status != 409 || r.problem() != "batch-conflict" {
		t.Errorf("other bytes: %d\n%s", r.status, r.body)
	}
	if r := at.put(run, "1", encoded(t, other)); r.status != 201 {
		t.Errorf("the next batch of the run: %d\n%s", r.status, r.body)
	}
	at.settle()
	c := client.Client{Server: at.url, Token: at.token["read"]}
	sum, err := c.Profile(t.Context(), client.Query{})
	if err != nil {
		t.Fatal(err)
	}
	want := profile.Merge([]*profile.Profile{p, other})
	if diff := cmp.Diff(figuresOf(want), figuresOf(sum)); diff != "" {
		t.Error(diff)
	}
	if sum.Runs != want.Runs {
		t.Errorf("%d runs, and %d were sent", sum.Runs, want.Runs)
	}
}

// Call paths are added up and asked for by build.
func TestPaths(t *testing.T) {
	at := start(t, server.Options{}, server.Limits{}, nil)
	var list []*profile.Profile
	for i, build := range []string{"example.com/shop@v1.0.0", "example.com/shop@v1.0.0", "example.com/shop@v1.1.0"} {
		p := made(40, 1, build)
		p.Paths = profiletest.RandomPaths(p, 200, uint64(i))
		list = append(list, p)
		if r := at.put(fleet.NewRunID(), "0", packed(t, encoded(t, p)), "Content-Encoding: gzip"); r.status != 201 {
			t.Fatalf("%d\n%s", r.status, r.body)
		}
	}
	at.settle()
	c := client.Client{Server: at.url, Token: at.token["read"]}
	for build, list := range map[string][]*profile.Profile{"": list, "*@v1.0.0": list[:2], "none": nil} {
		got, err := c.Paths(t.Context(), client.Query{Build: build})
		if err != nil {
			t.Fatal(err)
		}
		want := profile.Merge(append(slices.Clip(list), &profile.Profile{Paths: &profile.Paths{}}))
		if diff := cmp.Diff(want.Paths, got.Paths, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-sent +answered)\n%s", build, diff)
		}
	}
	if r := at.get("/v1/paths?limit=3"); r.status != 400 {
		t.Errorf("%d\n%s", r.status, r.body)
	}
	r := at.get("/v1/paths?kind=func")
	if again := at.get("/v1/paths?kind=func", "If-None-Match: "+r.header.Get("ETag")); again.status != 304 {
		t.Errorf("unchanged: %d", again.status)
	}
}

// figuresOf returns the statistics of a profile's markers that are kept, as text.
func figuresOf(p *profile.Profile) map[string]string {
	m := map[string]string{}
	for _, k := range p.Markers {
		m[k.ID.String()] = fmt.Sprintln(k.Name, k.Count, k.SelfNS, k.NestedNS, k.MinNS, k.MaxNS, k.Buckets, k.First, k.Sizes, k.Readings, k.CountSE())
	}
	return m
}

// Statistics belong to the day given by the server's clock and the age that the client sends.
func TestAge(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	at := start(t, server.Options{Now: func() time.Time { return now }}, server.Limits{}, nil)
	p := made(5, 1, "example.com/shop@v1.0.0")
	body := encoded(t, p)
	for age, want := range map[string]string{
		"": "2026-05-04", "0": "2026-05-04", "43200": "2026-05-04", "43201": "2026-05-03", "86400.5": "2026-05-03",
		"-7": "2026-05-04", "1e300": "2025-03-30", "1e999": "2025-03-30", "-1e999": "2026-05-04", "99999999999": "2025-03-30",
	} {
		if r := at.put(fleet.NewRunID(), "0", body, "Markgen-Age: "+age); r.status != 201 {
			t.Fatalf("%q: %d\n%s", age, r.status, r.body)
		}
		at.settle()
		days := map[string]uint64{}
		var a struct{ Groups []struct{ Key string } }
		at.get("/v1/apis/"+p.Markers[0].ID.String()+"?by=day").into(t, &a)
		for _, g := range a.Groups {
			days[g.Key]++
		}
		if days[want] == 0 {
			t.Errorf("age %q: figures of the days %v, not of %s", age, days, want)
		}
	}
	for _, age := range []string{"soon", "NaN", "1 s"} {
		if r := at.put(fleet.NewRunID(), "0", body, "Markgen-Age: "+age); r.status != 400 {
			t.Errorf("age %q: %d", age, r.status)
		}
	}
}

// Processes that declined to collect are counted once, with the batch that reports them.
func TestBatchDeclined(t *testing.T) {
	at := start(t, server.Options{}, server.Limits{}, nil)
	body := encoded(t, made(5, 1, "example.com/shop@v1.0.0"))
	run := fleet.NewRunID()
	for range 2 {
		if r := at.put(run, "0", body, "Markgen-Declined: 7"); r.status != 200 && r.status != 201 {
			t.Fatalf("%d\n%s", r.status, r.body)
		}
	}
	if text := string(at.get("/metrics").body); !strings.Contains(text, "\nmarkgen_declined_total 7\n") {
		t.Errorf("the metrics have\n%s", text)
	}
	for _, n := range []string{"-1", "many", "1e3"} {
		if r := at.put(fleet.NewRunID(), "0", body, "Markgen-Declined: "+n); r.status != 400 {
			t.Errorf("%q: %d", n, r.status)
		}
	}
}

// Metrics show the store's backlog.
func TestStoreMetrics(t *testing.T) {
	at := start(t, server.Options{}, server.Limits{}, nil)
	for range 3 {
		if r := at.put(fleet.NewRunID(), "0", encoded(t, made(5, 1, "example.com/shop@v1.0.0"))); r.status != 201 {
			t.Fatalf("%d\n%s", r.status, r.body)
		}
	}
	read := func(name string) (v float64) {
		for line := range strings.Lines(string(at.get("/metrics").body)) {
			if rest, ok := strings.CutPrefix(line, name+" "); ok {
				if _, err := fmt.Sscan(rest, &v); err != nil {
					t.Fatal(err)
				}
				return v
			}
		}
		t.Fatalf("the metrics do not have %s", name)
		return 0
	}
	if n := read("markgen_store_waiting_batches"); n > 3 {
		t.Errorf("%v batches wait, of 3", n)
	}
	if err := at.store.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"markgen_store_waiting_batches": 0, "markgen_store_waiting_bytes": 0, "markgen_store_trouble": 0} {
		if n := read(name); n != want {
			t.Errorf("%s is %v, not %v, when all is in the tables", name, n, want)
		}
	}
	if read("markgen_store_chunks_total") == 0 || read("markgen_store_waiting_bytes_max") == 0 {
		t.Error("nothing was written, or there is no memory for it")
	}
}

// The last batch of a run that was sent in parts may have no markers.
func TestBatchWithoutMarkers(t *testing.T) {
	at := start(t, server.Options{}, server.Limits{}, nil)
	for _, p := range []*profile.Profile{{Complete: true, ElapsedNS: 5}, {Complete: true, Lost: 1}, {Complete: true, Sampling: &profile.Sampling{N: 2, Windows: 1}}, {Complete: true, Wild: &profile.Wild{Runs: 1}}, {}} {
		p.App = "shop"
		if r := at.do("PUT", "/v1/batches/"+fleet.NewRunID().String()+"/3", encoded(t, p), at.bearer("ingest"), "Content-Type: "+profileType); r.status != 201 {
			t.Errorf("%+v: %d\n%s", p, r.status, r.body)
		}
	}
}

// Whatever is wrong with a batch is reported by status and problem, and nothing of it is kept.
func TestBatchRefused(t *testing.T) {
	at := start(t, server.Options{MaxBatch: 64 << 10, MaxMarkers: 50, MaxName: 100}, server.Limits{}, nil)
	change := func(f func(p *profile.Profile, m *profile.Marker)) []byte {
		p := made(10, 3, "example.com/shop@v1.0.0")
		for i := range p.Markers {
			if m := &p.Markers[i]; len(m.Buckets) > 0 && m.Kind == "func" && !m.Sampled() {
				f(p, m)
				break
			}
		}
		return encoded(t, p)
	}
	sound := change(func(*profile.Profile, *profile.Marker) {})
	// Two calls with sizes from 4 to 7, and readings of as many bytes.
	sizes := func(f func(b *profile.SizeBucket)) []byte {
		return change(func(_ *profile.Profile, m *profile.Marker) {
			b := profile.SizeBucket{K: 3, Count: 2, SumSize: profile.Uint128{Lo: 9}, SumNS: 50, SumSq: profile.Uint128{Lo: 1300}}
			f(&b)
			m.Sizes = []profile.SizeBucket{b}
		})
	}
	reads := func(f func(v *profile.Value)) []byte {
		return change(func(_ *profile.Profile, m *profile.Marker) {
			v := profile.Value{Name: "bytes", Sum: 9, Self: 9, Buckets: []profile.ValueBucket{{K: 3, Count: 2, Sum: 9, SumSq: profile.Uint128{Lo: 41}}}}
			f(&v)
			m.Readings = []profile.Reading{{Collector: "alloc", Scopes: 2, Values: []profile.Value{v}}}
		})
	}
	for i, body := range [][]byte{sizes(func(*profile.SizeBucket) {}), reads(func(*profile.Value) {})} { // by another server, as this one must stay empty
		other := start(t, server.Options{}, server.Limits{}, nil)
		if r := other.put(fleet.NewRunID(), "0", body); r.status != 201 {
			t.Fatalf("what is changed below is not taken as it is, %d: %d\n%s", i, r.status, r.body)
		}
	}
	name := func(text string) []byte {
		return change(func(_ *profile.Profile, m *profile.Marker) { m.Package, m.Name = "", text })
	}
	node := func(f func(*profile.Path)) []byte {
		return change(func(p *profile.Profile, _ *profile.Marker) {
			p.Paths = profiletest.CallTree(p, 2, 1)
			f(&p.Paths.Nodes[1])
		})
	}
	run := fleet.NewRunID().String()
	path := "/v1/batches/" + run + "/0"
	is := "Content-Type: " + profileType
	zipped := packed(t, sound)
	for _, test := range []struct {
		name, path string
		body       []byte
		headers    string // separated by "; "
		status     int
		problem    string
	}{
		{"no run", "/v1/batches/" + run[1:] + "/0", sound, is, 400, "bad-request"},
		{"run in capitals", "/v1/batches/" + strings.ToUpper("ab"+run[2:]) + "/0", sound, is, 400, "bad-request"},
		{"no sequence", "/v1/batches/" + run + "/one", sound, is, 400, "bad-request"},
		{"sequence with zeros", "/v1/batches/" + run + "/00", sound, is, 400, "bad-request"},
		{"sequence too large", "/v1/batches/" + run + "/2147483648", sound, is, 400, "bad-request"},
		{"no type", path, sound, "", 415, "media-type"},
		{"another type", path, sound, "Content-Type: application/json", 415, "media-type"},
		{"another coding", path, sound, is + "; Content-Encoding: br", 415, "media-type"},
		{"two codings", path, zipped, is + "; Content-Encoding: gzip, gzip", 415, "media-type"},
		{"not packed", path, sound, is + "; Content-Encoding: gzip", 400, "bad-encoding"},
		{"packed and not said so", path, zipped, is, 422, "not-a-profile"},
		{"packed and cut off", path, zipped[:len(zipped)-5], is + "; Content-Encoding: gzip", 400, "bad-encoding"},
		{"packed and damaged", path, append(bytes.Clone(zipped[:len(zipped)-8]), 1, 2, 3, 4, 5, 6, 7, 8), is + "; Content-Encoding: gzip", 400, "bad-encoding"},
		{"packed and more", path, append(bytes.Clone(zipped), "more"...), is + "; Content-Encoding: gzip", 400, "bad-encoding"},
		{"nothing", path, nil, is, 422, "not-a-profile"},
		{"text", path, []byte("hello"), is, 422, "not-a-profile"},
		{"the data file of a run", path, []byte("markgen\x00" + strings.Repeat("\x00", 4096)), is, 422, "not-a-profile"},
		{"cut off", path, sound[:len(sound)-1], is, 422, "not-a-profile"},
		{"damaged", path, append(bytes.Clone(sound[:len(sound)-1]), sound[len(sound)-1]^1), is, 422, "not-a-profile"},
		{"of another version", path, append(append([]byte("markgen\x01"), 9, 0, 0, 0), sound[12:]...), is, 422, "profile-version"},
		{"larger than allowed", path, make([]byte, 64<<10+1), is, 413, "too-large"},
		{"as large as allowed", path, make([]byte, 64<<10), is, 422, "not-a-profile"},
		{"a bomb", path, packed(t, make([]byte, 10<<20)), is + "; Content-Encoding: gzip", 413, "too-large"},
		{"a bomb of names", path, resummed(bombOfNames()), is, 413, "too-large"},
		{"too many markers", path, encoded(t, made(200, 1, "a/b@v1")), is, 413, "too-large"},
		{"neither marker nor run", path, encoded(t, &profile.Profile{App: "shop", Complete: true}), is, 422, "profile-refused"},
		{"no program", path, change(func(p *profile.Profile, _ *profile.Marker) { p.App, p.Main = "", "" }), is, 422, "profile-refused"},
		{"a program that rings", path, change(func(p *profile.Profile, _ *profile.Marker) { p.Main = "a\ab" }), is, 422, "profile-refused"},
		{"a processor that is long", path, change(func(p *profile.Profile, _ *profile.Marker) { p.CPU = strings.Repeat("x", 101) }), is, 422, "profile-refused"},
		{"a name with an escape", path, name("a\x1b[2J"), is, 422, "profile-refused"},
		{"a name with a C1 control", path, name("a\u009b2J"), is, 422, "profile-refused"},
		{"a name written from the right", path, name("a\u202eb"), is, 422, "profile-refused"},
		{"a name of two lines", path, name("a\u2028b"), is, 422, "profile-refused"},
		{"a long name", path, name(strings.Repeat("é", 51)), is, 422, "profile-refused"},
		{"an absolute file", path, change(func(_ *profile.Profile, m *profile.Marker) { m.File = "/home/ann/x.go" }), is, 422, "profile-refused"},
		{"a file outside", path, change(func(_ *profile.Profile, m *profile.Marker) { m.File = "../x.go" }), is, 422, "profile-refused"},
		{"another kind", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Kind = "method" }), is, 422, "profile-refused"},
		{"callers", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Callers = []profile.Caller{{ID: 7, Name: "x"}} }), is, 422, "profile-refused"},
		{"cover blocks", path, change(func(p *profile.Profile, _ *profile.Marker) { p.Blocks = []profile.Block{{File: "a/b.go"}} }), is, 422, "profile-refused"},
		{"a label with an escape", path, node(func(n *profile.Path) { n.Label = "a\x1b[2J" }), is, 422, "profile-refused"},
		{"a long label", path, node(func(n *profile.Path) { n.Label = strings.Repeat("x", 101) }), is, 422, "profile-refused"},
		{"a path of 584 years", path, node(func(n *profile.Path) { n.SumNS = math.MaxUint64 }), is, 422, "profile-refused"},
		{"paths of too many runs", path, change(func(p *profile.Profile, _ *profile.Marker) {
			p.Paths = &profile.Paths{Runs: math.MaxUint64}
		}), is, 422, "profile-refused"},
		{"a path's reading", path, node(func(n *profile.Path) {
			n.Readings = []profile.Reading{{Collector: "io", Values: []profile.Value{{Name: "x", Self: math.MaxUint64}}}}
		}), is, 422, "profile-refused"},
		{"a path's collector", path, node(func(n *profile.Path) { n.Readings = []profile.Reading{{Collector: "a\nb"}} }), is, 422, "profile-refused"},
		{"too many paths", path, change(func(p *profile.Profile, _ *profile.Marker) {
			p.Paths = profiletest.CallTree(p, 101, 1)
		}), is, 413, "too-large"},
		{"more times than scopes", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Count = 0 }), is, 422, "profile-refused"},
		{"more runs than scopes", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Runs = m.Count + 1 }), is, 422, "profile-refused"},
		{"a bucket's sum too small", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Buckets[len(m.Buckets)-1].SumNS = 0 }), is, 422, "profile-refused"},
		{"a bucket's sum too large", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Buckets[0].SumNS = math.MaxUint64 - 1 }), is, 422, "profile-refused"},
		{"squares too small", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Buckets[len(m.Buckets)-1].SumSq = profile.Uint128{} }), is, 422, "profile-refused"},
		{"the shortest elsewhere", path, change(func(_ *profile.Profile, m *profile.Marker) { m.MinNS = m.MaxNS + 1 }), is, 422, "profile-refused"},
		{"the longest elsewhere", path, change(func(_ *profile.Profile, m *profile.Marker) { m.MaxNS = math.MaxUint64 }), is, 422, "profile-refused"},
		{"self above all times", path, change(func(_ *profile.Profile, m *profile.Marker) { m.SelfNS = m.SumNS() + 1 }), is, 422, "profile-refused"},
		{"more recursive time than time", path, change(func(_ *profile.Profile, m *profile.Marker) { m.NestedNS = m.SumNS() + 1 }), is, 422, "profile-refused"},
		{"self without a time", path, change(func(_ *profile.Profile, m *profile.Marker) {
			m.Buckets, m.MinNS, m.MaxNS, m.NestedNS, m.Ticks, m.SelfNS = nil, 0, 0, 0, 0, 1
		}), is, 422, "profile-refused"},
		{"self of a sample above all times", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Sample, m.SelfNS = 10, 2*m.SumNS()+2 }), is, 422, "profile-refused"},
		{"squares of a sample", path, change(func(_ *profile.Profile, m *profile.Marker) {
			m.Sample, m.Buckets[0].SumSq = 10, profile.Uint128{Hi: math.MaxUint64, Lo: math.MaxUint64}
		}), is, 422, "profile-refused"},
		{"open without end", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Open = 1<<40 + 1 }), is, 422, "profile-refused"},
		{"the largest sum", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Buckets[0].SumNS = math.MaxUint64 }), is, 422, "profile-refused"},
		{"the largest sum of a sample", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Sample, m.Buckets[0].SumNS = 10, math.MaxUint64 }), is, 422, "profile-refused"},
		{"the largest count", path, change(func(_ *profile.Profile, m *profile.Marker) { m.Count = math.MaxUint64 }), is, 422, "profile-refused"},
		{"a scope of 73 years", path, change(func(_ *profile.Profile, m *profile.Marker) {
			m.Buckets, m.MinNS, m.MaxNS = []profile.Bucket{{K: 61, Count: 1, SumNS: 1 << 61, SumSq: profile.Square(1 << 61)}}, 1<<61, 1<<61
			m.Count, m.Runs, m.SelfNS, m.NestedNS = 1, 1, 0, 0
		}), is, 422, "profile-refused"},
		{"runs that took 300 years", path, change(func(p *profile.Profile, _ *profile.Marker) { p.ElapsedNS = math.MaxInt64 }), is, 422, "profile-refused"},
		{"more picked than there were", path, change(func(p *profile.Profile, _ *profile.Marker) { p.Wild = &profile.Wild{Runs: 1, Picked: 3, Of: 2} }), is, 422, "profile-refused"},
		{"sizes below their bucket", path, sizes(func(b *profile.SizeBucket) { b.SumSize = profile.Uint128{Lo: 3} }), is, 422, "profile-refused"},
		{"sizes above their bucket", path, sizes(func(b *profile.SizeBucket) { b.SumSize = profile.Uint128{Hi: 1} }), is, 422, "profile-refused"},
		{"squares of times by size", path, sizes(func(b *profile.SizeBucket) { b.SumSq = profile.Uint128{Hi: 1} }), is, 422, "profile-refused"},
		{"a time by size of 584 years", path, sizes(func(b *profile.SizeBucket) { b.SumNS = math.MaxUint64 }), is, 422, "profile-refused"},
		{"logarithms of nothing", path, sizes(func(b *profile.SizeBucket) { b.SumLog = 7 }), is, 422, "profile-refused"},
		{"logarithms of more", path, sizes(func(b *profile.SizeBucket) { b.Logged, b.SumLog, b.SumLogSq = 2, 7, 7 }), is, 422, "profile-refused"},
		{"a reading's self above its sum", path, reads(func(v *profile.Value) { v.Self = v.Sum + 1 }), is, 422, "profile-refused"},
		{"a reading's nested above its sum", path, reads(func(v *profile.Value) { v.Nested = v.Sum + 1 }), is, 422, "profile-refused"},
		{"the largest reading", path, reads(func(v *profile.Value) { v.Sum = math.MaxUint64 }), is, 422, "profile-refused"},
		{"a bucket of a reading", path, reads(func(v *profile.Value) { v.Buckets[0].Sum = 1 }), is, 422, "profile-refused"},
		{"a bucket of a reading's self", path, reads(func(v *profile.Value) { v.SelfBuckets = []profile.ValueBucket{{K: 3, Count: 1, Sum: 8}} }), is, 422, "profile-refused"},
	} {
		headers := []string{at.bearer("ingest")}
		for h := range strings.SplitSeq(test.headers, "; ") {
			if h != "" {
				headers = append(headers, h)
			}
		}
		if r := at.do("PUT", test.path, test.body, headers...); r.status != test.status || r.problem() != test.problem {
			t.Errorf("%s: %d, want %d and %s\n%s", test.name, r.status, test.status, test.problem, r.body)
		}
	}
	at.settle()
	if n := at.index.Len(); n != 0 {
		t.Errorf("%d APIs are kept", n)
	}
	if list, err := at.store.Origins(t.Context(), fleet.Filter{}); err != nil || len(list) != 0 {
		t.Errorf("origins are kept: %v %v", list, err)
	}
	if r := at.do("PUT", path, sound, at.bearer("ingest"), is); r.status != 201 {
		t.Errorf("a sound one after all these: %d\n%s", r.status, r.body)
	}
}

// resummed returns a profile file with a correct checksum, so that its content is checked.
func resummed(file []byte) []byte {
	if len(file) >= 16 {
		file = bytes.Clone(file)
		binary.LittleEndian.PutUint32(file[12:], crc32.Checksum(file[16:], crc32.MakeTable(crc32.Castagnoli)))
	}
	return file
}

// bombOfNames returns a profile file whose names claim to decompress to 3 MB.
func bombOfNames() []byte {
	section := func(b []byte) []byte { return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...) }
	names := append(binary.LittleEndian.AppendUint32([]byte{1}, 3<<20), make([]byte, 60<<10)...)
	file := append([]byte("markgen\x01"), 2, 0, 0, 0, 0, 0, 0, 0)
	return append(append(append(file, section(nil)...), section(names)...), section(nil)...)
}

// A client that sends too slowly gets an error and is disconnected. Others are served meanwhile.
func TestSlowSender(t *testing.T) {
	at := start(t, server.Options{BodyTime: 300 * time.Millisecond}, server.Limits{HeaderTime: 300 * time.Millisecond}, nil)
	body := encoded(t, made(20, 1, "a/b@v1"))
	for _, test := range []struct {
		name, head string
		sent       int
		want       string // start of the answer; "" if the connection is closed without one
	}{
		{"a body that stops", fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)), 100, "HTTP/1.1 408 "},
		{"chunks that stop", "Transfer-Encoding: chunked\r\n\r\n5\r\nmarkg", 0, "HTTP/1.1 408 "},
		{"a header that stops", "X-Slow: ", 0, ""},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(at.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "PUT /v1/batches/%s/0 HTTP/1.1\r\nHost: x\r\n%s\r\nContent-Type: %s\r\n%s", fleet.NewRunID(), at.bearer("ingest"), profileType, test.head)
		conn.Write(body[:test.sent])
		if r := at.put(fleet.NewRunID(), "0", body); r.status != 201 {
			t.Errorf("%s: another sender gets %d", test.name, r.status)
		}
		answer, _ := io.ReadAll(conn)
		if !strings.HasPrefix(string(answer), test.want) || test.want == "" && len(answer) > 0 || test.want != "" && !strings.Contains(string(answer), "/problems/too-slow") {
			t.Errorf("%s: %q", test.name, answer)
		}
		conn.Close()
	}
}

// A sender that exceeds its rate is refused, and others are not affected.
func TestRate(t *testing.T) {
	now := time.Now()
	at := start(t, server.Options{Rate: 10, MaxMarkers: 100, Now: func() time.Time { return now }}, server.Limits{}, nil)
	body := encoded(t, made(60, 1, "a/b@v1"))
	if r := at.put(fleet.NewRunID(), "0", body); r.status != 201 {
		t.Fatalf("%d\n%s", r.status, r.body)
	}
	run := fleet.NewRunID()
	r := at.put(run, "0", body)
	if r.status != 429 || r.problem() != "rate-limit" || r.header.Get("Retry-After") == "" {
		t.Fatalf("%d, Retry-After %q\n%s", r.status, r.header.Get("Retry-After"), r.body)
	}
	at.token["ingest"], at.token["other"] = at.newToken(time.Time{}, "ingest"), at.token["ingest"]
	if r := at.put(run, "0", body); r.status != 201 {
		t.Errorf("another sender: %d\n%s", r.status, r.body)
	}
	wait, err := time.ParseDuration(r.header.Get("Retry-After") + "s")
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(wait)
	at.token["ingest"] = at.token["other"]
	if r := at.put(fleet.NewRunID(), "0", body); r.status != 201 {
		t.Errorf("after the time that it was told to wait: %d\n%s", r.status, r.body)
	}
}

// The bodies of all requests share a memory limit; a request beyond it is refused until later.
func TestManyBodies(t *testing.T) {
	at := start(t, server.Options{MaxBatch: 1 << 20, MaxBodies: 2 << 20, BodyTime: time.Minute}, server.Limits{}, nil)
	var conns []net.Conn
	answers := make(chan string, 4) // to requests that do not end
	for range cap(answers) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(at.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
		go func() {
			fmt.Fprintf(conn, "PUT /v1/batches/%s/0 HTTP/1.1\r\nHost: x\r\n%s\r\nContent-Type: %s\r\nContent-Length: 1000000\r\n\r\n", fleet.NewRunID(), at.bearer("ingest"), profileType)
			go conn.Write(make([]byte, 900_000))
			answer := make([]byte, 1000)
			n, _ := conn.Read(answer)
			answers <- string(answer[:n])
		}()
	}
	if answer := <-answers; !strings.HasPrefix(answer, "HTTP/1.1 503 ") || !strings.Contains(answer, "Retry-After: ") {
		t.Errorf("%q", answer)
	}
	for _, conn := range conns {
		conn.Close()
	}
	body := encoded(t, made(5, 1, "a/b@v1"))
	for {
		if r := at.put(fleet.NewRunID(), "0", body); r.status == 201 {
			break
		} else if r.status != http.StatusServiceUnavailable {
			t.Fatalf("%d\n%s", r.status, r.body)
		}
	}
}
