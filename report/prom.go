package report

import (
	"bufio"
	"slices"

	"github.com/markgen/markgen/profile"
)

// writeProm writes the profile in the text format of Prometheus. The format has no native
// histograms; ServeProm provides them to clients that can read them.
func writeProm(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) error {
	for _, family := range promFamilies(p, markers, o.Buckets, false) {
		if err := family.writeText(w, false); err != nil {
			return err
		}
	}
	return nil
}

// promFamilies returns the profile as metric families. With native there is an additional one, of
// native histograms, which only the protocol buffer format supports.
//
// Labels identify a marker by its ID and name, and allow aggregation by kind and package. Other
// information is in markgen_marker_info, to be joined. Seconds are exact to a nanosecond up to 52
// days, and to one part in 2^53 beyond, since Prometheus stores floating-point numbers.
func promFamilies(p *profile.Profile, markers []*profile.Marker, buckets, native bool) []promFamily {
	b := &promBuilder{p: p, markers: markers, labels: make([][]promLabel, len(markers))}
	for i, m := range markers {
		b.labels[i] = promLabels("id", m.ID.String(), "kind", m.Kind, "marker", m.Name, "package", m.Package)
	}
	return slices.Concat(b.run(), b.figures(), b.estimates(), b.durations(buckets, native), b.callers(), b.collected())
}

// A promBuilder makes metric families from a profile.
type promBuilder struct {
	p       *profile.Profile
	markers []*profile.Marker
	labels  [][]promLabel // of each marker, shared by its metrics
}

// A promFamily has the metrics of one name. They are generated one by one while they are written,
// so that those of a large profile are not in memory at once. A family without metrics is not
// written.
type promFamily struct {
	name, help string
	kind       promKind
	metrics    func(add func(*promMetric)) // add does not retain its argument
}

// promKind is the type of a family's metrics.
type promKind string

const (
	promCounter   promKind = "counter"
	promGauge     promKind = "gauge"
	promSummary   promKind = "summary"
	promHistogram promKind = "histogram"
)

// A promMetric is one metric of a family.
type promMetric struct {
	labels  []promLabel
	value   float64      // of a counter or gauge; sum of a summary or histogram
	count   uint64       // of a summary or histogram
	buckets []promBucket // of a classic histogram, by bound, without +Inf
	native  *promNative  // nil if it is not a native histogram
}

type promLabel struct{ name, value string }

// A promBucket counts the times up to and including a bound.
type promBucket struct {
	bound float64
	count uint64
}

// A promNative has the fields of a native histogram of schema 0 besides sum and count.
type promNative struct {
	threshold float64 // maximum value in the zero bucket
	zeros     uint64
	buckets   []promNativeBucket // non-empty buckets by index
}

// A promNativeBucket counts values above 2^(index-1), up to 2^index.
type promNativeBucket struct {
	index int
	count uint64
}

// add adds a sample: a value and its labels.
type add func(labels []promLabel, v float64)

// counter returns a family of counters; samples generates their samples.
func counter(name, help string, samples func(add)) promFamily {
	return promFamily{"markgen_" + name, help, promCounter, metricsOf(samples)}
}

// gauge returns a family of gauges; samples generates their samples.
func gauge(name, help string, samples func(add)) promFamily {
	return promFamily{"markgen_" + name, help, promGauge, metricsOf(samples)}
}

func metricsOf(samples func(add)) func(func(*promMetric)) {
	return func(add func(*promMetric)) {
		var m promMetric
		samples(func(labels []promLabel, v float64) {
			m.labels, m.value = labels, v
			add(&m)
		})
	}
}

// one returns the samples of a family with a single sample without labels.
func one(v float64) func(add) {
	return func(add add) { add(nil, v) }
}

// truth returns one sample, 1 or 0.
func truth(is bool) func(add) {
	if is {
		return one(1)
	}
	return one(0)
}

// each returns a sample for each marker for which has returns true.
func (b *promBuilder) each(has func(m *profile.Marker) bool, of func(m *profile.Marker) float64) func(add) {
	return func(add add) {
		for i, m := range b.markers {
			if has(m) {
				add(b.labels[i], of(m))
			}
		}
	}
}

// promLabels makes labels from alternating names and values. Values come from data files and are
// shown in terminals, so they are made printable.
func promLabels(pairs ...string) []promLabel {
	labels := make([]promLabel, 0, len(pairs)/2+4) // with capacity for a marker's labels
	for i := 0; i < len(pairs); i += 2 {
		labels = append(labels, promLabel{pairs[i], printable(pairs[i+1])})
	}
	return labels
}

// seconds converts ns to seconds.
func seconds[N uint64 | int64 | float64](ns N) float64 { return float64(ns) / 1e9 }
