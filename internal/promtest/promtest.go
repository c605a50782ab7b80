// Package promtest starts Prometheus, which scrapes a test's server, and compares what it scraped
// with a profile.
package promtest

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

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
)

// ShopRun returns the data file of a run with scopes of 1 ns up to minutes.
func ShopRun(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	times := map[int][]uint64{}
	for marker, typical := range []float64{2, 900, 40_000, 3e6, 2e9} {
		for range 200 + r.IntN(2000)>>(marker*2) {
			times[marker] = append(times[marker], uint64(typical*math.Exp(1.5*r.NormFloat64())))
		}
	}
	times[1] = append(times[1], 1, 2, 1024, 1<<40) // at the boundaries of buckets
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

// ShopProfile returns the profile of the runs in a directory.
func ShopProfile(t *testing.T, dir string) *profile.Profile {
	t.Helper()
	files, err := runfile.Find(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	var ps []*profile.Profile
	for _, file := range files {
		p, err := runfile.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	return profile.Merge(ps)
}

// A Server is a Prometheus that scrapes a metrics server.
type Server struct {
	t   *testing.T
	url string
}

// Start starts a Prometheus that scrapes target.
func Start(t *testing.T, target string, flags ...string) *Server {
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
	return &Server{t, "http://" + addr}
}

// A sample is one result of a query.
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

// Query returns the current samples of an expression.
func (p *Server) Query(expression string) []sample {
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

// Await waits until an expression has the value want.
func (p *Server) Await(expression string, want float64) {
	p.t.Helper()
	var last []sample
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if last = p.Query(expression); len(last) == 1 && last[0].number(p.t) == want {
			return
		}
	}
	p.t.Fatalf("%s does not become %v; it is %v. Targets: %v", expression, want, last, p.Query("up"))
}

// ByMarker returns the samples of an expression by marker ID.
func (p *Server) ByMarker(expression string) map[string]sample {
	p.t.Helper()
	all := map[string]sample{}
	for _, s := range p.Query(expression) {
		id := s.Metric["id"]
		if _, twice := all[id]; twice {
			p.t.Errorf("%s: marker %s twice", expression, id)
		}
		all[id] = s
	}
	return all
}

// CheckFigures compares counts and times with those of a profile.
func CheckFigures(t *testing.T, prom *Server, p *profile.Profile) {
	t.Helper()
	for _, f := range []struct {
		name string
		of   func(m *profile.Marker) float64
		has  func(m *profile.Marker) bool
	}{
		{"markgen_scopes_total", func(m *profile.Marker) float64 { return float64(m.Count) }, func(*profile.Marker) bool { return true }},
		{"markgen_time_seconds_total", func(m *profile.Marker) float64 { return float64(m.TotalNS()) / 1e9 }, func(m *profile.Marker) bool { return !m.CountOnly }},
		{"markgen_self_time_seconds_total", func(m *profile.Marker) float64 { return float64(m.SelfNS) / 1e9 }, func(m *profile.Marker) bool { return !m.CountOnly }},
		{"markgen_scope_min_seconds", func(m *profile.Marker) float64 { return float64(m.MinNS) / 1e9 }, func(m *profile.Marker) bool { return m.Timed() > 0 }},
		{"markgen_scope_max_seconds", func(m *profile.Marker) float64 { return float64(m.MaxNS) / 1e9 }, func(m *profile.Marker) bool { return m.Timed() > 0 }},
		{"markgen_scope_duration_seconds_count", func(m *profile.Marker) float64 { return float64(m.Timed()) }, func(m *profile.Marker) bool { return m.Timed() > 0 }},
		{"markgen_scope_duration_seconds_sum", func(m *profile.Marker) float64 { return float64(m.SumNS()) / 1e9 }, func(m *profile.Marker) bool { return m.Timed() > 0 }},
	} {
		got := prom.ByMarker(f.name)
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

// CheckClassic compares the buckets of classic histograms: the number of scopes up to each bound,
// for each marker and for all together.
func CheckClassic(t *testing.T, prom *Server, p *profile.Profile) {
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
	for _, s := range prom.Query("markgen_scope_duration_seconds_bucket") {
		m := markerOf(t, p, s)
		if want := upTo(m, s.Metric["le"]); s.number(t) != float64(want) {
			t.Errorf("%s, up to %s: %v, want %d", m.Name, s.Metric["le"], s.Value, want)
		}
	}
	for _, s := range prom.Query("sum by (le) (markgen_scope_duration_seconds_bucket)") {
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

// CheckNative compares the buckets of native histograms.
func CheckNative(t *testing.T, prom *Server, p *profile.Profile) {
	t.Helper()
	got := prom.ByMarker("markgen_scope_duration_nanoseconds")
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

// CheckQuantiles compares quantiles, whose unit is unit ns: they must be in the same bucket.
func CheckQuantiles(t *testing.T, prom *Server, p *profile.Profile, name string, unit float64) {
	t.Helper()
	for _, q := range []float64{0.5, 0.9, 0.99} {
		got := prom.ByMarker(fmt.Sprintf("histogram_quantile(%v, %s)", q, name))
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

// Serve starts a program in a directory, returns the URL that it prints, and interrupts it when the
// test ends.
func Serve(t *testing.T, dir, name string, args ...string) (url string) {
	t.Helper()
	cmd := exec.Command(name, args...)
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
			t.Errorf("%s ends with %v", name, err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}
