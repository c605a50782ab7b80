package report

import (
	"bufio"
	"bytes"
	"math"
	"strconv"
	"strings"
)

// writeText writes the family in the text format of Prometheus, version 0.0.4, or with open in that of OpenMetrics,
// versions 0.0.1 and 1.0.0, whose text ends with openMetricsEnd:
//
//	https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
//	https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
//
// OpenMetrics differs in that the name of a family of counters is without the _total of its samples, in that quotes
// are escaped in help, too, and in that numbers tell whether they are integers. Native histograms are in neither.
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

// openMetricsEnd is what tells that nothing of a text of OpenMetrics is missing.
const openMetricsEnd = "# EOF\n"

// promText is text that is being written.
type promText struct {
	b    []byte
	open bool // OpenMetrics
}

func (t *promText) string(parts ...string) {
	for _, s := range parts {
		t.b = append(t.b, s...)
	}
}

// Escapers of help and of values of labels. Those of labels are for the help of OpenMetrics, too.
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

// name begins the line of a sample; that of a bucket has its bound as one label more.
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
		t.float(float64(n)) // as all numbers of that format
	}
}

func (t *promText) number(v float64) {
	begin := len(t.b)
	t.b = strconv.AppendFloat(t.b, v, 'g', -1, 64)
	if t.open && !bytes.ContainsAny(t.b[begin:], ".eIN") { // nor Inf or NaN
		t.string(".0")
	}
}
