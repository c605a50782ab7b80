package report

import (
	"bufio"
	"iter"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/markgen/markgen/profile"
)

// writeProm writes the profile in the text format of Prometheus. That has no place for
// native histograms, which Metrics makes for those who can read them.
func writeProm(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, o Options) error {
	out := expfmt.NewEncoder(w, expfmt.NewFormat(expfmt.TypeTextPlain))
	for family := range promFamilies(p, markers, o.Buckets, false) {
		if err := out.Encode(family); err != nil {
			return err
		}
	}
	return nil
}

// Metrics returns the profile as metrics for Prometheus, those that the format prom
// writes with the options. With native there is one family more, of native histograms,
// which only the protocol buffer format has a place for.
func Metrics(p *profile.Profile, o Options, native bool) []*dto.MetricFamily {
	return slices.Collect(promFamilies(p, sorted(p, o.Sort), o.Buckets, native))
}

// promFamilies makes the families of metrics one by one, so that not all of a large
// profile are there at once. Those that have no metric are left out.
//
// Labels tell a marker by its ID and name, and what to add up by: its kind and its
// package. What is only good to know is in markgen_marker_info, to be joined. Seconds
// are exact to a nanosecond up to 52 days, and to one part in 2^53 beyond, as all that
// Prometheus keeps are floating-point numbers.
func promFamilies(p *profile.Profile, markers []*profile.Marker, buckets, native bool) iter.Seq[*dto.MetricFamily] {
	b := &promBuilder{p: p, markers: markers, labels: make([][]*dto.LabelPair, len(markers))}
	for i, m := range markers {
		b.labels[i] = promLabels("id", m.ID.String(), "kind", m.Kind, "marker", m.Name, "package", m.Package)
	}
	list := slices.Concat(b.run(), b.figures(), b.estimates(), b.durations(buckets, native), b.callers(), b.collected())
	return func(yield func(*dto.MetricFamily) bool) {
		for _, f := range list {
			family := &dto.MetricFamily{Name: &f.name, Help: &f.help, Type: f.kind.Enum(), Metric: f.metrics()}
			if len(family.Metric) > 0 && !yield(family) {
				return
			}
		}
	}
}

// promBuilder makes families of a profile.
type promBuilder struct {
	p       *profile.Profile
	markers []*profile.Marker
	labels  [][]*dto.LabelPair // of each marker; its metrics share them
}

// promFamily is a family of metrics that is yet to be made.
type promFamily struct {
	name, help string
	kind       dto.MetricType
	metrics    func() []*dto.Metric
}

// add takes a sample: a value and its labels.
type add func(labels []*dto.LabelPair, v float64)

// counter is a family of counters, which samples gives the samples of.
func counter(name, help string, samples func(add)) promFamily {
	return promFamily{"markgen_" + name, help, dto.MetricType_COUNTER, func() (list []*dto.Metric) {
		samples(func(labels []*dto.LabelPair, v float64) {
			list = append(list, &dto.Metric{Label: labels, Counter: &dto.Counter{Value: &v}})
		})
		return list
	}}
}

// gauge is the same of gauges.
func gauge(name, help string, samples func(add)) promFamily {
	return promFamily{"markgen_" + name, help, dto.MetricType_GAUGE, func() (list []*dto.Metric) {
		samples(func(labels []*dto.LabelPair, v float64) {
			list = append(list, &dto.Metric{Label: labels, Gauge: &dto.Gauge{Value: &v}})
		})
		return list
	}}
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
func promLabels(pairs ...string) []*dto.LabelPair {
	labels := make([]dto.LabelPair, len(pairs)/2)
	list := make([]*dto.LabelPair, len(labels))
	for i := range labels {
		pairs[2*i+1] = printable(pairs[2*i+1])
		labels[i].Name, labels[i].Value = &pairs[2*i], &pairs[2*i+1]
		list[i] = &labels[i]
	}
	return list
}

// seconds are so many nanoseconds.
func seconds[N uint64 | int64 | float64](ns N) float64 { return float64(ns) / 1e9 }
