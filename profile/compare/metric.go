package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
)

// A figure is a statistic that a run has for a marker, such as p50.
type figure struct {
	name  string
	unit  string                          // "ns", "" for numbers, or the unit suffix of a collector's value
	least float64                         // minimum number of calls in a run
	of    func(m *profile.Marker) float64 // NaN if there is none
}

// A metric is a set of figures that are compared together.
type metric struct {
	name    string
	about   string
	figures []figure
	shown   int // index of the figure shown if nothing changed
	sharp   int // the first sharp figures determine the detectable change
}

var metrics = []metric{
	{"time", "the times of scopes, from the quickest to the slowest", []figure{
		{"p5", "ns", 20, quantile(0.05)},
		{"p25", "ns", 4, quantile(0.25)},
		{"p50", "ns", 1, quantile(0.5)},
		{"mean", "ns", 2, timed((*profile.Marker).MeanNS)},
		{"p90", "ns", 10, quantile(0.9)},
		{"p99", "ns", 100, quantile(0.99)},
		{"p99+", "ns", 200, func(m *profile.Marker) float64 { return slowest(m, 0.01) }},
	}, 2, 3},
	single("mean", "the mean time of a scope", "ns", timed((*profile.Marker).MeanNS)),
	single("p50", "the median time of a scope", "ns", quantile(0.5)),
	single("p90", "the time that nine of ten scopes did not exceed", "ns", quantile(0.9)),
	single("p99", "the time that 99 of 100 scopes did not exceed", "ns", quantile(0.99)),
	single("max", "the longest scope", "ns", timed(func(m *profile.Marker) float64 { return float64(m.MaxNS) })),
	single("self", "the time of a scope without that of scopes within", "ns", timed(func(m *profile.Marker) float64 {
		return float64(m.SelfNS) / float64(m.Timed())
	})),
	single("total", "the time of all scopes of a run", "ns", timed(func(m *profile.Marker) float64 { return float64(m.TotalNS()) })),
	single("count", "the number of scopes", "", func(m *profile.Marker) float64 {
		if m.Count == 0 {
			return math.NaN()
		}
		return float64(m.Count)
	}),
}

func single(name, about, unit string, of func(*profile.Marker) float64) metric {
	return metric{name, about, []figure{{name, unit, 1, of}}, 0, 1}
}

// Metrics returns the names for Options.Metric, the default first, except those of collectors'
// values.
func Metrics() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return names
}

// metricOf returns the metric with the name.
func metricOf(name string) (metric, error) {
	if name == "" {
		return metrics[0], nil
	}
	for _, m := range metrics {
		if m.name == name {
			return m, nil
		}
	}
	if collector, value, ok := strings.Cut(name, "."); ok && collector != "" && value != "" {
		return reading(collector, value), nil
	}
	return metric{}, fmt.Errorf("unknown metric %q; the metrics are %s, and COLLECTOR.VALUE for what a collector read", name, strings.Join(Metrics(), ", "))
}

// reading returns the metric of a collector's value: its mean increase per scope.
func reading(collector, value string) metric {
	unit := ""
	if strings.HasSuffix(value, "_ns") {
		unit = "ns"
	}
	name := collector + "." + value
	return single(name, value+" in a scope", unit, func(m *profile.Marker) float64 {
		for i := range m.Readings {
			r := &m.Readings[i]
			k := slices.IndexFunc(r.Values, func(v profile.Value) bool { return v.Name == value })
			if r.Collector == collector && k >= 0 && r.Scopes > 0 {
				return r.Mean(r.Values[k])
			}
		}
		return math.NaN()
	})
}

// timed wraps a figure so that it is NaN for markers without times.
func timed(of func(*profile.Marker) float64) func(*profile.Marker) float64 {
	return func(m *profile.Marker) float64 {
		if len(m.Buckets) == 0 {
			return math.NaN()
		}
		return of(m)
	}
}

func quantile(q float64) func(*profile.Marker) float64 {
	return timed(func(m *profile.Marker) float64 { return m.QuantileNS(q) })
}

// slowest returns the mean time of the slowest calls, with share their fraction of all calls, but
// at least one call. If the share begins within a bucket, its times are assumed to be uniformly
// distributed with the bucket's standard deviation, as for quantiles.
func slowest(m *profile.Marker, share float64) float64 {
	n := float64(m.Timed())
	if n == 0 {
		return math.NaN()
	}
	rest := max(1, share*n)
	sum, of := 0.0, rest
	for _, b := range slices.Backward(m.Buckets) {
		c := float64(b.Count)
		if rest >= c {
			sum += float64(b.SumNS)
			rest -= c
			continue
		}
		if rest > 0 {
			one := profile.Marker{Buckets: []profile.Bucket{b}}
			mean := one.MeanNS() + math.Sqrt(3)*one.StddevNS()*(1-rest/c)
			sum += rest * min(mean, float64(min(b.HiNS()-1, max(m.MaxNS, b.LoNS()))))
			rest = 0
		}
		break
	}
	return sum / (of - rest)
}

// scopes returns the number of calls behind a marker's figures.
func scopes(m *profile.Marker) float64 {
	if n := m.Measured(); n > 0 {
		return float64(n)
	}
	if m.Samples > 0 {
		return float64(m.Samples)
	}
	return float64(m.Count)
}

// Value returns a function that reads a figure of a metric from a marker, and the figure's unit. Its
// value is NaN if the marker has none. name is that of one of the Figures of a Result; "" means
// the one shown if nothing changed.
func Value(metric, name string) (of func(*profile.Marker) float64, unit string, err error) {
	m, err := metricOf(metric)
	if err != nil {
		return nil, "", err
	}
	f := m.figures[m.shown]
	if i := slices.IndexFunc(m.figures, func(f figure) bool { return f.name == name }); i >= 0 {
		f = m.figures[i]
	}
	return f.of, f.unit, nil
}
