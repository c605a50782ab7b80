package report

import (
	"bufio"
	"slices"

	"github.com/markgen/markgen/profile"
)

// writeProm writes the profile in the text format of Prometheus. That has no place for
// native histograms, which ServeProm has for those who can read them.
func writeProm(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) error {
	for _, family := range promFamilies(p, markers, o.Buckets, false) {
		if err := family.writeText(w, false); err != nil {
			return err
		}
	}
	return nil
}

// promFamilies returns the profile as families of metrics. With native there is one more, of native
// histograms, which only the protocol buffer format has a place for.
//
// Labels tell a marker by its ID and name, and what to add up by: its kind and its
// package. What is only good to know is in markgen_marker_info, to be joined. Seconds
// are exact to a nanosecond up to 52 days, and to one part in 2^53 beyond, as all that
// Prometheus keeps are floating-point numbers.
func promFamilies(p *profile.Profile, markers []*profile.Marker, buckets, native bool) []promFamily {
	b := &promBuilder{p: p, markers: markers, labels: make([][]promLabel, len(markers))}
	for i, m := range markers {
		b.labels[i] = promLabels("id", m.ID.String(), "kind", m.Kind, "marker", m.Name, "package", m.Package)
	}
	return slices.Concat(b.run(), b.figures(), b.estimates(), b.durations(buckets, native), b.callers(), b.collected())
}

// promBuilder makes families of a profile.
type promBuilder struct {
	p       *profile.Profile
	markers []*profile.Marker
	labels  [][]promLabel // of each marker; its metrics share them
}

// promFamily is the metrics of one name. They are made when they are written, one by one, so that not all of a
// large profile are there at once. A family without metrics is not written.
type promFamily struct {
	name, help string
	kind       promKind
	metrics    func(add func(*promMetric)) // add does not keep what it gets
}

// promKind is the type of a family's metrics.
type promKind string

const (
	promCounter   promKind = "counter"
	promGauge     promKind = "gauge"
	promSummary   promKind = "summary"
	promHistogram promKind = "histogram"
)

// promMetric is one metric of a family.
type promMetric struct {
	labels  []promLabel
	value   float64      // of a counter or a gauge; the sum of a summary or a histogram
	count   uint64       // of a summary or a histogram
	buckets []promBucket // of a classic histogram, by bound; that up to +Inf is not among them
	native  *promNative  // nil: not a native histogram
}

type promLabel struct{ name, value string }

// promBucket is how many times were up to a bound.
type promBucket struct {
	bound float64
	count uint64
}

// promNative is what a native histogram of schema 0 has besides its sum and count.
type promNative struct {
	threshold float64 // the greatest value that is in the zero bucket
	zeros     uint64
	buckets   []promNativeBucket // by index, those that are not empty
}

// promNativeBucket counts values above 2^(index-1), up to 2^index.
type promNativeBucket struct {
	index int
	count uint64
}

// add takes a sample: a value and its labels.
type add func(labels []promLabel, v float64)

// counter is a family of counters, which samples gives the samples of.
func counter(name, help string, samples func(add)) promFamily {
	return promFamily{"markgen_" + name, help, promCounter, metricsOf(samples)}
}

// gauge is the same of gauges.
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

// one is a family's only sample, which needs no labels.
func one(v float64) func(add) {
	return func(add add) { add(nil, v) }
}

// truth is 1 or 0.
func truth(is bool) func(add) {
	if is {
		return one(1)
	}
	return one(0)
}

// each makes a sample of each marker that has what the family is about.
func (b *promBuilder) each(has func(m *profile.Marker) bool, of func(m *profile.Marker) float64) func(add) {
	return func(add add) {
		for i, m := range b.markers {
			if has(m) {
				add(b.labels[i], of(m))
			}
		}
	}
}

// promLabels makes labels of names and values by turns. Values come from data files, and are looked at in terminals.
func promLabels(pairs ...string) []promLabel {
	labels := make([]promLabel, 0, len(pairs)/2+4) // with room for those of a marker
	for i := 0; i < len(pairs); i += 2 {
		labels = append(labels, promLabel{pairs[i], printable(pairs[i+1])})
	}
	return labels
}

// seconds are so many nanoseconds.
func seconds[N uint64 | int64 | float64](ns N) float64 { return float64(ns) / 1e9 }
