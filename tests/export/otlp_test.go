package export_test

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
	"github.com/markgen/markgen/service/export"
	"github.com/markgen/markgen/service/export/exporttest"
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

// An OTLP receiver gets the statistics of the profile.
func TestOTLP(t *testing.T) {
	r := newOTLPReceiver(t)
	r.refuse = 1
	to, err := export.OTLP(context.Background(), export.OTLPOptions{URL: r.URL, Headers: map[string]string{"Authorization": "Bearer x"}})
	if err != nil {
		t.Fatal(err)
	}
	since, at := time.Unix(1700000000, 0).UTC(), time.Unix(1700000600, 0).UTC()
	if err := to.Send(context.Background(), []export.Part{{By: fleet.ByBuild, Key: "example.com/app@v1.2.3", Since: since, At: at, Profile: exporttest.Demo()}}); err != nil {
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

// The catalogue is sent by build, with sums since its beginning.
func TestOTLPOfStore(t *testing.T) {
	s := exporttest.Store(t, exporttest.Build("v1.0.0"), exporttest.Build("v1.1.0"), exporttest.Build("v1.1.0"))
	r := newOTLPReceiver(t)
	to, err := export.OTLP(context.Background(), export.OTLPOptions{URL: r.URL})
	if err != nil {
		t.Fatal(err)
	}
	o := export.Options{Store: s, Filter: fleet.Filter{Kind: "func", Build: "*@v1.1.0"}, By: fleet.ByBuild}
	for range 2 { // nothing new
		if err := export.Once(context.Background(), to, o); err != nil {
			t.Fatal(err)
		}
		got := r.got["markgen.marker.duration example.com/app.Get"]
		if got.Count != 20 || got.Sum != 1408 || got.Zeros != 4 || got.Attributes["build"] != "example.com/app@v1.1.0" || got.Start.IsZero() || got.At.Before(got.Start) {
			t.Errorf("%+v", got)
		}
	}
	if _, ok := r.got["markgen.marker.scopes example.com/app.hits"]; ok {
		t.Error("a point, when functions were asked for")
	}
	o.Filter, o.Limit = fleet.Filter{}, 1
	if err := export.Once(context.Background(), to, o); err == nil || !strings.Contains(err.Error(), "more than 1 markers of example.com/app@v1.0.0") {
		t.Errorf("a catalogue that is too large: %v", err)
	}
}
