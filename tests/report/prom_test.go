package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

const (
	protoType = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
	openType  = "application/openmetrics-text; version=1.0.0"
)

// scrape requests the profile as metrics, in a format that accept names.
func scrape(t *testing.T, p *profile.Profile, o report.Options, accept string) (contentType, body string) {
	t.Helper()
	r, w := httptest.NewRequest("GET", "/metrics", nil), httptest.NewRecorder()
	r.Header.Set("Accept", accept)
	report.ServeProm(w, r, p, o)
	if w.Code != http.StatusOK {
		t.Fatalf("Accept: %s: status %d", accept, w.Code)
	}
	return w.Header().Get("Content-Type"), w.Body.String()
}

// families parses delimited protocol buffers with Prometheus's library.
func families(t *testing.T, body io.Reader) (list []*dto.MetricFamily) {
	t.Helper()
	for in := expfmt.NewDecoder(body, expfmt.NewFormat(expfmt.TypeProtoDelim)); ; {
		f := &dto.MetricFamily{}
		if err := in.Decode(f); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
}

// nativeBuckets returns the counts of a native histogram by bucket index.
func nativeBuckets(h *dto.Histogram) map[int]uint64 {
	buckets := map[int]uint64{}
	index, n, deltas := 0, int64(0), h.GetPositiveDelta()
	for _, span := range h.GetPositiveSpan() {
		index += int(span.GetOffset())
		for range span.GetLength() {
			n, deltas = n+deltas[0], deltas[1:]
			buckets[index] = uint64(n)
			index++
		}
	}
	return buckets
}

// What the library reads from the protocol buffers, it writes in each format exactly as we do;
// native histograms, which only protocol buffers have, have the buckets of the profile.
func TestPromFormats(t *testing.T) {
	for name, p := range map[string]*profile.Profile{
		"made":    profiletest.Random(300, 11),
		"made 2":  profiletest.Random(300, 12),
		"callers": reporttest.Family(),
		"largest": reporttest.Largest(),
		"run":     reporttest.Parse(t, reporttest.Demo()),
		"nothing": {},
	} {
		for _, buckets := range []bool{false, true} {
			t.Run(fmt.Sprint(name, buckets), func(t *testing.T) {
				checkFormats(t, p, report.Options{Format: "prom", Buckets: buckets})
			})
		}
	}
}

// checkFormats compares each format of the profile with that of the library, and returns what the
// library reads from the protocol buffers.
func checkFormats(t *testing.T, p *profile.Profile, o report.Options) []*dto.MetricFamily {
	t.Helper()
	_, proto := scrape(t, p, o, protoType)
	_, text := scrape(t, p, o, "")
	if text != reporttest.Write(t, p, o) {
		t.Error("what is served is not what is written")
	}
	_, open := scrape(t, p, o, openType)
	list := families(t, strings.NewReader(proto))
	checkSame(t, "protocol buffers", proto, encoded(t, list, expfmt.TypeProtoDelim))
	native := 0
	var plain []*dto.MetricFamily
	for _, f := range list {
		if f.GetName() != "markgen_scope_duration_nanoseconds" {
			plain = append(plain, f)
			continue
		}
		for _, m := range f.GetMetric() {
			native++
			checkNative(t, p, m)
		}
	}
	timed, largest := 0, uint64(0)
	for i := range p.Markers {
		if p.Markers[i].Timed() > 0 {
			timed++
		}
		largest = max(largest, p.Markers[i].Count)
	}
	if native != timed {
		t.Errorf("%d native histograms of %d markers that were timed", native, timed)
	}
	checkSame(t, "text", text, encoded(t, plain, expfmt.TypeTextPlain))
	checkSame(t, "OpenMetrics", open, encoded(t, plain, expfmt.TypeOpenMetrics))
	if largest < 1<<63 { // the library reads counts of 2^64 as 2^63
		checkSame(t, "text that was read", text, encoded(t, parsed(t, plain, text), expfmt.TypeTextPlain))
	}
	return list
}

// For any names and numbers, Prometheus's library reads the intended values, and writes the same
// text.
func FuzzProm(f *testing.F) {
	f.Add("plain", 0.5, uint64(3))
	f.Add("\"quoted\" \\ and\nin two lines", 1.0, uint64(1000000))
	f.Add("\\\\\"\\n", math.Inf(1), uint64(math.MaxUint64))
	f.Add("", math.NaN(), uint64(0))
	f.Add("{le=\"1\"} 2 # EOF", -1e21, uint64(1<<53+1))
	f.Add("größe 世界\r", math.SmallestNonzeroFloat64, uint64(12345678))
	f.Add("\xff\xc3", math.Inf(-1), uint64(21))
	f.Fuzz(func(t *testing.T, name string, hz float64, n uint64) {
		if hz == 0 && math.Signbit(hz) {
			t.Skip("there is no negative zero")
		}
		p := &profile.Profile{Runs: 1, Clock: profile.Clock{Kind: name, Hz: hz}, Markers: []profile.Marker{{
			ID: 1, Name: name, Kind: "func", File: name, Group: name, Count: n, SelfNS: n, MinNS: 1, MaxNS: 1,
		}}}
		if n > 0 {
			p.Markers[0].Buckets = []profile.Bucket{{Count: n, SumNS: n, SumSq: profile.Uint128{Lo: n}}}
		}
		for _, buckets := range []bool{false, true} {
			for _, f := range checkFormats(t, p, report.Options{Format: "prom", Buckets: buckets}) {
				m := f.GetMetric()[0]
				switch f.GetName() {
				case "markgen_clock_hertz":
					if got := m.GetGauge().GetValue(); math.Float64bits(got) != math.Float64bits(hz) && !math.IsNaN(hz) {
						t.Errorf("%v: they read %v", hz, got)
					}
				case "markgen_scopes_total":
					if got := m.GetCounter().GetValue(); got != float64(n) {
						t.Errorf("%d: they read %v", n, got)
					}
					for _, l := range m.GetLabel() {
						if l.GetName() == "marker" && isPrintable(name) && l.GetValue() != name {
							t.Errorf("%q: they read %q", name, l.GetValue())
						}
					}
				}
			}
		}
	})
}

func isPrintable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// parsed returns the families that the library reads from a text, in the order of the expected
// ones.
func parsed(t *testing.T, order []*dto.MetricFamily, text string) (list []*dto.MetricFamily) {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil || len(families) != len(order) {
		t.Fatalf("%d families are read, of %d: %v", len(families), len(order), err)
	}
	for _, f := range order {
		list = append(list, families[f.GetName()])
	}
	return list
}

// encoded returns the library's output.
func encoded(t *testing.T, list []*dto.MetricFamily, format expfmt.FormatType) string {
	t.Helper()
	var b bytes.Buffer
	out := expfmt.NewEncoder(&b, expfmt.NewFormat(format))
	for _, f := range list {
		if err := out.Encode(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.(expfmt.Closer).Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func checkSame(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	at = max(at-40, 0)
	t.Errorf("%s: %q\nthe library has %q", what, got[at:min(at+100, len(got))], want[at:min(at+100, len(want))])
}

func checkNative(t *testing.T, p *profile.Profile, metric *dto.Metric) {
	t.Helper()
	h := metric.GetHistogram()
	for i := range p.Markers {
		m := &p.Markers[i]
		if metric.GetLabel()[0].GetValue() != m.ID.String() || m.Timed() > 1<<63-1 {
			continue
		}
		zeros, want := uint64(0), map[int]uint64{}
		for _, b := range m.Buckets {
			if b.K == 0 {
				zeros = b.Count
			} else {
				want[int(b.K)+1] = b.Count
			}
		}
		if got := nativeBuckets(h); !maps.Equal(got, want) || h.GetZeroCount() != zeros || h.GetSampleCount() != m.Timed() || h.GetSampleSum() != float64(m.SumNS()) {
			t.Errorf("%s: %v, want %v and %d of 0 and 1 ns, all %d and %d ns", m.Name, h, want, zeros, m.Timed(), m.SumNS())
		}
		if h.Schema == nil || h.GetSchema() != 0 || h.GetZeroThreshold() != 1 {
			t.Errorf("%s: schema %v, zero bucket up to %v", m.Name, h.Schema, h.GetZeroThreshold())
		}
	}
}

// The format and the content type are those with which Prometheus's library would respond.
func TestPromNegotiation(t *testing.T) {
	headers := []string{
		"",
		"*/*",
		"*",
		"text/*",
		"text/html, */*;q=0.5",
		"text/plain",
		"text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3",
		"application/json",
		"application/openmetrics-text",
		"application/openmetrics-text; version=0.0.1; charset=utf-8",
		"application/openmetrics-text;version=2.0.0,text/plain;q=0.5",
		"application/vnd.google.protobuf",
		protoType,
		// Prometheus 2.54, 3.5, and 3.5 with native histograms
		"application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
		"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
	}
	r := rand.New(rand.NewPCG(1, 1))
	types := append([]string{"text/html", "text/plain;version=0.0.4", "application/openmetrics-text;version=0.0.1", openType}, headers[5:13]...)
	for range 300 {
		var list []string
		for i, k := range r.Perm(9)[:1+r.IntN(5)] {
			one := types[r.IntN(len(types))]
			if strings.Contains(one, "q=") {
				continue
			}
			if r.IntN(4) == 0 {
				one += "; escaping=" + []string{"dots", "values", "allow-utf-8", "other"}[r.IntN(4)]
			}
			if i > 0 {
				one += fmt.Sprintf(" ;q=0.%d", k+1)
			}
			list = append(list, one)
		}
		headers = append(headers, strings.Join(list, ", "))
	}
	for _, accept := range headers {
		h := http.Header{"Accept": {accept}}
		want := string(expfmt.NegotiateAccept(h, expfmt.FmtOpenMetrics_1_0_0, expfmt.FmtOpenMetrics_0_0_1, expfmt.FmtProtoDelim, expfmt.FmtText))
		got, text := scrape(t, &profile.Profile{}, report.Options{}, accept)
		if got != want {
			t.Errorf("Accept: %s\n%s\nthe library says\n%s", accept, got, want)
		}
		if open := strings.Contains(want, "openmetrics"); strings.HasSuffix(text, "# EOF\n") != open {
			t.Errorf("Accept: %s: %.100q", accept, text)
		}
		if strings.Contains(want, "protobuf") {
			families(t, strings.NewReader(text))
		} else if !strings.HasPrefix(text, "# HELP ") {
			t.Errorf("Accept: %s: %.100q", accept, text)
		}
	}
	// A client does not get a format that it does not accept.
	if got, _ := scrape(t, &profile.Profile{}, report.Options{}, openType+"; q=0"); !strings.HasPrefix(got, "text/plain;") {
		t.Error(got)
	}
}

// If values are too large for other formats, the count and the buckets of a native histogram still
// agree, as Prometheus requires.
func TestPromLargest(t *testing.T) {
	_, body := scrape(t, reporttest.Largest(), report.Options{}, protoType)
	for _, f := range families(t, strings.NewReader(body)) {
		for _, m := range f.GetMetric() {
			h := m.GetHistogram()
			if h == nil {
				continue
			}
			all := h.GetZeroCount()
			for _, n := range nativeBuckets(h) {
				all += n
			}
			if all != h.GetSampleCount() {
				t.Errorf("%v: %d in the buckets of %d", m.GetLabel(), all, h.GetSampleCount())
			}
		}
	}
}
