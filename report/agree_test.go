package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

// numbers are the values of a marker by name: count, total, self, mean, p50, p90, p99, in ns, and
// the number of scopes in bucket K, up to bucket K, and timed in all.
type numbers map[string]*big.Rat

func whole(n uint64) *big.Rat { return new(big.Rat).SetInt(new(big.Int).SetUint64(n)) }

func number(t *testing.T, text string) *big.Rat {
	t.Helper()
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return v
}

func float(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// numbersOf returns the numbers of a marker in the profile.
func numbersOf(p *profile.Profile, m *profile.Marker) numbers {
	n := numbers{"count": whole(m.Count)}
	if m.Timed() == 0 {
		return n
	}
	n["total"], n["mean"] = whole(m.TotalNS()), float(m.MeanNS())
	n["p50"], n["p90"], n["p99"] = float(m.QuantileNS(0.5)), float(m.QuantileNS(0.9)), float(m.QuantileNS(0.99))
	if !p.NoSelf {
		n["self"] = whole(m.SelfNS)
	}
	upTo, buckets := new(big.Rat), m.Buckets
	for k := range 64 {
		if len(buckets) > 0 && int(buckets[0].K) == k {
			n[fmt.Sprintf("bucket %d", k)] = whole(buckets[0].Count)
			upTo = new(big.Rat).Add(upTo, whole(buckets[0].Count))
			buckets = buckets[1:]
		}
		n[fmt.Sprintf("up to %d", k)] = upTo
	}
	n["all"] = upTo
	return n
}

// agreeing are the formats with the numbers of each marker: how they are read, and how the format
// limits a number that is too large.
var agreeing = []struct {
	o     report.Options
	read  func(t *testing.T, p *profile.Profile, text string) map[registry.ID]numbers
	holds func(v *big.Rat) *big.Rat // the value as the format can represent it
	off   float64                   // maximum relative rounding error
	all   bool                      // includes markers that were never executed
}{
	{report.Options{Format: "text"}, readText, exact, 1. / 60, true}, // three digits, or hours and minutes
	{report.Options{Format: "json"}, readJSON, exact, 0, true},
	{report.Options{Format: "pprof"}, readPprofNumbers, func(v *big.Rat) *big.Rat {
		if most := whole(math.MaxInt64); v.Cmp(most) > 0 {
			return most
		}
		return v
	}, 0, false},
	{report.Options{Format: "bench"}, readBench, nearest, 1e-15, false}, // self is written per call and multiplied by the count here
	{report.Options{Format: "prom"}, readProm, nearest, 1e-15, true},    // in seconds
	{report.Options{Format: "prom", Buckets: true}, readProm, nearest, 1e-15, true},
}

func exact(v *big.Rat) *big.Rat { return v }

// nearest returns the nearest floating-point number.
func nearest(v *big.Rat) *big.Rat {
	f, _ := v.Float64()
	return float(f)
}

// All formats have the same numbers as the profile.
func TestFormatsAgree(t *testing.T) {
	sampled := profiletest.Random(100, 7)
	for i := range sampled.Markers {
		if m := &sampled.Markers[i]; i%3 == 0 && m.Count > 1 {
			m.Sample, m.Samples = 100, m.Count/100+1
		}
	}
	noSelf := profiletest.Random(100, 8)
	noSelf.NoSelf = true
	for name, p := range map[string]*profile.Profile{
		"made":    profiletest.Random(400, 1),
		"made 2":  profiletest.Random(400, 2),
		"twice":   profile.Merge([]*profile.Profile{profiletest.Random(200, 3), profiletest.Random(200, 3)}),
		"renamed": profile.Merge([]*profile.Profile{profiletest.Random(100, 4), profiletest.Random(100, 5), profiletest.Random(60, 6)}),
		"sampled": sampled,
		"no self": noSelf,
		"run":     reporttest.Parse(t, reporttest.Demo()),
		"runs":    profile.Merge([]*profile.Profile{reporttest.Parse(t, reporttest.Demo()), reporttest.Parse(t, reporttest.Demo())}),
		"callers": reporttest.Family(),
		"largest": reporttest.Largest(),
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range agreeing {
				checkNumbers(t, p, f.o, f.read(t, p, reporttest.Write(t, p, f.o)), f.holds, f.off, f.all)
			}
		})
	}
}

func checkNumbers(t *testing.T, p *profile.Profile, o report.Options, got map[registry.ID]numbers, holds func(*big.Rat) *big.Rat, off float64, all bool) {
	t.Helper()
	format := o.Format
	several := map[string]int{} // the text format cannot distinguish markers of the same name
	for i := range p.Markers {
		several[p.Markers[i].Name]++
	}
	seen, alike := 0, 0
	for i := range p.Markers {
		m := &p.Markers[i]
		have, ok := got[m.ID]
		if format == "text" && several[m.Name] > 1 {
			alike++
			continue
		}
		if !ok {
			if all || m.Count > 0 {
				t.Errorf("%s: %s is missing", format, m.Name)
			}
			continue
		}
		seen++
		want := numbersOf(p, m)
		for name, v := range have {
			if v == nil || want[name] == nil {
				if v == nil || v.Sign() != 0 {
					t.Errorf("%s: %s has a %s of %v", format, m.Name, name, v)
				}
				continue
			}
			w := holds(want[name])
			d := new(big.Rat).Sub(v, w)
			limit := new(big.Rat).Mul(w, float(off))
			limit.Abs(limit)
			if off > 0 {
				limit.Add(limit, big.NewRat(1, 200)) // the smallest value shown is 0.01ns
			}
			if d.Abs(d).Cmp(limit) > 0 {
				t.Errorf("%s: %s of %s is %s, want %s", format, name, m.Name, v.FloatString(3), w.FloatString(3))
			}
		}
		if have["count"] == nil || m.Timed() > 0 && have["total"] == nil || m.Timed() > 0 && !p.NoSelf && have["self"] == nil {
			t.Errorf("%s: not all there is of %s: %v", format, m.Name, have)
		}
		if format == "prom" && m.Timed() > 0 && (have["mean"] == nil || (have["all"] != nil) != o.Buckets) {
			t.Errorf("prom with buckets %v: a mean and all that were timed: %v of %s", o.Buckets, have, m.Name)
		}
		for _, b := range m.Buckets {
			bucket := map[string]string{"json": "bucket", "prom": "up to"}[format]
			if bucket != "" && (format != "prom" || o.Buckets) && have[fmt.Sprintf("%s %d", bucket, b.K)] == nil {
				t.Errorf("%s: bucket %d of %s is missing", format, b.K, m.Name)
			}
		}
	}
	if seen+alike == 0 {
		t.Errorf("%s: nothing to compare", format)
	}
}

// Values that are too large are reported.
func TestLargest(t *testing.T) {
	p := reporttest.Largest()
	if got := readPprof(t, p).String(); !strings.Contains(got, "past 2^63-1") {
		t.Error(got)
	}
	if got := readPprof(t, reporttest.Family()).String(); strings.Contains(got, "past 2^63-1") {
		t.Error(got)
	}
}

// byName maps the names of a format to markers.
func byName(p *profile.Profile, name func(m *profile.Marker) string) map[string]registry.ID {
	ids := map[string]registry.ID{}
	for i := range p.Markers {
		ids[name(&p.Markers[i])] = p.Markers[i].ID
	}
	return ids
}

// readText reads the text table.
func readText(t *testing.T, p *profile.Profile, text string) map[registry.ID]numbers {
	if warning := p.Costly(); warning != "" {
		_, text, _ = strings.Cut(text, warning+"\n\n")
	}
	heading, table, _ := strings.Cut(text, "\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	_, common, _ := strings.Cut(heading, "\nnames     begin with ")
	common, stopwatches := strings.CutSuffix(common, " (but for stopwatches)")
	head, rows, _ := strings.Cut(table, "\n")
	ids := byName(p, func(m *profile.Marker) string { return m.Name })
	columns := strings.Fields(head)
	got := map[registry.ID]numbers{}
	for row := range strings.Lines(rows) {
		cells := regexp.MustCompile(`  +`).Split(strings.TrimSuffix(row, "\n"), -1)
		n := numbers{}
		for i, column := range columns {
			switch column {
			case "count", "total", "self", "mean", "p50", "p99":
				if cells[i] != "-" && !strings.HasPrefix(cells[i], "<") { // below the clock's quantum
					n[column] = cell(t, cells[i])
				}
			}
		}
		id := ids[common+cells[0]]
		if id == 0 && stopwatches {
			id = ids[cells[0]]
		}
		got[id] = n
	}
	return got
}

// cell parses a count, or a time in ns.
func cell(t *testing.T, text string) *big.Rat {
	t.Helper()
	units := []struct {
		name string
		ns   float64
	}{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"d", 86400e9}, {"h", 3600e9}, {"m", 60e9}, {"s", 1e9}}
	sum := new(big.Rat)
	for rest := strings.ReplaceAll(text, ",", ""); rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		v := number(t, rest[:digits])
		rest = rest[digits:]
		for _, u := range units {
			if after, ok := strings.CutPrefix(rest, u.name); ok {
				v.Mul(v, float(u.ns))
				rest = after
				break
			}
		}
		sum.Add(sum, v)
	}
	return sum
}

func readJSON(t *testing.T, _ *profile.Profile, text string) map[registry.ID]numbers {
	var all struct {
		Markers []struct {
			ID      registry.ID
			Count   json.Number
			TotalNS json.Number `json:"total_ns"`
			SelfNS  json.Number `json:"self_ns"`
			MeanNS  json.Number `json:"mean_ns"`
			P50NS   json.Number `json:"p50_ns"`
			P90NS   json.Number `json:"p90_ns"`
			P99NS   json.Number `json:"p99_ns"`
			Buckets []struct {
				LoNS  uint64 `json:"lo_ns"`
				Count json.Number
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	got := map[registry.ID]numbers{}
	for _, m := range all.Markers {
		n := numbers{}
		for name, v := range map[string]json.Number{"count": m.Count, "total": m.TotalNS, "self": m.SelfNS} {
			if v != "" {
				n[name] = number(t, string(v))
			}
		}
		for name, v := range map[string]json.Number{"mean": m.MeanNS, "p50": m.P50NS, "p90": m.P90NS, "p99": m.P99NS} {
			f, err := v.Float64() // the shortest digits that identify this number
			if err != nil {
				t.Fatal(err)
			}
			n[name] = float(f)
		}
		for _, b := range m.Buckets {
			n[fmt.Sprintf("bucket %d", max(bits.Len64(b.LoNS), 1)-1)] = number(t, string(b.Count))
		}
		got[m.ID] = n
	}
	return got
}

// readPprofNumbers adds up the samples whose innermost frame is the marker.
func readPprofNumbers(t *testing.T, p *profile.Profile, _ string) map[registry.ID]numbers {
	out := readPprof(t, p)
	got := map[registry.ID]numbers{}
	for _, s := range out.Sample {
		id, err := registry.ParseID(s.Location[0].Line[0].Function.SystemName)
		if err != nil {
			t.Fatal(err)
		}
		if got[id] == nil {
			got[id] = numbers{}
		}
		for i, v := range s.Value {
			name := out.SampleType[i].Type
			if got[id][name] == nil {
				got[id][name] = new(big.Rat)
			}
			got[id][name].Add(got[id][name], new(big.Rat).SetInt64(v))
		}
	}
	return got
}

// benchID returns the ID of a result's marker; its name includes the ID if others have the same
// name.
func benchID(t *testing.T, ids map[string]registry.ID, r *benchfmt.Result) registry.ID {
	t.Helper()
	_, name, ok := strings.Cut(string(r.Name), "/")
	if at := strings.Index(name, "/id="); at >= 0 {
		id, err := registry.ParseID(name[at+len("/id="):])
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	name, err := url.PathUnescape(name)
	if !ok || err != nil {
		t.Fatalf("%q: %v", r.Name, err)
	}
	if pkg := r.GetConfig("pkg"); pkg != "" {
		name = pkg + "." + name
	}
	id, ok := ids[name]
	if !ok {
		t.Errorf("%q is the name of no marker", name)
	}
	return id
}

func readBench(t *testing.T, p *profile.Profile, text string) map[registry.ID]numbers {
	ids := byName(p, func(m *profile.Marker) string { return m.Name })
	got := map[registry.ID]numbers{}
	in := benchfmt.NewReader(strings.NewReader(text), "bench")
	for in.Scan() {
		switch r := in.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(r)
		case *benchfmt.Result:
			id := benchID(t, ids, r)
			if got[id] != nil {
				t.Errorf("%s twice", r.Name)
			}
			n := numbers{}
			for _, v := range r.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" {
					value, unit = v.OrigValue, v.OrigUnit
				}
				switch unit {
				case "scopes":
					n["count"] = float(value)
				case "ns/op":
					n["mean"] = float(value)
				case "self-ns/op":
					n["self"] = float(value * float64(p.Markers[index(p, id)].Timed()))
				case "total-ns", "p50-ns", "p90-ns", "p99-ns":
					n[strings.TrimSuffix(unit, "-ns")] = float(value)
				}
			}
			if float64(r.Iters) != min(float64(p.Markers[index(p, id)].Count), math.MaxInt64) {
				t.Errorf("%s: %d iterations", r.Name, r.Iters)
			}
			got[id] = n
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

func index(p *profile.Profile, id registry.ID) int {
	for i := range p.Markers {
		if p.Markers[i].ID == id {
			return i
		}
	}
	return -1
}

var promLine = regexp.MustCompile(`^markgen_(\w+)\{.*?\bid="(\w+)".*?(?:,le="([^"]+)")?\} (\S+)$`)

func readProm(t *testing.T, _ *profile.Profile, text string) map[registry.ID]numbers {
	got := map[registry.ID]numbers{}
	sums := map[registry.ID]float64{}
	for line := range strings.Lines(text) {
		f := promLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if f == nil {
			continue
		}
		id, err := registry.ParseID(f[2])
		v, err2 := strconv.ParseFloat(f[4], 64)
		if err != nil || err2 != nil {
			t.Fatalf("%s: %v, %v", line, err, err2)
		}
		if got[id] == nil {
			got[id] = numbers{}
		}
		switch f[1] {
		case "scopes_total":
			got[id]["count"] = float(v)
		case "time_seconds_total":
			got[id]["total"] = float(v * 1e9)
		case "self_time_seconds_total":
			got[id]["self"] = float(v * 1e9)
		case "scope_duration_seconds_sum":
			sums[id] = v
		case "scope_duration_seconds_count":
			got[id]["mean"] = float(sums[id] / v * 1e9)
		case "scope_duration_seconds_bucket":
			name := "all"
			if f[3] != "+Inf" {
				le, err := strconv.ParseFloat(f[3], 64)
				if err != nil {
					t.Fatal(err)
				}
				name = fmt.Sprintf("up to %d", bits.Len64(uint64(math.Round(le*1e9)))-1)
			}
			got[id][name] = float(v)
		}
	}
	return got
}
