package report

import (
	"bufio"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/markgen/markgen/profile"
)

// The types below are the part of OTLP's JSON encoding that metrics need
// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): 64-bit integers are strings
// and enums numbers.

type otlpRequest struct {
	ResourceMetrics []otlpResourceMetrics `json:"resourceMetrics"`
}

type otlpResourceMetrics struct {
	Resource     otlpAttributed     `json:"resource"`
	ScopeMetrics []otlpScopeMetrics `json:"scopeMetrics"`
}

type otlpAttributed struct {
	Attributes []otlpAttribute `json:"attributes"`
}

type otlpAttribute struct {
	Key   string `json:"key"`
	Value struct {
		StringValue string `json:"stringValue"`
	} `json:"value"`
}

type otlpScopeMetrics struct {
	Scope   otlpScope     `json:"scope"`
	Metrics []*otlpMetric `json:"metrics"`
}

type otlpScope struct {
	Name string `json:"name"`
}

type otlpMetric struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Unit        string      `json:"unit"`
	Sum         *otlpPoints `json:"sum,omitempty"`
	Histogram   *otlpPoints `json:"exponentialHistogram,omitempty"`
}

type otlpPoints struct {
	DataPoints             []otlpPoint `json:"dataPoints"`
	AggregationTemporality int         `json:"aggregationTemporality"`
	IsMonotonic            bool        `json:"isMonotonic,omitempty"` // of a sum
}

// otlpCumulative is AGGREGATION_TEMPORALITY_CUMULATIVE.
const otlpCumulative = 2

// otlpPoint is a number, or a histogram. Its scale is 0, which the encoding omits.
type otlpPoint struct {
	Attributes []otlpAttribute `json:"attributes"`
	Start      otlpInt         `json:"startTimeUnixNano"`
	Time       otlpInt         `json:"timeUnixNano"`

	AsInt *otlpInt `json:"asInt,omitempty"`

	Count     otlpInt      `json:"count,omitempty"`
	Sum       *float64     `json:"sum,omitempty"`
	Min       *float64     `json:"min,omitempty"`
	Max       *float64     `json:"max,omitempty"`
	ZeroCount otlpInt      `json:"zeroCount,omitempty"`
	Positive  *otlpBuckets `json:"positive,omitempty"`
}

type otlpBuckets struct {
	Offset       int       `json:"offset"`
	BucketCounts []otlpInt `json:"bucketCounts"`
}

// otlpInt is a 64-bit integer.
type otlpInt uint64

func (n otlpInt) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatUint(uint64(n), 10) + `"`), nil
}

// otlpMarkers is the number of markers in a request: with a few dozen buckets each, some megabytes.
const otlpMarkers = 2000

// writeOTLP writes metrics as OTLP over HTTP takes them: a line for each request, most profiles
// have one. The names are those of the central service.
//
//   - markgen.marker.duration, ns: a profile.Exponential of the times of scopes;
//   - markgen.marker.memory, By: likewise of the bytes that scopes allocated, from deep builds;
//   - markgen.marker.scopes, and markgen.marker.self_time, ns: sums.
//
// They are cumulative from the start of the (first) run to now, of one resource: the program.
func writeOTLP(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) error {
	now := o.Now
	if now.IsZero() {
		now = time.Now()
	}
	resource := otlpAttributed{otlpAttributes(
		"service.name", p.App, "service.version", p.Version, "telemetry.sdk.language", "go",
		"process.runtime.version", p.Go, "os.type", p.GOOS, "host.arch", p.GOARCH,
	)}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for some := range slices.Chunk(markers, otlpMarkers) {
		metrics := otlpMetrics(p, some, now)
		if len(metrics) == 0 {
			continue
		}
		err := enc.Encode(otlpRequest{[]otlpResourceMetrics{{resource, []otlpScopeMetrics{{otlpScope{"github.com/markgen/markgen"}, metrics}}}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// otlpMetrics returns the metrics that have points.
func otlpMetrics(p *profile.Profile, markers []*profile.Marker, now time.Time) []*otlpMetric {
	const cumulative, monotonic = otlpCumulative, true
	duration := &otlpMetric{Name: "markgen.marker.duration", Unit: "ns", Description: "Times of scopes.", Histogram: &otlpPoints{nil, cumulative, false}}
	memory := &otlpMetric{Name: "markgen.marker.memory", Unit: "By", Description: "Memory that scopes allocated on their goroutines.", Histogram: &otlpPoints{nil, cumulative, false}}
	scopes := &otlpMetric{Name: "markgen.marker.scopes", Unit: "{scope}", Description: "Scopes.", Sum: &otlpPoints{nil, cumulative, monotonic}}
	self := &otlpMetric{Name: "markgen.marker.self_time", Unit: "ns", Description: "Time spent in scopes and in no other inside them.", Sum: &otlpPoints{nil, cumulative, monotonic}}
	for _, m := range markers {
		if m.Count == 0 {
			continue
		}
		point := otlpPoint{
			Attributes: otlpAttributes("marker", m.Name, "id", m.ID.String(), "kind", m.Kind, "package", m.Package),
			Start:      otlpInt(p.Start.UnixNano()),
			Time:       otlpInt(now.UnixNano()),
		}
		number := func(n uint64) otlpPoint {
			point := point
			v := otlpInt(min(n, 1<<63-1))
			point.AsInt = &v
			return point
		}
		scopes.Sum.add(number(m.Count))
		if len(m.Buckets) > 0 {
			if !p.NoSelf {
				self.Sum.add(number(m.SelfNS))
			}
			h := point
			sum, least, most := float64(m.SumNS()), float64(m.MinNS), float64(m.MaxNS)
			h.Sum, h.Min, h.Max = &sum, &least, &most
			h.buckets(profile.ExponentialTimes(m.Buckets))
			duration.Histogram.add(h)
		}
		if r := m.Reading(profile.Alloc); r != nil {
			if v := r.Value(profile.AllocBytes); v != nil && len(v.Buckets) > 0 {
				h := point
				sum := float64(v.Sum)
				h.Sum = &sum
				h.buckets(profile.ExponentialValues(v.Buckets))
				memory.Histogram.add(h)
			}
		}
	}
	return slices.DeleteFunc([]*otlpMetric{duration, memory, scopes, self}, func(m *otlpMetric) bool {
		return m.Sum != nil && len(m.Sum.DataPoints) == 0 || m.Histogram != nil && len(m.Histogram.DataPoints) == 0
	})
}

func (p *otlpPoints) add(point otlpPoint) { p.DataPoints = append(p.DataPoints, point) }

// buckets sets the counts.
func (p *otlpPoint) buckets(e profile.Exponential) {
	p.Count, p.ZeroCount = otlpInt(e.Zeros), otlpInt(e.Zeros)
	if len(e.Counts) == 0 {
		return
	}
	p.Positive = &otlpBuckets{Offset: e.Offset}
	for _, n := range e.Counts {
		p.Count += otlpInt(n)
		p.Positive.BucketCounts = append(p.Positive.BucketCounts, otlpInt(n))
	}
}

// otlpAttributes returns the attributes of keys and values in turn, without those that are empty.
func otlpAttributes(words ...string) []otlpAttribute {
	list := []otlpAttribute{}
	for pair := range slices.Chunk(words, 2) {
		if pair[1] != "" {
			a := otlpAttribute{Key: pair[0]}
			a.Value.StringValue = pair[1]
			list = append(list, a)
		}
	}
	return list
}
