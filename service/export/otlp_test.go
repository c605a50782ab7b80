package export

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// An otlpReceiver is an OTLP receiver over HTTP, with the OpenTelemetry collector's own message
// types.
type otlpReceiver struct {
	*httptest.Server

	mu      sync.Mutex
	refuse  int // number of requests to answer with 503 first
	headers http.Header
	got     map[string]point // by metric and marker
}

// A point is a data point of any kind.
type point struct {
	Unit       string
	Attributes map[string]any
	Start, At  time.Time
	Sum        float64
	Cumulative bool

	// Of histograms only.
	Scale    int32
	Count    uint64
	Zeros    uint64
	Min, Max float64
	Offset   int32
	Buckets  []uint64
}

func newOTLPReceiver(t *testing.T) *otlpReceiver {
	r := &otlpReceiver{got: map[string]point{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.refuse > 0 {
			r.refuse--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if q.URL.Path != "/v1/metrics" || q.Method != http.MethodPost || q.Header.Get("Content-Type") != "application/x-protobuf" || q.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s %s %v", q.Method, q.URL, q.Header)
		}
		r.headers = q.Header
		body, err := gzip.NewReader(q.Body)
		if err != nil {
			t.Error(err)
			return
		}
		text, err := io.ReadAll(body)
		if err != nil {
			t.Error(err)
			return
		}
		request := pmetricotlp.NewExportRequest()
		if err := request.UnmarshalProto(text); err != nil {
			t.Error(err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.take(request.Metrics())
		answer, _ := pmetricotlp.NewExportResponse().MarshalProto()
		w.Header().Set("Content-Type", "application/x-protobuf")
		w.Write(answer)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *otlpReceiver) take(all pmetric.Metrics) {
	for _, rm := range all.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				switch m.Type() {
				case pmetric.MetricTypeExponentialHistogram:
					h := m.ExponentialHistogram()
					for _, p := range h.DataPoints().All() {
						r.got[m.Name()+" "+p.Attributes().AsRaw()["marker"].(string)] = point{
							Unit: m.Unit(), Attributes: p.Attributes().AsRaw(), Start: p.StartTimestamp().AsTime(), At: p.Timestamp().AsTime(), Sum: p.Sum(),
							Cumulative: h.AggregationTemporality() == pmetric.AggregationTemporalityCumulative,
							Scale:      p.Scale(), Count: p.Count(), Zeros: p.ZeroCount(), Min: p.Min(), Max: p.Max(),
							Offset: p.Positive().Offset(), Buckets: p.Positive().BucketCounts().AsRaw(),
						}
					}
				case pmetric.MetricTypeSum:
					s := m.Sum()
					for _, p := range s.DataPoints().All() {
						r.got[m.Name()+" "+p.Attributes().AsRaw()["marker"].(string)] = point{
							Unit: m.Unit(), Attributes: p.Attributes().AsRaw(), Start: p.StartTimestamp().AsTime(), At: p.Timestamp().AsTime(), Sum: float64(p.IntValue()),
							Cumulative: s.IsMonotonic() && s.AggregationTemporality() == pmetric.AggregationTemporalityCumulative,
						}
					}
				}
			}
		}
	}
}

// demo returns a profile with known statistics.
func demo() *profile.Profile {
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

// An OTLP receiver gets the statistics of the profile.
func TestOTLP(t *testing.T) {
	r := newOTLPReceiver(t)
	r.refuse = 1
	to, err := OTLP(context.Background(), OTLPOptions{URL: r.URL, Headers: map[string]string{"Authorization": "Bearer x"}})
	if err != nil {
		t.Fatal(err)
	}
	since, at := time.Unix(1700000000, 0).UTC(), time.Unix(1700000600, 0).UTC()
	if err := to.Send(context.Background(), []Part{{By: fleet.ByBuild, Key: "example.com/app@v1.2.3", Since: since, At: at, Profile: demo()}}); err != nil {
		t.Fatal(err)
	}
	attributes := func(id, name, kind string) map[string]any {
		return map[string]any{"marker": name, "id": id, "kind": kind, "package": "example.com/app", "build": "example.com/app@v1.2.3"}
	}
	get := attributes("0000000000000001", "example.com/app.Get", "func")
	hits := attributes("0000000000000002", "example.com/app.hits", "point")
	want := map[string]point{
		"markgen.marker.duration example.com/app.Get": {Unit: "ns", Attributes: get, Start: since, At: at, Cumulative: true, Sum: 704, Count: 10, Zeros: 2, Max: 600,
			Offset: -1, Buckets: []uint64{1, 0, 1, 0, 0, 5, 0, 0, 0, 0, 1}},
		"markgen.marker.memory example.com/app.Get":    {Unit: "By", Attributes: get, Start: since, At: at, Cumulative: true, Sum: 48, Count: 10, Zeros: 8, Offset: 4, Buckets: []uint64{2}},
		"markgen.marker.scopes example.com/app.Get":    {Unit: "{scope}", Attributes: get, Start: since, At: at, Cumulative: true, Sum: 10},
		"markgen.marker.self_time example.com/app.Get": {Unit: "ns", Attributes: get, Start: since, At: at, Cumulative: true, Sum: 900},
		"markgen.marker.scopes example.com/app.hits":   {Unit: "{scope}", Attributes: hits, Start: since, At: at, Cumulative: true, Sum: 7},
	}
	if diff := cmp.Diff(want, r.got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := r.headers.Get("Authorization"); got != "Bearer x" {
		t.Errorf("authorised by %q", got)
	}
}

func TestOTLPRefusesURL(t *testing.T) {
	for _, url := range []string{"", "localhost:4318", "ftp://localhost", "http://"} {
		if _, err := OTLP(context.Background(), OTLPOptions{URL: url}); err == nil || !strings.Contains(err.Error(), "no URL of an OTLP receiver") {
			t.Errorf("%q: %v", url, err)
		}
	}
}
