package report

import (
	"bufio"
	"iter"
	"slices"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/markgen/markgen/profile"
)

// writeProm writes the profile in the text format of Prometheus. That has no place for
// native histograms, which Metrics makes for those who are asked for them.
func writeProm(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, _ Options) error {
	out := expfmt.NewEncoder(w, expfmt.NewFormat(expfmt.TypeTextPlain))
	for family := range promFamilies(p, markers, false) {
		if err := out.Encode(family); err != nil {
			return err
		}
	}
	return nil
}

// Metrics returns the profile as metrics for Prometheus, by the names that the format
// prom writes. With native there is a family more, of native histograms, which only the
// protocol buffer format has a place for.
func Metrics(p *profile.Profile, native bool) []*dto.MetricFamily {
	return slices.Collect(promFamilies(p, sorted(p, ""), native))
}

// promFamilies makes the families of metrics one by one, so that not all of a large
// profile are there at once. Those that have no metric are left out.
//
// Seconds are exact to a nanosecond up to 52 days and to one part in 2^53 beyond, as
// all that Prometheus keeps are floating-point numbers of 64 bits. Labels tell a marker
// by its ID and name, and what kind it is and of which package, to add up by; what is
// only good to know is in markgen_marker_info, to be joined.
func promFamilies(p *profile.Profile, markers []*profile.Marker, native bool) iter.Seq[*dto.MetricFamily] {
	b := &promBuilder{p: p, markers: markers, labels: make([][]*dto.LabelPair, len(markers))}
	for i, m := range markers {
		b.labels[i] = promLabels("id", m.ID.String(), "kind", m.Kind, "marker", m.Name, "package", m.Package)
	}
	return func(yield func(*dto.MetricFamily) bool) {
		for _, part := range []func() []promFamily{b.run, b.figures, b.histograms, b.byCaller, b.collected} {
			for _, f := range part() {
				if f.native && !native {
					continue
				}
				out := &dto.MetricFamily{Name: &f.name, Help: &f.help, Type: f.kind.Enum(), Metric: f.metrics()}
				if len(out.Metric) > 0 && !yield(out) {
					return
				}
			}
		}
	}
}

// promFamily is a family of metrics that is yet to be made.
type promFamily struct {
	name, help string
	kind       dto.MetricType
	metrics    func() []*dto.Metric
	native     bool // of native histograms
}

// promBuilder makes families of a profile.
type promBuilder struct {
	p       *profile.Profile
	markers []*profile.Marker
	labels  [][]*dto.LabelPair // of each marker; they are shared by its metrics
}

// promLabels makes labels of names and values by turns, the names in their order.
func promLabels(pairs ...string) []*dto.LabelPair {
	labels := make([]dto.LabelPair, len(pairs)/2)
	list := make([]*dto.LabelPair, len(labels))
	for i := range labels {
		labels[i].Name, labels[i].Value = &pairs[2*i], &pairs[2*i+1]
		list[i] = &labels[i]
	}
	return list
}

// sample is a metric with one value.
func (f *promFamily) sample(labels []*dto.LabelPair, v float64) *dto.Metric {
	if f.kind == dto.MetricType_COUNTER {
		return &dto.Metric{Label: labels, Counter: &dto.Counter{Value: &v}}
	}
	return &dto.Metric{Label: labels, Gauge: &dto.Gauge{Value: &v}}
}

// counter and gauge make families of which f gives the samples.
func counter(name, help string, f func(add func(labels []*dto.LabelPair, v float64))) promFamily {
	return samples(name, help, dto.MetricType_COUNTER, f)
}

func gauge(name, help string, f func(add func(labels []*dto.LabelPair, v float64))) promFamily {
	return samples(name, help, dto.MetricType_GAUGE, f)
}

func samples(name, help string, kind dto.MetricType, f func(add func(labels []*dto.LabelPair, v float64))) promFamily {
	family := promFamily{name: "markgen_" + name, help: help, kind: kind}
	family.metrics = func() (list []*dto.Metric) {
		f(func(labels []*dto.LabelPair, v float64) { list = append(list, family.sample(labels, v)) })
		return list
	}
	return family
}

// seconds is a number of nanoseconds.
func seconds(ns float64) float64 { return ns / 1e9 }

// run makes what is known of the run or runs.
func (b *promBuilder) run() []promFamily {
	p := b.p
	one := func(v float64) func(func([]*dto.LabelPair, float64)) {
		return func(add func([]*dto.LabelPair, float64)) { add(nil, v) }
	}
	truth := func(is bool) func(func([]*dto.LabelPair, float64)) {
		if is {
			return one(1)
		}
		return one(0)
	}
	list := []promFamily{
		gauge("run_info", "The run, or runs added up, that the figures are of.", func(add func([]*dto.LabelPair, float64)) {
			add(promLabels("app", p.App, "clock", p.Clock.Kind, "go", p.Go, "goarch", p.GOARCH, "goos", p.GOOS, "run", p.Run, "state", p.State), 1)
		}),
		gauge("runs", "Runs added up.", one(float64(p.Runs))),
		gauge("complete", "1 if every run ended in order and nothing of its data is missing.", truth(p.Complete)),
		gauge("alive", "1 if a process was still running when its data were read.", truth(p.Alive)),
		gauge("elapsed_seconds", "Time from the start of the run to its end or to its last record, of all runs together.", one(seconds(float64(p.ElapsedNS)))),
		counter("lost_scopes_total", "Scopes that could not be recorded.", one(float64(p.Lost))),
		gauge("warnings", "Number of things that are to be known before the figures are believed: see markgen_warning_info.", one(float64(len(p.Cautions())))),
		gauge("warning_info", "What is to be known before the figures are believed.", func(add func([]*dto.LabelPair, float64)) {
			for _, text := range p.Cautions() {
				add(promLabels("warning", text), 1)
			}
		}),
	}
	if !p.Start.IsZero() {
		list = append(list, gauge("start_time_seconds", "Start of the first run since the Unix epoch.", one(seconds(float64(p.Start.UnixNano())))))
	}
	if c := p.Clock; c.Kind != "" {
		list = append(list,
			gauge("clock_hertz", "Rate of the clock.", one(c.Hz)),
			gauge("clock_quantum_seconds", "Smallest step of the clock.", one(seconds(c.QuantumNS))),
			gauge("clock_read_seconds", "What reading the clock costs.", one(seconds(c.ReadNS))),
			gauge("scope_overhead_seconds", "What a scope costs the program.", one(seconds(c.WholeNS))),
			gauge("scope_overhead_inside_seconds", "The part of what a scope costs that is within the time it measures, and was taken off.", one(seconds(c.InsideNS))),
		)
	}
	if t := p.Trace; t != nil {
		list = append(list,
			counter("trace_records_total", "Records of the trace that are in the data.", one(float64(t.Records))),
			counter("trace_lost_records_total", "Records of the trace that were lost.", one(float64(t.Lost))),
		)
	}
	return list
}

// each makes a sample of each marker that f has a value for.
func (b *promBuilder) each(f func(m *profile.Marker) (v float64, ok bool)) func(func([]*dto.LabelPair, float64)) {
	return func(add func([]*dto.LabelPair, float64)) {
		for i, m := range b.markers {
			if v, ok := f(m); ok {
				add(b.labels[i], v)
			}
		}
	}
}

// figures makes the figures of markers but for the histograms.
func (b *promBuilder) figures() []promFamily {
	timed := func(f func(m *profile.Marker) float64) func(func([]*dto.LabelPair, float64)) {
		return b.each(func(m *profile.Marker) (float64, bool) { return f(m), !m.CountOnly })
	}
	passed := func(f func(m *profile.Marker) float64) func(func([]*dto.LabelPair, float64)) {
		return b.each(func(m *profile.Marker) (float64, bool) { return f(m), m.Timed() > 0 })
	}
	list := []promFamily{
		gauge("marker_info", "The marker: where it is, and its group.", func(add func([]*dto.LabelPair, float64)) {
			for i, m := range b.markers {
				l := b.labels[i]
				more := promLabels("file", m.File, "group", m.Group, "line", strconv.Itoa(m.Line))
				add([]*dto.LabelPair{more[0], more[1], l[0], l[1], more[2], l[2], l[3]}, 1) // by name
			}
		}),
		counter("passages_total", "Passages through the marker.", b.each(func(m *profile.Marker) (float64, bool) { return float64(m.Count), true })),
		counter("time_seconds_total", "Time spent in the marker, recursion once.", timed(func(m *profile.Marker) float64 { return seconds(float64(m.TotalNS())) })),
	}
	if !b.p.NoSelf {
		list = append(list, counter("self_time_seconds_total", "Time spent in the marker without that in scopes opened within.",
			timed(func(m *profile.Marker) float64 { return seconds(float64(m.SelfNS)) })))
	}
	return append(list,
		gauge("passage_min_seconds", "The shortest passage.", passed(func(m *profile.Marker) float64 { return seconds(float64(m.MinNS)) })),
		gauge("passage_max_seconds", "The longest passage.", passed(func(m *profile.Marker) float64 { return seconds(float64(m.MaxNS)) })),
		gauge("open_scopes", "Scopes that had not ended.", timed(func(m *profile.Marker) float64 { return float64(m.Open) })),
		gauge("sample_rate", "N, where 1 in N passages was recorded and the marker's figures are estimates.", b.each(func(m *profile.Marker) (float64, bool) {
			return float64(max(m.Sample, 1)), m.Sampled()
		})),
		counter("sampled_passages_total", "Passages that were recorded, where the marker's figures are estimates.", b.each(func(m *profile.Marker) (float64, bool) {
			return float64(m.Samples), m.Sampled()
		})),
		gauge("passages_standard_error", "Standard error of markgen_passages_total where that is an estimate.", b.each(func(m *profile.Marker) (float64, bool) {
			return m.CountSE(), m.Sampled()
		})),
		gauge("passage_mean_standard_error_seconds", "Standard error of the mean time of a passage where that is an estimate and there are samples enough to tell.", b.each(func(m *profile.Marker) (float64, bool) {
			ns, ok := m.MeanSE()
			return seconds(ns), ok && m.Sampled()
		})),
		gauge("marker_off", "1 for markers that were turned off, for the reason that the label tells; passages after that are missing.", func(add func([]*dto.LabelPair, float64)) {
			for i, m := range b.markers {
				if m.Off != "" {
					add(append(slices.Clip(b.labels[i]), promLabels("reason", m.Off)...), 1)
				}
			}
		}),
	)
}

// byCaller makes the figures by caller. They have families of their own: they are in
// those of the markers already.
func (b *promBuilder) byCaller() []promFamily {
	each := func(f func(m *profile.Marker) float64) func(func([]*dto.LabelPair, float64)) {
		return func(add func([]*dto.LabelPair, float64)) {
			for i, m := range b.markers {
				for k := range m.Callers {
					c := &m.Callers[k]
					id := ""
					if c.ID != 0 {
						id = c.ID.String()
					}
					add(append(promLabels("caller", c.Name, "caller_id", id), b.labels[i]...), f(&c.Marker))
				}
			}
		}
	}
	list := []promFamily{
		counter("caller_passages_total", "Passages through the marker under this caller.", each(func(m *profile.Marker) float64 { return float64(m.Count) })),
		counter("caller_time_seconds_total", "Time spent in the marker under this caller, recursion once.", each(func(m *profile.Marker) float64 { return seconds(float64(m.TotalNS())) })),
	}
	if !b.p.NoSelf {
		list = append(list, counter("caller_self_time_seconds_total", "Time spent in the marker under this caller without that in scopes opened within.", each(func(m *profile.Marker) float64 { return seconds(float64(m.SelfNS)) })))
	}
	return list
}

// collected makes what collectors besides time read: a family for each unit.
func (b *promBuilder) collected() []promFamily {
	var list []promFamily
	list = append(list,
		counter("collected_scopes_total", "Scopes that the collector read at both ends.", b.readings(func(r *profile.Reading) float64 { return float64(r.Scopes) })),
		counter("collected_dropped_scopes_total", "Scopes that the collector did not read at both ends.", b.readings(func(r *profile.Reading) float64 { return float64(r.Dropped) })),
	)
	for _, unit := range []struct{ suffix, name, what string }{{"_ns", "seconds_", "time"}, {"_bytes", "bytes_", "bytes"}, {"", "", "number"}} {
		list = append(list,
			counter("collected_"+unit.name+"total", "What the value grew by in the marker's scopes, recursion once: a "+unit.what+".",
				b.values(unit.suffix, func(v *profile.Value) uint64 { return v.Total() })),
			counter("collected_self_"+unit.name+"total", "The same without what it grew by in scopes opened within: a "+unit.what+".",
				b.values(unit.suffix, func(v *profile.Value) uint64 { return v.Self })),
		)
	}
	return list
}

func (b *promBuilder) readings(f func(r *profile.Reading) float64) func(func([]*dto.LabelPair, float64)) {
	return func(add func([]*dto.LabelPair, float64)) {
		for i, m := range b.markers {
			for k := range m.Readings {
				add(append(promLabels("collector", m.Readings[k].Collector), b.labels[i]...), f(&m.Readings[k]))
			}
		}
	}
}

// values makes a sample of each value whose name ends in the suffix of its unit; "":
// of those that end in none.
func (b *promBuilder) values(suffix string, f func(v *profile.Value) uint64) func(func([]*dto.LabelPair, float64)) {
	return func(add func([]*dto.LabelPair, float64)) {
		for i, m := range b.markers {
			for _, r := range m.Readings {
				for k := range r.Values {
					v := &r.Values[k]
					if unitOf(v.Name) != suffix {
						continue
					}
					n := float64(f(v))
					if suffix == "_ns" {
						n = seconds(n)
					}
					labels := append(promLabels("collector", r.Collector), b.labels[i]...)
					add(append(labels, promLabels("value", v.Name)...), n)
				}
			}
		}
	}
}

// unitOf is the ending of a value's name that says its unit, "" if it is a number. A
// name may be the unit alone.
func unitOf(value string) string {
	for _, suffix := range []string{"_ns", "_bytes"} {
		if strings.HasSuffix("_"+value, suffix) {
			return suffix
		}
	}
	return ""
}
