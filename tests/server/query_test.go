package server_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/service/server"
)

// filled returns a site with statistics of two builds on two processors, and what was sent.
func filled(t *testing.T, o server.Options) (at *site, sent map[string]*profile.Profile) {
	t.Helper()
	at = start(t, o, server.Limits{}, nil)
	sent = map[string]*profile.Profile{}
	for i, build := range []string{"example.com/shop@v1.0.0", "example.com/shop@v1.1.0"} {
		for k, cpu := range []string{"AMD EPYC 7B13", "Neoverse-N1"} {
			p := made(60+10*i, uint64(1+k), build)
			p.CPU = cpu
			sent[build+" "+cpu] = p
			if r := at.put(fleet.NewRunID(), "0", encoded(t, p), fmt.Sprintf("Markgen-Age: %d", 86400*k)); r.status != 201 {
				t.Fatalf("%d\n%s", r.status, r.body)
			}
		}
	}
	at.settle()
	return at, sent
}

// sumOf returns the sum of what was sent by some origins.
func sumOf(sent map[string]*profile.Profile, of string) *profile.Profile {
	var list []*profile.Profile
	for key, p := range sent {
		if strings.Contains(key, of) {
			list = append(list, p)
		}
	}
	return profile.Merge(list)
}

type apis struct {
	APIs []struct {
		ID, Name, Package, Function, Kind string
		Count                             uint64
		MaxNS                             uint64      `json:"max_ns"`
		TotalNS                           json.Number `json:"total_ns"`
		Runs                              *uint64
	}
	Total  int
	Cursor string
}

// Lists contain everything once, in the requested order, page by page.
func TestLists(t *testing.T) {
	at, sent := filled(t, server.Options{})
	for _, test := range []struct {
		query string
		want  *profile.Profile
		order func(a, b *profile.Marker) int
	}{
		{"", sumOf(sent, ""), nil},
		{"sort=name", sumOf(sent, ""), nil},
		{"sort=count", sumOf(sent, ""), func(a, b *profile.Marker) int { return cmp.Compare(b.Count, a.Count) }},
		{"sort=total", sumOf(sent, ""), func(a, b *profile.Marker) int { return cmp.Compare(b.TotalNS(), a.TotalNS()) }},
		{"sort=mean", sumOf(sent, ""), func(a, b *profile.Marker) int { return cmp.Compare(b.MeanNS(), a.MeanNS()) }},
		{"sort=max", sumOf(sent, ""), func(a, b *profile.Marker) int { return cmp.Compare(b.MaxNS, a.MaxNS) }},
		{"sort=count&build=*v1.1.0", sumOf(sent, "v1.1.0"), func(a, b *profile.Marker) int { return cmp.Compare(b.Count, a.Count) }},
		{"cpu=Neo*", sumOf(sent, "Neoverse"), nil},
		{"cpu=Neo*&sort=first", sumOf(sent, "Neoverse"), func(a, b *profile.Marker) int { return 0 }},
		{"build=none", &profile.Profile{}, nil},
		{"kind=func&cpu=*", kind(sumOf(sent, ""), "func"), nil},
		{"kind=loop", kind(sumOf(sent, ""), "loop"), nil},
	} {
		var got apis
		var names []string
		counts := map[string]uint64{}
		for cursor := ""; ; {
			q := test.query + "&limit=7"
			if cursor != "" {
				q += "&cursor=" + url.QueryEscape(cursor)
			}
			got = apis{}
			at.get("/v1/apis?"+strings.TrimPrefix(q, "&")).into(t, &got)
			for _, a := range got.APIs {
				names = append(names, a.ID)
				counts[a.ID] = a.Count
				if a.Package+"."+a.Function != a.Name && a.Package != "" {
					t.Errorf("%+v", a)
				}
			}
			if cursor = got.Cursor; cursor == "" {
				break
			}
		}
		if got.Total != len(test.want.Markers) || len(names) != got.Total {
			t.Errorf("%s: %d APIs of %d, want %d", test.query, len(names), got.Total, len(test.want.Markers))
			continue
		}
		place := map[string]int{}
		for i, id := range names {
			place[id] = i
		}
		var markers []*profile.Marker
		for i := range test.want.Markers {
			m := &test.want.Markers[i]
			if counts[m.ID.String()] != m.Count {
				t.Errorf("%s: %s %d times, want %d", test.query, m.Name, counts[m.ID.String()], m.Count)
			}
			markers = append(markers, m)
		}
		slices.SortFunc(markers, func(a, b *profile.Marker) int { return cmp.Compare(place[a.ID.String()], place[b.ID.String()]) })
		if len(place) != len(markers) || test.order != nil && !slices.IsSortedFunc(markers, test.order) {
			t.Errorf("%s: out of order", test.query)
		}
	}
	var got apis
	name := sumOf(sent, "").Markers[3].Name
	at.get("/v1/apis?q="+url.QueryEscape(name)).into(t, &got)
	if len(got.APIs) == 0 || got.APIs[0].Name != name || got.APIs[0].Runs == nil {
		t.Errorf("%s is not the first of %+v", name, got)
	}
	all := got.Total
	got = apis{}
	at.get("/v1/apis?build=*v1.1.0&q="+url.QueryEscape(name)).into(t, &got)
	if len(got.APIs) == 0 || got.APIs[0].Name != name || got.APIs[0].Runs != nil || got.Total != all {
		t.Errorf("%s is not the first of %+v", name, got)
	}
}

func kind(p *profile.Profile, is string) *profile.Profile {
	p.Markers = slices.DeleteFunc(p.Markers, func(m profile.Marker) bool { return m.Kind != is })
	return p
}

// An API has the statistics that were sent, in the form of markgen report, and can be grouped.
func TestAPI(t *testing.T) {
	at, sent := filled(t, server.Options{})
	sum := sumOf(sent, "")
	p := sumOf(sent, "v1.1.0")
	for i := range p.Markers {
		m := &p.Markers[i]
		var got struct {
			Count   uint64
			Figures json.RawMessage
			Groups  []struct {
				Key     string
				Figures json.RawMessage
			}
		}
		path := "/v1/apis/" + m.ID.String()
		at.get(path+"?build=*@v1.1.0").into(t, &got)
		if diff := sameJSON(t, got.Figures, m); diff != "" || got.Count != m.Count {
			t.Errorf("%s: %s", m.Name, diff)
		}
		at.get(path+"?by=build").into(t, &got)
		keys := []string{}
		for _, g := range got.Groups {
			keys = append(keys, g.Key)
			if g.Key == "example.com/shop@v1.1.0" {
				if diff := sameJSON(t, g.Figures, m); diff != "" {
					t.Errorf("%s: %s", m.Name, diff)
				}
			}
		}
		if !slices.Contains(keys, "example.com/shop@v1.1.0") {
			t.Errorf("%s: groups %q", m.Name, keys)
		}
		for _, by := range []string{"go", "goos", "goarch", "cpu", "day"} {
			at.get(path+"?by="+by).into(t, &got)
			if len(got.Groups) == 0 {
				t.Errorf("%s by %s: no group", m.Name, by)
			}
		}
	}
	id := sum.Markers[0].ID.String()
	if r := at.get("/v1/apis/" + id + "?build=none"); r.status != 200 || !bytes.Contains(r.body, []byte(`"figures":null`)) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := at.get("/v1/apis/00000000000000ff"); r.status != 404 {
		t.Errorf("%d", r.status)
	}
	for _, bad := range []string{"/v1/apis/x", "/v1/apis/0000000000000000", "/v1/apis/" + strings.ToUpper(strings.Repeat("ab", 8)), "/v1/apis/" + id + "?by=moon", "/v1/apis/" + id + "?q=x"} {
		if r := at.get(bad); r.status != 400 {
			t.Errorf("%s: %d", bad, r.status)
		}
	}
}

// sameJSON returns the difference between the statistics in an answer and those of m in the JSON of
// markgen report, or "".
func sameJSON(t *testing.T, got json.RawMessage, m *profile.Marker) string {
	t.Helper()
	text, err := json.Marshal(report.Figures(m))
	if err != nil {
		t.Fatal(err)
	}
	var a, b map[string]any
	for text, into := range map[*[]byte]*map[string]any{(*[]byte)(&got): &a, &text: &b} {
		d := json.NewDecoder(bytes.NewReader(*text))
		d.UseNumber()
		if err := d.Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	return gocmp.Diff(b, a)
}

// Malformed parameters are reported, with what is valid.
func TestParameters(t *testing.T) {
	at, _ := filled(t, server.Options{})
	for path, words := range map[string]string{
		"/v1/apis?buidl=x":                              "buidl",
		"/v1/apis?build=a&build=b":                      "twice",
		"/v1/apis?%zz":                                  "can't be read",
		"/v1/apis?q=%ff":                                "no text",
		"/v1/apis?q=" + strings.Repeat("x", 20_000):     "longer",
		"/v1/apis?limit=0":                              "from 1 to 1000",
		"/v1/apis?limit=1001":                           "from 1 to 1000",
		"/v1/apis?sort=age":                             "name, total",
		"/v1/apis?kind=method":                          "func, loop",
		"/v1/apis?from=yesterday":                       "2006-01-02",
		"/v1/apis?from=2026-01-02&to=2026-01-01":        "after",
		"/v1/apis?q=x&sort=name":                        "leave out sort",
		"/v1/apis?q=x&function=y":                       "exclude",
		"/v1/apis?cursor=zz":                            "cursor",
		"/v1/apis?q=x&cursor=zz":                        "cursor",
		"/v1/apis?sort=mean&cursor=zz":                  "cursor",
		"/v1/changes?cursor=zz":                         "cursor",
		"/v1/changes?limit=x":                           "limit",
		"/v1/new":                                       "since",
		"/v1/new?since=soon":                            "since",
		"/v1/compare?old=a":                             "old and new",
		"/v1/compare?old=a&new=b&alpha=1":               "alpha",
		"/v1/compare?old=a&new=b&threshold=x":           "threshold",
		"/v1/catalogue?id=zz":                           "16 hexadecimal",
		"/v1/catalogue?id=00000000000000aa&cursor=":     "neither",
		"/v1/catalogue?limit=3":                         "cursor",
		"/v1/catalogue?cursor=zz":                       "cursor",
		"/v1/changes?cursor=999999999.7fffffffffffffff": "cursor",
		"/v1/origins?package=x":                         "package",
		"/v1/packages?limit=-1":                         "limit",
	} {
		if r := at.get(path); r.status != 400 || r.problem() != "bad-request" || !strings.Contains(string(r.body), words) {
			t.Errorf("%.80s: %d\n%.500s", path, r.status, r.body)
		}
	}
}

// The catalogue is the same as a profile file, as lines, or in parts; and a client that has it gets
// 304.
func TestCatalogue(t *testing.T) {
	at, sent := filled(t, server.Options{})
	want := figuresOf(sumOf(sent, ""))
	r := at.get("/v1/catalogue")
	if r.status != 200 || r.header.Get("Content-Type") != profileType {
		t.Fatalf("%d %s", r.status, r.header.Get("Content-Type"))
	}
	p, err := codec.Decode(r.body, "catalogue")
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, figuresOf(p)); diff != "" {
		t.Error(diff)
	}
	tag := r.header.Get("ETag")
	for _, match := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		if again := at.get("/v1/catalogue", "If-None-Match: "+match); again.status != 304 || len(again.body) > 0 {
			t.Errorf("If-None-Match: %s: %d", match, again.status)
		}
	}
	if again := at.get("/v1/catalogue?build=*v1.1.0", "If-None-Match: "+tag); again.status != 200 || again.header.Get("ETag") == tag {
		t.Errorf("another query: %d", again.status)
	}
	zipped := at.get("/v1/catalogue", "Accept-Encoding: gzip", "Accept: application/x-ndjson")
	z, err := gzip.NewReader(bytes.NewReader(zipped.body))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if again := at.get("/v1/catalogue", "Accept-Encoding: gzip", "Accept: application/x-ndjson", "If-None-Match: "+zipped.header.Get("ETag")); again.status != 304 {
		t.Errorf("packed: %d for %s", again.status, zipped.header.Get("ETag"))
	}
	n := 0
	for line := range bytes.Lines(lines) {
		var l struct {
			Package string
			Figures struct{ ID, Name string }
		}
		if err := json.Unmarshal(line, &l); err != nil || want[l.Figures.ID] == "" || !strings.HasPrefix(l.Figures.Name, l.Package) {
			t.Errorf("%v: %s", err, line)
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d lines, want %d", n, len(want))
	}
	for accept, form := range map[string]string{
		"": profileType, "*/*": profileType, "application/*": profileType, "application/x-ndjson": "application/x-ndjson", "application/x-ndjson, */*;q=0.1": "application/x-ndjson",
		"application/json": "", "application/x-ndjson;q=0": "", "garbage": "", profileType + ";q=0.5, application/x-ndjson": "application/x-ndjson", profileType + ";q=x": "",
	} {
		if r := at.get("/v1/catalogue?package=none", "Accept: "+accept); form == "" && r.status != 406 || form != "" && r.header.Get("Content-Type") != form {
			t.Errorf("Accept: %s: %d %s", accept, r.status, r.header.Get("Content-Type"))
		}
	}
	for _, path := range []string{"/v1/catalogue", "/v1/apis", "/v1/origins", "/healthz", "/openapi.yaml", "/metrics", "/v1/backup"} {
		get, head := at.do("GET", path, nil, at.bearer("admin")), at.do("HEAD", path, nil, at.bearer("admin"))
		if head.status != get.status || len(head.body) > 0 || head.header.Get("Content-Type") != get.header.Get("Content-Type") || head.header.Get("ETag") != get.header.Get("ETag") {
			t.Errorf("%s: HEAD %d %v, GET %d %v", path, head.status, head.header, get.status, get.header)
		}
	}
}

// A copy that applies the changes is equal to the server's catalogue.
func TestRefresh(t *testing.T) {
	at, sent := filled(t, server.Options{})
	c := &client.Client{Server: at.url + "/", Token: at.token["read"]}
	p, cursor, came, err := c.Refresh(t.Context(), nil, "", client.Query{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(figuresOf(sumOf(sent, "")), figuresOf(p)); diff != "" || came != len(p.Markers) {
		t.Error(came, diff)
	}
	if _, _, came, err = c.Refresh(t.Context(), p, cursor, client.Query{}, nil); err != nil || came != 0 {
		t.Errorf("%d came though nothing changed: %v", came, err)
	}
	more := made(7, 9, "example.com/shop@v1.2.0")
	sent["more"] = more
	at.put(fleet.NewRunID(), "0", encoded(t, more))
	at.settle()
	if p, _, came, err = c.Refresh(t.Context(), p, cursor, client.Query{}, nil); err != nil || came == 0 || came > len(more.Markers) {
		t.Errorf("%d came, and %d were sent: %v", came, len(more.Markers), err)
	}
	if diff := gocmp.Diff(figuresOf(sumOf(sent, "")), figuresOf(p)); diff != "" {
		t.Error(diff)
	}
	if p.Runs != sumOf(sent, "").Runs {
		t.Errorf("%d runs", p.Runs)
	}
	// From another store, such as a restored one, everything is fetched.
	other, sent := filled(t, server.Options{})
	c = &client.Client{Server: other.url, Token: other.token["read"]}
	p, cursor, came, err = c.Refresh(t.Context(), p, cursor, client.Query{}, nil)
	if diff := gocmp.Diff(figuresOf(sumOf(sent, "")), figuresOf(p)); err != nil || diff != "" || came != len(p.Markers) {
		t.Error(came, err, diff)
	}
	if _, _, came, err = c.Refresh(t.Context(), p, cursor, client.Query{}, nil); err != nil || came != 0 {
		t.Errorf("%d came though nothing changed: %v", came, err)
	}
	if _, _, _, err = c.Refresh(t.Context(), p, cursor, client.Query{Kind: "none"}, nil); err == nil || !strings.Contains(err.Error(), "kind") {
		t.Errorf("a kind that there is not: %v", err)
	}
	of, _, _, err := c.Refresh(t.Context(), nil, "", client.Query{Build: "*v1.1.0", Kind: "func"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(figuresOf(kind(sumOf(sent, "v1.1.0"), "func")), figuresOf(of)); diff != "" {
		t.Error(diff)
	}
}

// A sum too large for one answer is refused, and other requests return the same.
func TestTooMuchForOne(t *testing.T) {
	at, sent := filled(t, server.Options{MaxMerged: 10})
	for _, path := range []string{"/v1/catalogue", "/v1/apis?sort=mean", "/v1/compare?old=*v1.0.0&new=*v1.1.0"} {
		if r := at.get(path); r.status != 406 || !strings.Contains(string(r.body), "10 APIs") {
			t.Errorf("%s: %d\n%s", path, r.status, r.body)
		}
	}
	if r := at.get("/v1/catalogue", "Accept: application/x-ndjson"); bytes.Count(r.body, []byte("\n")) != len(sumOf(sent, "").Markers) {
		t.Errorf("%d\n%.200s", r.status, r.body)
	}
	c := &client.Client{Server: at.url, Token: at.token["read"]}
	if p, _, _, err := c.Refresh(t.Context(), nil, "", client.Query{}, nil); err != nil || len(p.Markers) != len(sumOf(sent, "").Markers) {
		t.Errorf("%v", err)
	}
}

// A comparison has total numbers, even if it lists few APIs.
func TestCompareTotals(t *testing.T) {
	at, _ := filled(t, server.Options{})
	var all, few client.Comparison
	at.get("/v1/compare?old=*v1.0.0&new=*&limit=10000").into(t, &all)
	at.get("/v1/compare?old=*v1.0.0&new=*&limit=1").into(t, &few)
	got := [...]int{few.APIsTotal, few.OnlyOldTotal, few.OnlyNewTotal, len(few.OnlyNew)}
	if want := [...]int{len(all.APIs), len(all.OnlyOld), len(all.OnlyNew), 1}; got != want || want[0] < 2 || want[2] < 2 {
		t.Errorf("%d, want %d", got, want)
	}
	if r := at.get("/v1/compare?old=*v1.0.1&new=*"); r.status != 404 || !strings.Contains(string(r.body), "example.com/shop@v1.0.0") {
		t.Errorf("a mistyped build: %d\n%s", r.status, r.body)
	}
}

// Origins, packages, changes and new APIs.
func TestRest(t *testing.T) {
	begun := time.Now().Add(-time.Second)
	at, sent := filled(t, server.Options{})
	var origins struct {
		Origins []struct {
			Build, CPU    string
			Runs, Batches uint64
		}
	}
	at.get("/v1/origins?cpu=AMD*").into(t, &origins)
	if len(origins.Origins) != 2 || origins.Origins[0].Build != "example.com/shop@v1.0.0" || origins.Origins[0].Batches != 1 {
		t.Errorf("%+v", origins)
	}
	want := map[string]int{}
	for _, m := range sumOf(sent, "").Markers {
		want[m.Package]++
	}
	got := map[string]int{}
	for cursor := ""; ; {
		var packages struct {
			Packages []struct {
				Path string
				APIs int
			}
			Total  int
			Cursor string
		}
		at.get("/v1/packages?limit=1&cursor="+url.QueryEscape(cursor)).into(t, &packages)
		for _, p := range packages.Packages {
			got[p.Path] += p.APIs
		}
		if packages.Total != len(want) {
			t.Errorf("%d packages", packages.Total)
		}
		if cursor = packages.Cursor; cursor == "" {
			break
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	n := 0
	for cursor := ""; ; {
		var changes struct {
			APIs   []struct{ ID string }
			Cursor string
			More   bool
		}
		at.get("/v1/changes?limit=9&cursor="+url.QueryEscape(cursor)).into(t, &changes)
		n += len(changes.APIs)
		cursor = changes.Cursor
		if !changes.More {
			break
		}
	}
	if n != len(sumOf(sent, "").Markers) {
		t.Errorf("%d changes", n)
	}
	var news struct {
		Builds []struct{ Build string }
		Total  int
	}
	at.get("/v1/new?since="+url.QueryEscape(begun.UTC().Format(time.RFC3339))).into(t, &news)
	if len(news.Builds) != 2 || news.Total != n {
		t.Errorf("%+v", news)
	}
	for _, since := range []string{"2099-01-01", "9999-01-01", "9999-01-01T00:00:00Z"} {
		at.get("/v1/new?since="+since).into(t, &news)
		if len(news.Builds) != 0 || news.Total != 0 {
			t.Errorf("since %s: %+v", since, news)
		}
	}
}

// GET /v1/backup sends a backup.
func TestBackupSent(t *testing.T) {
	at, _ := filled(t, server.Options{})
	if r := at.do("GET", "/v1/backup", nil, at.bearer("admin")); r.status != 200 || len(r.body) < 1000 {
		t.Errorf("%d, %d bytes", r.status, len(r.body))
	}
}
