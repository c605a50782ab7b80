package export

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	pprofile "github.com/google/pprof/profile"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/service/export/exporttest"
)

// Each posted profile is the difference to the last accepted one.
func TestPprof(t *testing.T) {
	s := exporttest.Store(t, exporttest.Build("v1.0.0"))
	status := http.StatusOK
	var queries []url.Values
	var got []*pprofile.Profile
	r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodPost || q.URL.Path != "/ingest" || q.Header.Get("X-Scope") != "a" {
			t.Errorf("%s %s %v", q.Method, q.URL, q.Header)
		}
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Error(err)
		}
		p, err := pprofile.ParseData(body)
		if err != nil {
			t.Error(err)
		}
		if w.WriteHeader(status); status == http.StatusOK {
			queries, got = append(queries, q.URL.Query()), append(got, p)
		} else {
			io.WriteString(w, "not now")
		}
	}))
	defer r.Close()
	to, err := Pprof(PprofOptions{URL: r.URL + "/ingest?tenant=1", Headers: map[string]string{"X-Scope": "a"}})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Store: s, Filter: fleet.Filter{Kind: "func"}, By: fleet.ByBuild}
	send := func(want string) {
		t.Helper()
		if err := Once(context.Background(), to, o); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Fatalf("%v, want %q", err, want)
		}
	}
	send("") // earlier statistics are not sent
	exporttest.Ingest(t, s, exporttest.Build("v1.0.0"))
	status = http.StatusServiceUnavailable
	send("503 Service Unavailable: not now")
	exporttest.Ingest(t, s, exporttest.Build("v1.0.0"))
	status = http.StatusOK
	send("")
	send("")
	if len(got) != 1 {
		t.Fatalf("%d profiles, want one", len(got))
	}
	calls := int64(0)
	for _, sample := range got[0].Sample {
		calls += sample.Value[0]
	}
	if calls != 20 {
		t.Errorf("%d calls, want the 20 that came since", calls)
	}
	q := queries[0]
	if q.Get("tenant") != "1" || q.Get("format") != "pprof" || q.Get("name") != `markgen{build="example.com/app@v1.0.0"}` || q.Get("from") == "" || q.Get("until") < q.Get("from") {
		t.Errorf("asked %v", q)
	}
}

// A build that did not exist at the start is posted completely; and a refused build does not hold
// back the others.
func TestPprofNew(t *testing.T) {
	refused := ""
	calls := map[string]int64{} // by name
	r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		name := q.URL.Query().Get("name")
		if name == refused {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		p, err := pprofile.Parse(q.Body)
		if err != nil {
			t.Error(err)
			return
		}
		for _, sample := range p.Sample {
			calls[name] += sample.Value[0]
		}
	}))
	defer r.Close()
	s := exporttest.Store(t)
	all := Options{Store: s, Filter: fleet.Filter{Kind: "func"}}
	builds := all
	builds.By = fleet.ByBuild
	const any, a, b = "markgen", `markgen{build="example.com/app@v1.0.0"}`, `markgen{build="example.com/app@v1.1.0"}`
	to := map[fleet.Grouping]Receiver{}
	for _, by := range []fleet.Grouping{fleet.NoGrouping, fleet.ByBuild} {
		var err error
		if to[by], err = Pprof(PprofOptions{URL: r.URL}); err != nil {
			t.Fatal(err)
		}
	}
	send := func(o Options, name, want string) {
		t.Helper()
		refused = name
		if err := Once(context.Background(), to[o.By], o); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	send(all, "", "") // the store is empty
	send(builds, "", "")
	exporttest.Ingest(t, s, exporttest.Build("v1.0.0"))
	send(all, "", "")
	send(builds, "", "")
	exporttest.Ingest(t, s, exporttest.Build("v1.0.0"), exporttest.Build("v1.1.0"))
	send(builds, a, "of example.com/app@v1.0.0: "+r.URL+" answers 422")
	exporttest.Ingest(t, s, exporttest.Build("v1.1.0"))
	send(builds, a, "answers 422")
	if diff := cmp.Diff(map[string]int64{any: 10, a: 10, b: 20}, calls); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	send(builds, "", "")
	send(all, any, "answers 422")
	send(all, "", "")
	if diff := cmp.Diff(map[string]int64{any: 40, a: 20, b: 20}, calls); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A parts is a receiver that keeps the parts.
type parts []Part

func (p *parts) Name() string { return "a receiver" }

func (p *parts) Send(_ context.Context, list []Part) error {
	*p = list
	return nil
}

// A build whose name is also a pattern that matches others has only its own statistics; with a
// filter that selects several builds, each has its own.
func TestKeys(t *testing.T) {
	s := exporttest.Store(t, exporttest.Build("v1.0.0"), exporttest.Build("v?.0.0"), exporttest.Build("v*"), exporttest.Build("v2.0.0"), exporttest.Build("v2.0.0"))
	for pattern, want := range map[string]map[string]uint64{
		"":         {"example.com/app@v1.0.0": 10, "example.com/app@v2.0.0": 20, "example.com/app@v?.0.0": 10, "example.com/app@v*": 10},
		"*@v?.0.0": {"example.com/app@v1.0.0": 10, "example.com/app@v2.0.0": 20, "example.com/app@v?.0.0": 10},
	} {
		var got parts
		if err := Once(t.Context(), &got, Options{Store: s, Filter: fleet.Filter{Kind: "func", Build: pattern}, By: fleet.ByBuild}); err != nil {
			t.Fatal(err)
		}
		calls := map[string]uint64{}
		for _, p := range got {
			calls[p.Key] += p.Profile.Markers[0].Count
		}
		if diff := cmp.Diff(want, calls); diff != "" {
			t.Errorf("builds %q (-want +got)\n%s", pattern, diff)
		}
	}
	if err := Once(t.Context(), new(parts), Options{Store: s, By: fleet.ByDay}); err == nil {
		t.Error("told apart by day")
	}
}

// A failing fails n times with the same error.
type failing struct {
	times int
	sent  int
}

func (f *failing) Name() string { return "a receiver" }

func (f *failing) Send(context.Context, []Part) error {
	if f.sent++; f.sent <= f.times {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// A sums is a store with one origin and one profile.
type sums struct{}

func (sums) Profile(context.Context, fleet.Filter, int) (*profile.Profile, bool, error) {
	return exporttest.Demo(), false, nil
}

func (sums) Origins(context.Context, fleet.Filter) ([]fleet.OriginSum, error) {
	return []fleet.OriginSum{{Origin: fleet.OriginOf(exporttest.Demo()), First: time.Now(), Runs: 1}}, nil
}

// An error is logged once, and so is its end.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute+time.Second)
		defer cancel()
		r := &failing{times: 3}
		Run(ctx, r, Options{Store: sums{}, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if r.sent != 6 {
			t.Errorf("sent %d times in five minutes, want 6", r.sent)
		}
		if text := log.String(); strings.Count(text, "unexpected EOF") != 1 || strings.Count(text, "export succeeds again") != 1 {
			t.Errorf("the log has\n%s", text)
		}
	})
}
