package report_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

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

// scrape requests the profile as metrics, with headers "name: value".
func scrape(t *testing.T, p *profile.Profile, o report.Options, headers ...string) *http.Response {
	t.Helper()
	return scrapeOf(t, p, o, "", headers...)
}

func scrapeOf(t *testing.T, p *profile.Profile, o report.Options, query string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", "/metrics?"+query, nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	report.ServeProm(w, r, p, o)
	return w.Result()
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
				o := report.Options{Format: "prom", Buckets: buckets}
				proto := read(t, scrape(t, p, o, "Accept: "+protoType))
				text := read(t, scrape(t, p, o))
				if text != reporttest.Write(t, p, o) {
					t.Error("what is served is not what is written")
				}
				open := read(t, scrape(t, p, o, "Accept: "+openType))
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
				timed := 0
				for i := range p.Markers {
					if p.Markers[i].Timed() > 0 {
						timed++
					}
				}
				if native != timed {
					t.Errorf("%d native histograms of %d markers that were timed", native, timed)
				}
				checkSame(t, "text", text, encoded(t, plain, expfmt.TypeTextPlain))
				checkSame(t, "OpenMetrics", open, encoded(t, plain, expfmt.TypeOpenMetrics))
				if name != "largest" { // the library reads counts of 2^64 as 2^63
					checkSame(t, "text that was read", text, encoded(t, parsed(t, plain, text), expfmt.TypeTextPlain))
				}
			})
		}
	}
}

func read(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
	return string(b)
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
		res := scrape(t, &profile.Profile{}, report.Options{}, "Accept: "+accept)
		if got := res.Header.Get("Content-Type"); got != want {
			t.Errorf("Accept: %s\n%s\nthe library says\n%s", accept, got, want)
		}
		text := read(t, res)
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
	if got := scrape(t, &profile.Profile{}, report.Options{}, "Accept: "+openType+"; q=0").Header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain;") {
		t.Error(got)
	}
}

func TestPromGzip(t *testing.T) {
	p := profiletest.Random(50, 1)
	plain := read(t, scrape(t, p, report.Options{}))
	for _, tt := range []struct {
		accept string
		packed bool
	}{
		{"", false}, {"gzip", true}, {"GZIP", true}, {"gzip, deflate, br", true}, {"deflate", false}, {"identity", false}, {"*", false},
		{"gzip;q=0", false}, {"gzip;q=0, *", false}, {"identity;q=0.5, gzip", true}, {"gzip;q=0.5, identity", false}, {"identity;q=0", false},
	} {
		res := scrape(t, p, report.Options{}, "Accept-Encoding: "+tt.accept)
		got := res.Header.Get("Content-Encoding")
		if (got == "gzip") != tt.packed {
			t.Errorf("Accept-Encoding: %s: it is %q", tt.accept, got)
			continue
		}
		if got == "gzip" {
			z, err := gzip.NewReader(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			res.Body = z
		}
		if read(t, res) != plain {
			t.Errorf("Accept-Encoding: %s: the text differs", tt.accept)
		}
		if vary := res.Header.Values("Vary"); fmt.Sprint(vary) != "[Accept Accept-Encoding]" {
			t.Error(vary)
		}
	}
}

// A scraper can select families by name.
func TestPromNames(t *testing.T) {
	query := url.Values{"name[]": {"markgen_runs", "markgen_alive", "markgen_no_such"}}.Encode()
	got := read(t, scrapeOf(t, profiletest.Random(5, 1), report.Options{}, query))
	want := "# HELP markgen_runs Runs added up.\n# TYPE markgen_runs gauge\nmarkgen_runs 1\n" +
		"# HELP markgen_alive 1 if a process was still running when its data were read.\n# TYPE markgen_alive gauge\nmarkgen_alive 0\n"
	if got != want {
		t.Error(got)
	}
}
