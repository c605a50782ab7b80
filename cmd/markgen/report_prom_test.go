package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/tier"
)

// shopRun is the data file of a run whose passages take from nothing to minutes.
func shopRun(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	times := map[int][]uint64{}
	for marker, typical := range []float64{2, 900, 40_000, 3e6, 2e9} {
		for range 200 + r.IntN(2000)>>(marker*2) {
			times[marker] = append(times[marker], uint64(typical*math.Exp(1.5*r.NormFloat64())))
		}
	}
	times[1] = append(times[1], 1, 2, 1024, 1<<40) // at the edges of buckets
	return profiletest.Run{
		App: "shop", PID: 4711 + seed, StartWall: 1763711763_000000000 + seed*1e9, Span: 2_500_000_000,
		Tables: []profiletest.Table{{
			Text: "p\texample.com/shop\nf\tshop.go\n" +
				"m\t00000000000000b1\tfunc\t0\t12\t1\t0\t-\t-\t1\texample.com/shop.tiny\n" +
				"m\t00000000000000b2\tloop\t0\t14\t2\t0\t-\t-\t1\texample.com/shop.main:for#1\n" +
				"m\t00000000000000b3\tfunc\t0\t20\t1\t2\t-\t-\t1\texample.com/shop.(*Cart).Total\n" +
				"m\t00000000000000b4\tregion\t0\t30\t1\t2\t-\tio\t1\texample.com/shop.main:read \"rates\"\n" +
				"m\t00000000000000b5\tfunc\t0\t40\t1\t2\t-\t-\t1\texample.com/shop.main\n" +
				"m\t00000000000000b6\tfunc\t0\t50\t1\t2\t-\t-\t1\texample.com/shop.never\n" +
				"m\t00000000000000b7\tpoint\t0\t60\t1\t2\t-\t-\t1\texample.com/shop.main:hit\n",
			Times:  times,
			Passes: map[int]uint64{6: 1_000_003},
		}},
	}.File()
}

// shopProfile is the profile of the runs in a folder.
func shopProfile(t *testing.T, dir string) *profile.Profile {
	t.Helper()
	files, err := profile.Find(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	var ps []*profile.Profile
	for _, file := range files {
		p, err := profile.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	return profile.Merge(ps)
}

// servingMetrics starts markgen report -format prom -http, as a process, on the data in
// the folder.
func servingMetrics(t *testing.T, dir string, flags ...string) (url string) {
	t.Helper()
	cmd := exec.Command("markgen", append(append([]string{"report", "-format", "prom", "-http", "127.0.0.1:0"}, flags...), ".")...)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("markgen report -http ends with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// scraper is a Prometheus that scrapes a server of metrics.
type scraper struct {
	t   *testing.T
	url string
}

func startPrometheus(t *testing.T, target string, flags ...string) *scraper {
	t.Helper()
	dir := t.TempDir()
	at, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	config := "scrape_configs:\n- job_name: markgen\n  scrape_interval: 1s\n  scrape_timeout: 1s\n  metrics_path: " + at.Path +
		"\n  static_configs:\n  - targets: ['" + at.Host + "']\n"
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	cmd := exec.Command("prometheus", append(flags, "--config.file=prometheus.yml", "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+addr)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; sh scripts/need.sh prometheus:prometheus installs it", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("prometheus said\n%s", text)
		}
	})
	return &scraper{t, "http://" + addr}
}

// sample is one result of a query.
type sample struct {
	Metric    map[string]string
	Value     []any // time, value
	Histogram []any // time, native histogram
}

func (s sample) number(t *testing.T) float64 {
	t.Helper()
	if len(s.Value) != 2 {
		t.Fatalf("%v has no value", s)
	}
	v, err := strconv.ParseFloat(s.Value[1].(string), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// query asks for what an expression is now; nothing if Prometheus is not up yet.
func (p *scraper) query(expression string) []sample {
	p.t.Helper()
	res, err := http.Get(p.url + "/api/v1/query?query=" + url.QueryEscape(expression))
	if err != nil {
		return nil
	}
	defer res.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result []sample }
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return nil
	}
	if answer.Error != "" && res.StatusCode != http.StatusServiceUnavailable {
		p.t.Fatalf("%s: %s", expression, answer.Error)
	}
	return answer.Data.Result
}

// await asks until there is a result that is as wanted.
func (p *scraper) await(expression string, want float64) {
	p.t.Helper()
	var last []sample
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if last = p.query(expression); len(last) == 1 && last[0].number(p.t) == want {
			return
		}
	}
	p.t.Fatalf("%s does not become %v; it is %v. Targets: %v", expression, want, last, p.query("up"))
}

// byMarker is what an expression is for each marker, by its ID.
func (p *scraper) byMarker(expression string) map[string]sample {
	p.t.Helper()
	all := map[string]sample{}
	for _, s := range p.query(expression) {
		id := s.Metric["id"]
		if _, twice := all[id]; twice {
			p.t.Errorf("%s: marker %s twice", expression, id)
		}
		all[id] = s
	}
	return all
}

// A Prometheus that scrapes has the figures of the profile, and its quantiles are in the
// same buckets.
func TestPrometheus(t *testing.T) {
	tier.Test(t)
	dir := t.TempDir()
	put := func(seed uint64) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.markgen", seed)), shopRun(seed), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(1)
	put(2)
	plain, classic := servingMetrics(t, dir), servingMetrics(t, dir, "-buckets")
	for _, tt := range []struct {
		name            string
		target          string
		buckets, native bool
	}{
		{"count and sum", plain, false, false},
		{"classic", classic, true, false},
		{"native", plain, false, true},
		{"both", classic, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name != "both" {
				tier.Corpus(t)
			}
			var flags []string
			if tt.native {
				flags = []string{"--enable-feature=native-histograms"}
			}
			prom := startPrometheus(t, tt.target, flags...)
			p := shopProfile(t, dir)
			prom.await("markgen_runs", float64(p.Runs))
			checkFigures(t, prom, p)
			if tt.buckets {
				checkClassic(t, prom, p)
				checkQuantiles(t, prom, p, "markgen_passage_duration_seconds_bucket", 1e9)
			} else if got := prom.query("markgen_passage_duration_seconds_bucket"); len(got) > 0 {
				t.Errorf("classic histograms that nobody asked for: %v", got)
			}
			if tt.native {
				checkNative(t, prom, p)
				checkQuantiles(t, prom, p, "markgen_passage_duration_nanoseconds", 1)
			} else if got := prom.query("markgen_passage_duration_nanoseconds"); len(got) > 0 {
				t.Errorf("native histograms where they can't be scraped: %v", got)
			}
			put(uint64(p.Runs) + 1) // it is read at the next scrape
			prom.await("markgen_runs", float64(p.Runs)+1)
			checkFigures(t, prom, shopProfile(t, dir))
		})
	}
}

func checkFigures(t *testing.T, prom *scraper, p *profile.Profile) {
	t.Helper()
	for _, f := range []struct {
		name string
		of   func(m *profile.Marker) float64
		has  func(m *profile.Marker) bool
	}{
		{"markgen_passages_total", func(m *profile.Marker) float64 { return float64(m.Count) }, func(*profile.Marker) bool { return true }},
		{"markgen_time_seconds_total", func(m *profile.Marker) float64 { return float64(m.TotalNS()) / 1e9 }, func(m *profile.Marker) bool { return !m.CountOnly }},
		{"markgen_self_time_seconds_total", func(m *profile.Marker) float64 { return float64(m.SelfNS) / 1e9 }, func(m *profile.Marker) bool { return !m.CountOnly }},
		{"markgen_passage_min_seconds", func(m *profile.Marker) float64 { return float64(m.MinNS) / 1e9 }, func(m *profile.Marker) bool { return m.Timed() > 0 }},
		{"markgen_passage_max_seconds", func(m *profile.Marker) float64 { return float64(m.MaxNS) / 1e9 }, func(m *profile.Marker) bool { return m.Timed() > 0 }},
		{"markgen_passage_duration_seconds_count", func(m *profile.Marker) float64 { return float64(m.Timed()) }, func(m *profile.Marker) bool { return m.Timed() > 0 }},
		{"markgen_passage_duration_seconds_sum", func(m *profile.Marker) float64 { return float64(m.SumNS()) / 1e9 }, func(m *profile.Marker) bool { return m.Timed() > 0 }},
	} {
		got := prom.byMarker(f.name)
		for i := range p.Markers {
			m := &p.Markers[i]
			s, ok := got[m.ID.String()]
			if ok != f.has(m) {
				t.Errorf("%s: %s is there: %v", f.name, m.Name, ok)
			} else if ok && (s.number(t) != f.of(m) || s.Metric["marker"] != m.Name || s.Metric["kind"] != m.Kind || s.Metric["package"] != "example.com/shop") {
				t.Errorf("%s: %v, want %v of %s", f.name, s, f.of(m), m.Name)
			}
		}
	}
}

// checkClassic compares the buckets of classic histograms: how many passages were no longer
// than a bound, whatever the bound; of a marker, and of all.
func checkClassic(t *testing.T, prom *scraper, p *profile.Profile) {
	t.Helper()
	upTo := func(m *profile.Marker, bound string) (n uint64) {
		le, err := strconv.ParseFloat(bound, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range m.Buckets {
			if float64(b.HiNS()-1) <= math.Round(le*1e9) {
				n += b.Count
			}
		}
		return n
	}
	for _, s := range prom.query("markgen_passage_duration_seconds_bucket") {
		m := markerOf(t, p, s)
		if want := upTo(m, s.Metric["le"]); s.number(t) != float64(want) {
			t.Errorf("%s, up to %s: %v, want %d", m.Name, s.Metric["le"], s.Value, want)
		}
	}
	for _, s := range prom.query("sum by (le) (markgen_passage_duration_seconds_bucket)") {
		want := uint64(0)
		for i := range p.Markers {
			want += upTo(&p.Markers[i], s.Metric["le"])
		}
		if s.number(t) != float64(want) {
			t.Errorf("all up to %s: %v, want %d", s.Metric["le"], s.Value, want)
		}
	}
}

func markerOf(t *testing.T, p *profile.Profile, s sample) *profile.Marker {
	t.Helper()
	for i := range p.Markers {
		if p.Markers[i].ID.String() == s.Metric["id"] {
			return &p.Markers[i]
		}
	}
	t.Fatalf("%v is of no marker", s)
	return nil
}

// checkNative compares the buckets of native histograms.
func checkNative(t *testing.T, prom *scraper, p *profile.Profile) {
	t.Helper()
	got := prom.byMarker("markgen_passage_duration_nanoseconds")
	for i := range p.Markers {
		m := &p.Markers[i]
		s, ok := got[m.ID.String()]
		if ok != (m.Timed() > 0) {
			t.Errorf("%s has a native histogram: %v", m.Name, ok)
		}
		if !ok {
			continue
		}
		h := s.Histogram[1].(map[string]any)
		if h["count"] != strconv.FormatUint(m.Timed(), 10) || h["sum"] != strconv.FormatFloat(float64(m.SumNS()), 'f', -1, 64) {
			t.Errorf("%s: count %v, sum %v; want %d, %d", m.Name, h["count"], h["sum"], m.Timed(), m.SumNS())
		}
		var want, have []string
		for _, b := range m.Buckets {
			lo := strconv.FormatUint(b.LoNS(), 10)
			if b.K == 0 {
				want = append(want, fmt.Sprintf("[-1 … 1] %d", b.Count))
			} else {
				want = append(want, fmt.Sprintf("(%s … %d] %d", lo, b.HiNS(), b.Count))
			}
		}
		for _, bucket := range h["buckets"].([]any) {
			b := bucket.([]any)
			sides := [][2]string{{"(", "]"}, {"[", ")"}, {"(", ")"}, {"[", "]"}}[int(b[0].(float64))]
			have = append(have, fmt.Sprintf("%s%s … %s%s %s", sides[0], b[1], b[2], sides[1], b[3]))
		}
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%s:\n%v\nwant\n%v", m.Name, have, want)
		}
	}
}

// checkQuantiles compares quantiles, of which unit ns are one: they have to be in the
// same bucket.
func checkQuantiles(t *testing.T, prom *scraper, p *profile.Profile, name string, unit float64) {
	t.Helper()
	for _, q := range []float64{0.5, 0.9, 0.99} {
		got := prom.byMarker(fmt.Sprintf("histogram_quantile(%v, %s)", q, name))
		for i := range p.Markers {
			m := &p.Markers[i]
			if m.Timed() == 0 {
				continue
			}
			s, ok := got[m.ID.String()]
			if !ok {
				t.Errorf("%s: no %v quantile of %s", name, q, m.Name)
				continue
			}
			ns, ours := s.number(t)*unit, m.QuantileNS(q)
			k := max(bits.Len64(uint64(ours)), 1) - 1
			lo, hi := math.Ldexp(1, k)-1.001, math.Ldexp(1, k+1)
			if k == 0 {
				lo = 0
			}
			if ns < lo || ns > hi {
				t.Errorf("%s, %s: %v quantile %v ns, and %v ns of ours is in the bucket from %v to %v", name, m.Name, q, ns, ours, lo, hi)
			}
		}
	}
}

// promtool finds nothing to complain about, and the figures are those of the scrape.
func TestPromtool(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "1.markgen"), shopRun(1), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"-buckets"}} {
		_, text, _ := strings.Cut(markgenReport(dir, append(flags, "-format", "prom", ".")...), "-- stdout\n")
		cmd := exec.Command("promtool", "check", "metrics")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: promtool check metrics: %v; sh scripts/need.sh prometheus:prometheus installs it\n%s", flags, err, out)
		}
		if code, contentType, got := get(t, "GET", servingMetrics(t, dir, flags...), ""); code != 200 || !strings.HasPrefix(contentType, "text/plain") || got != text {
			t.Errorf("%v: served as %d, %s:\n%s\nand written as\n%s", flags, code, contentType, got, text)
		}
	}
}

// A scraper that asks for protocol buffers gets them, with native histograms.
func TestPromProtobuf(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "1.markgen"), shopRun(1), 0o666); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("GET", servingMetrics(t, dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	format := expfmt.NewFormat(expfmt.TypeProtoDelim)
	req.Header.Set("Accept", string(format))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if got := expfmt.ResponseFormat(res.Header); got.FormatType() != expfmt.TypeProtoDelim {
		t.Fatalf("%s: %s", res.Status, got)
	}
	native, buckets := 0, 0
	for in := expfmt.NewDecoder(res.Body, format); ; {
		var f dto.MetricFamily
		if in.Decode(&f) != nil {
			break
		}
		for _, m := range f.GetMetric() {
			if h := m.GetHistogram(); h != nil && h.Schema != nil {
				native++
			}
			buckets += len(m.GetHistogram().GetBucket())
		}
	}
	if native != 5 || buckets > 0 {
		t.Errorf("%d native histograms, want 5, and %d classic buckets, want none", native, buckets)
	}
}
