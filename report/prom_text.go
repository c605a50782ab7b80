package report

import (
	"bufio"
	"bytes"
	"math"
	"strconv"
	"strings"
)

// writeText writes the family in the text format of Prometheus, version 0.0.4, or if open is true,
// in that of OpenMetrics, versions 0.0.1 and 1.0.0, whose text ends with openMetricsEnd:
//
//	https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
//	https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
//
// In OpenMetrics, the name of a counter family lacks the _total of its samples, quotes are escaped
// in help texts, too, and the format of a number shows whether it is an integer. Neither format has
// native histograms.
func (f *promFamily) writeText(w *bufio.Writer, open bool) (err error) {
	text := promText{open: open}
	head := false
	f.metrics(func(m *promMetric) {
		text.b = w.AvailableBuffer()
		if !head {
			text.head(f)
			head = true
		}
		text.metric(f, m)
		_, err = w.Write(text.b) // a bufio.Writer keeps its first error
	})
	return err
}

// openMetricsEnd marks the end of a complete OpenMetrics text.
const openMetricsEnd = "# EOF\n"

// A promText is text being written.
type promText struct {
	b    []byte
	open bool // write OpenMetrics
}

func (t *promText) string(parts ...string) {
	for _, s := range parts {
		t.b = append(t.b, s...)
	}
}

// Escapers for help texts and label values. In OpenMetrics help texts are escaped like label
// values.
var (
	promHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	promValue = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func (t *promText) head(f *promFamily) {
	name, help := f.name, promHelp
	if t.open {
		help = promValue
		if f.kind == promCounter {
			name = strings.TrimSuffix(name, "_total")
		}
	}
	t.string("# HELP ", name, " ", help.Replace(f.help), "\n# TYPE ", name, " ", string(f.kind), "\n")
}

func (t *promText) metric(f *promFamily, m *promMetric) {
	if f.kind == promCounter || f.kind == promGauge {
		t.name(f.name, "", m.labels)
		t.float(m.value)
		return
	}
	if f.kind == promHistogram {
		for _, b := range m.buckets {
			t.name(f.name, "_bucket", m.labels, b.bound)
			t.count(b.count)
		}
		t.name(f.name, "_bucket", m.labels, math.Inf(1))
		t.count(m.count)
	}
	t.name(f.name, "_sum", m.labels)
	t.float(m.value)
	t.name(f.name, "_count", m.labels)
	t.count(m.count)
}

// name begins the line of a sample. For a bucket, bound is an additional label.
func (t *promText) name(name, suffix string, labels []promLabel, bound ...float64) {
	t.string(name, suffix)
	separator := "{"
	for _, l := range labels {
		t.string(separator, l.name, `="`, promValue.Replace(l.value), `"`)
		separator = ","
	}
	for _, v := range bound {
		t.string(separator, `le="`)
		t.number(v)
		t.string(`"`)
		separator = ","
	}
	if separator == "," {
		t.string("}")
	}
	t.string(" ")
}

func (t *promText) float(v float64) {
	t.number(v)
	t.string("\n")
}

func (t *promText) count(n uint64) {
	if t.open {
		t.b = strconv.AppendUint(t.b, n, 10)
		t.string("\n")
	} else {
		t.float(float64(n)) // all numbers of that format are floating-point
	}
}

func (t *promText) number(v float64) {
	begin := len(t.b)
	t.b = strconv.AppendFloat(t.b, v, 'g', -1, 64)
	if t.open && !bytes.ContainsAny(t.b[begin:], ".eIN") { // nor Inf or NaN
		t.string(".0")
	}
}
