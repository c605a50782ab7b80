package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
)

// figure is a number that a run has for a marker.
type figure struct {
	name  string
	unit  string                          // "ns", "" for numbers, or what the name of a reading's value ends in
	least float64                         // so many passages a run has to have for it
	of    func(m *profile.Marker) float64 // NaN: there is none
}

// metric is a set of figures that are compared together.
type metric struct {
	name    string
	about   string
	figures []figure
	shown   int // the figure that is shown where nothing changed
	sharp   int // so many of the figures, from the first, tell how small a change could have been found
}

var metrics = []metric{
	{"time", "the times of passages, from the quickest to the slowest", []figure{
		{"p5", "ns", 20, quantile(0.05)},
		{"p25", "ns", 4, quantile(0.25)},
		{"p50", "ns", 1, quantile(0.5)},
		{"mean", "ns", 2, timed((*profile.Marker).MeanNS)},
		{"p90", "ns", 10, quantile(0.9)},
		{"p99", "ns", 100, quantile(0.99)},
		{"p99+", "ns", 200, func(m *profile.Marker) float64 { return slowest(m, 0.01) }},
	}, 2, 3},
	single("mean", "the mean time of a passage", "ns", timed((*profile.Marker).MeanNS)),
	single("p50", "the median time of a passage", "ns", quantile(0.5)),
	single("p90", "the time that nine of ten passages did not exceed", "ns", quantile(0.9)),
	single("p99", "the time that 99 of 100 passages did not exceed", "ns", quantile(0.99)),
	single("max", "the longest passage", "ns", timed(func(m *profile.Marker) float64 { return float64(m.MaxNS) })),
	single("self", "the time of a passage without that of scopes within", "ns", timed(func(m *profile.Marker) float64 {
		return float64(m.SelfNS) / float64(m.Timed())
	})),
	single("total", "the time of all passages of a run", "ns", timed(func(m *profile.Marker) float64 { return float64(m.TotalNS()) })),
	single("count", "the number of passages", "", func(m *profile.Marker) float64 {
		if m.Count == 0 {
			return math.NaN()
		}
		return float64(m.Count)
	}),
}

func single(name, about, unit string, of func(*profile.Marker) float64) metric {
	return metric{name, about, []figure{{name, unit, 1, of}}, 0, 1}
}

// Metrics are the names that Options.Metric may have, the default first, besides those
// of what collectors read.
func Metrics() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return names
}

// metricOf finds a metric by its name.
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

// reading is the mean by which a value that a collector reads grew in a scope.
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

// timed is a figure that only markers have whose passages were timed.
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

// slowest is the mean time of a share of the passages, the slowest; one passage
// at least. The bucket that the share begins in is only partly in it: there, times are taken to be
// spread evenly, as wide as its deviation, as for quantiles.
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

// passages is how many passages the figures of a marker are from.
func passages(m *profile.Marker) float64 {
	if n := m.Taken(); n > 0 {
		return float64(n)
	}
	if m.Samples > 0 {
		return float64(m.Samples)
	}
	return float64(m.Count)
}
