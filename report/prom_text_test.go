package report

import (
	"bufio"
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// For any help texts, labels and numbers, Prometheus's library reads the intended values, and
// writes the same text.
func FuzzPromText(f *testing.F) {
	f.Add("plain", "help", 0.5, uint64(3))
	f.Add("\"quoted\" \\ and\nin two lines", "\\n is no \\\n\"line\"", 1.0, uint64(1000000))
	f.Add("\\\\\"\\\n", " \t", math.Inf(1), uint64(math.MaxUint64))
	f.Add("", "", math.NaN(), uint64(0))
	f.Add("{le=\"1\"} 2 # EOF", "# EOF", -1e21, uint64(1<<53+1))
	f.Add("größe 世界\r", "größe\u2028", math.SmallestNonzeroFloat64, uint64(12345678))
	f.Add("\xff\xc3", "\x00", math.Inf(-1), uint64(21))
	f.Fuzz(func(t *testing.T, label, help string, v float64, n uint64) {
		if !utf8.ValidString(label) || !utf8.ValidString(help) || v == 0 && math.Signbit(v) {
			t.Skip("labels are made printable before, and there is no negative zero")
		}
		labels := []promLabel{{"a", label}, {"b", "\\"}}
		for _, tt := range []struct {
			name   string
			kind   promKind
			metric promMetric
		}{
			{"x_total", promCounter, promMetric{labels: labels, value: v}},
			{"x_total", promGauge, promMetric{value: v}},
			{"x", promSummary, promMetric{labels: labels, value: v, count: n}},
			{"x", promHistogram, promMetric{labels: labels, value: v, count: n, buckets: []promBucket{{-1.5, 0}, {2, n / 2}}}},
			{"x", promHistogram, promMetric{value: v, count: n}},
		} {
			ours := promFamily{tt.name, help, tt.kind, func(add func(*promMetric)) { add(&tt.metric) }}
			into := func(write func(w *bufio.Writer) error) []byte {
				var b bytes.Buffer
				w := bufio.NewWriter(&b)
				if err := write(w); err != nil || w.Flush() != nil {
					t.Fatal(err)
				}
				return b.Bytes()
			}
			var theirs dto.MetricFamily
			proto := into(func(w *bufio.Writer) error { return new(protoWriter).family(w, &ours) })
			if err := expfmt.NewDecoder(bytes.NewReader(proto), expfmt.NewFormat(expfmt.TypeProtoDelim)).Decode(&theirs); err != nil {
				t.Fatal(err)
			}
			m := theirs.GetMetric()[0]
			if theirs.GetName() != tt.name || theirs.GetHelp() != help || strings.ToLower(theirs.GetType().String()) != string(tt.kind) {
				t.Errorf("%s %s, %q: they read %v", tt.name, tt.kind, help, &theirs)
			}
			if got := promValueOf(m); math.Float64bits(got) != math.Float64bits(v) && !math.IsNaN(v) {
				t.Errorf("%v: they read %v", v, got)
			}
			if len(m.GetLabel()) > 0 && m.GetLabel()[0].GetValue() != label {
				t.Errorf("%q: they read %q", label, m.GetLabel()[0].GetValue())
			}
			for _, open := range []bool{false, true} {
				text := into(func(w *bufio.Writer) error { return ours.writeText(w, open) })
				var want bytes.Buffer
				write := func(f *dto.MetricFamily) (int, error) { return expfmt.MetricFamilyToText(&want, f) }
				if open {
					write = func(f *dto.MetricFamily) (int, error) { return expfmt.MetricFamilyToOpenMetrics(&want, f) }
				}
				if _, err := write(&theirs); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(text, want.Bytes()) {
					t.Errorf("with OpenMetrics %v\n%s\nthey write\n%s", open, text, want.Bytes())
				}
				if open {
					continue // the library does not accept it
				}
				parser := expfmt.NewTextParser(model.LegacyValidation)
				families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
				if err != nil {
					t.Fatalf("%v:\n%s", err, text)
				}
				read := families[tt.name].GetMetric()[0]
				if len(tt.metric.labels) > 0 && read.GetLabel()[0].GetValue() != label {
					t.Errorf("%q: they read %q in\n%s", label, read.GetLabel()[0].GetValue(), text)
				}
				if got := promValueOf(read); got != v && !math.IsNaN(v) {
					t.Errorf("%v: they read %v in\n%s", v, got, text)
				}
			}
		}
	})
}

// promValueOf returns the value of a metric, or its sum.
func promValueOf(m *dto.Metric) float64 {
	return m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetSummary().GetSampleSum() + m.GetHistogram().GetSampleSum()
}
