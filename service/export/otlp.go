package export

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// OTLPOptions configures a receiver of metrics.
type OTLPOptions struct {
	URL     string            // http://HOST:4318; without path, /v1/metrics is added
	Headers map[string]string // of each request, such as an authorization; nil for those in OTEL_EXPORTER_OTLP_HEADERS
	Timeout time.Duration     // of a request; 30 s
}

// maxAnswer is the max number of bytes read of a receiver's answer.
const maxAnswer = 64 << 10

// otlpPoints is the max number of points per request: a few hundred kilobytes.
const otlpPoints = 2000

// OTLP returns a receiver for OTLP over HTTP. It gets cumulative metrics
// (https://opentelemetry.io/docs/specs/otel/metrics/data-model/):
//
//   - markgen.marker.duration, ns, a profile.Exponential of the times of calls;
//   - markgen.marker.memory, By, likewise of the bytes allocated by calls, where deep builds recorded
//     them;
//   - markgen.marker.scopes and markgen.marker.self_time, ns, sums.
//
// Attributes are marker, id, kind, package and the grouping.
func OTLP(ctx context.Context, o OTLPOptions) (Receiver, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no URL of an OTLP receiver; give one such as http://localhost:4318", o.URL)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/metrics"
	}
	timeout := o.Timeout
	if timeout <= 0 {
		timeout = 30 * time.Second
	}
	options := []otlpmetrichttp.Option{
		otlpmetrichttp.WithEndpointURL(u.String()),
		otlpmetrichttp.WithTimeout(timeout),
		otlpmetrichttp.WithMaxResponseSize(maxAnswer),
		otlpmetrichttp.WithProxy(func(r *http.Request) (*url.URL, error) {
			// Called for each request, also after a redirect. Metrics and authorization headers
			// must only reach the configured receiver.
			if r.URL.Scheme != u.Scheme || r.URL.Host != u.Host {
				return nil, fmt.Errorf("it redirects to %s, which is sent nothing; give the URL of the receiver itself", r.URL.Redacted())
			}
			return http.ProxyFromEnvironment(r)
		}),
		otlpmetrichttp.WithCompression(otlpmetrichttp.GzipCompression),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{Enabled: true, InitialInterval: time.Second, MaxInterval: 10 * time.Second, MaxElapsedTime: timeout}),
	}
	if o.Headers != nil {
		options = append(options, otlpmetrichttp.WithHeaders(o.Headers))
	}
	e, err := otlpmetrichttp.New(ctx, options...)
	if err != nil {
		return nil, err
	}
	return &otlp{e, u.Redacted()}, nil
}

type otlp struct {
	exporter *otlpmetrichttp.Exporter
	name     string
}

func (r *otlp) Name() string { return r.name }

func (r *otlp) Send(ctx context.Context, parts []Part) error {
	about := resource.NewSchemaless(attribute.String("service.name", "markgen"))
	for i := range parts {
		for markers := range slices.Chunk(parts[i].Profile.Markers, otlpPoints) {
			metrics := otlpMetrics(&parts[i], markers)
			if len(metrics) == 0 {
				continue
			}
			err := r.exporter.Export(ctx, &metricdata.ResourceMetrics{
				Resource:     about,
				ScopeMetrics: []metricdata.ScopeMetrics{{Scope: instrumentation.Scope{Name: "github.com/markgen/markgen"}, Metrics: metrics}},
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// otlpMetrics returns the metrics of some markers, without those that have no points.
func otlpMetrics(part *Part, markers []profile.Marker) []metricdata.Metrics {
	var times, memory []metricdata.ExponentialHistogramDataPoint[float64]
	var scopes, self []metricdata.DataPoint[int64]
	for i := range markers {
		m := &markers[i]
		if m.Count == 0 {
			continue
		}
		attributes := otlpAttributes(part, m)
		sum := func(n uint64) metricdata.DataPoint[int64] {
			return metricdata.DataPoint[int64]{Attributes: attributes, StartTime: part.Since, Time: part.At, Value: int64(min(n, 1<<63-1))}
		}
		histogram := func() metricdata.ExponentialHistogramDataPoint[float64] {
			return metricdata.ExponentialHistogramDataPoint[float64]{Attributes: attributes, StartTime: part.Since, Time: part.At}
		}
		scopes = append(scopes, sum(m.Count))
		if len(m.Buckets) > 0 {
			if !part.Profile.NoSelf {
				self = append(self, sum(m.SelfNS))
			}
			h := histogram()
			h.Count, h.Sum = bucketsCount(m.Buckets), float64(m.SumNS())
			h.Min, h.Max = metricdata.NewExtrema(float64(m.MinNS)), metricdata.NewExtrema(float64(m.MaxNS))
			setBuckets(&h, profile.ExponentialTimes(m.Buckets))
			times = append(times, h)
		}
		if r := m.Reading(profile.Alloc); r != nil {
			if v := r.Value(profile.AllocBytes); v != nil && len(v.Buckets) > 0 {
				h := histogram()
				h.Count, h.Sum = r.Scopes, float64(v.Sum)
				setBuckets(&h, profile.ExponentialValues(v.Buckets))
				memory = append(memory, h)
			}
		}
	}
	var list []metricdata.Metrics
	add := func(name, unit, description string, points int, data metricdata.Aggregation) {
		if points > 0 {
			list = append(list, metricdata.Metrics{Name: name, Unit: unit, Description: description, Data: data})
		}
	}
	const cumulative = metricdata.CumulativeTemporality
	add("markgen.marker.duration", "ns", "Times of scopes.", len(times), metricdata.ExponentialHistogram[float64]{DataPoints: times, Temporality: cumulative})
	add("markgen.marker.memory", "By", "Memory that scopes allocated on their goroutines.", len(memory), metricdata.ExponentialHistogram[float64]{DataPoints: memory, Temporality: cumulative})
	add("markgen.marker.scopes", "{scope}", "Scopes.", len(scopes), metricdata.Sum[int64]{DataPoints: scopes, Temporality: cumulative, IsMonotonic: true})
	add("markgen.marker.self_time", "ns", "Time spent in scopes and in no other inside them.", len(self), metricdata.Sum[int64]{DataPoints: self, Temporality: cumulative, IsMonotonic: true})
	return list
}

func otlpAttributes(part *Part, m *profile.Marker) attribute.Set {
	list := []attribute.KeyValue{
		attribute.String("marker", m.Name),
		attribute.String("id", m.ID.String()),
		attribute.String("kind", m.Kind),
		attribute.String("package", m.Package),
	}
	if part.By != fleet.NoGrouping {
		list = append(list, attribute.String(string(part.By), part.Key))
	}
	return attribute.NewSet(list...)
}

func bucketsCount(buckets []profile.Bucket) (n uint64) {
	for _, b := range buckets {
		n += b.Count
	}
	return n
}

func setBuckets(h *metricdata.ExponentialHistogramDataPoint[float64], e profile.Exponential) {
	h.ZeroCount, h.PositiveBucket = e.Zeros, metricdata.ExponentialBucket{Offset: int32(e.Offset), Counts: e.Counts}
}
