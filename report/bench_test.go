package report_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/runtime/layout"
)

func TestBenchGolden(t *testing.T) {
	noSelf := reporttest.Demo()
	noSelf.Flags = layout.FlagNoSelf
	killed := reporttest.Demo()
	killed.Killed, killed.Lost = true, 3
	off := reporttest.Parse(t, reporttest.Demo())
	off.Markers[0].Off, off.Markers[1].Off = "choice", "throttled"
	read := reporttest.Demo()
	read.Values = []string{"alloc\tbytes", "alloc\tobjects", "io\tread_bytes", "io\twrite_ops", "my cache\tlook-ups", "my cache\twaited_ns"}
	read.Tables[0].Read = map[int]profiletest.Read{
		1: {Scopes: [][2]uint64{{3, 0}, {2, 1}, {3, 0}}, Values: [][3]uint64{{3000, 3000}, {30, 30}, {800, 9}, {4, 4}, {5, 5}, {6, 6}}},
	}
	for _, tt := range []struct {
		file string
		p    *profile.Profile
	}{
		{"bench.txt", reporttest.Parse(t, reporttest.Demo())},
		{"bench-noself.txt", reporttest.Parse(t, noSelf)},
		{"bench-killed.txt", reporttest.Parse(t, killed)},
		{"bench-off.txt", off},
		{"bench-collected.txt", reporttest.Parse(t, read)},
		{"bench-nothing.txt", &profile.Profile{}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			golden.Check(t, tt.file, reporttest.Write(t, tt.p, report.Options{Format: "bench"}))
		})
	}
}

// Names are valid for benchmarks, unique per marker, and can be decoded.
func TestBenchNames(t *testing.T) {
	const pkg = "gopkg.in/yaml.v3"
	p := &profile.Profile{GOOS: "linux", GOARCH: "amd64"}
	left := map[string]int{}
	add := func(kind, name string) {
		m := reporttest.Figures(1, 10, 10)
		m.ID, m.Package, m.Name, m.Kind = registry.ID(len(p.Markers)+1), pkg, pkg+"."+name, kind
		p.Markers = append(p.Markers, m)
		left[name]++
	}
	for _, name := range []string{"Func", "(*T).Method:for#1", "F:read a/b", "F:read\u00a0a", "F:100%", "F:x==y", "F:part-3", "F:part-3x",
		"F:3", "F:\xff", "F:é", "F:a%20b", "F:a b"} {
		add("loop", name)
	}
	add("loop", "F:a b")
	add("func", "F:a b")
	seen := map[string]bool{}
	in := benchfmt.NewReader(strings.NewReader(reporttest.Write(t, p, report.Options{Format: "bench"})), "bench")
	for in.Scan() {
		r, ok := in.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		base, parts := r.Name.Parts()
		if kind := string(base); kind != "Loop" && kind != "Func" || r.GetConfig("pkg") != pkg || seen[r.Name.String()] {
			t.Errorf("%q in package %s", r.Name, r.GetConfig("pkg"))
		}
		seen[r.Name.String()] = true
		if len(parts) > 0 && strings.HasPrefix(string(parts[len(parts)-1]), "-") {
			t.Errorf("%q has a GOMAXPROCS", r.Name)
		}
		_, name, _ := strings.Cut(r.Name.String(), "/")
		name, _, several := strings.Cut(name, "/id=")
		name, err := url.PathUnescape(name)
		if left[name]--; err != nil || left[name] < 0 || several != (name == "F:a b" && string(base) == "Loop") {
			t.Errorf("%q is %q, %v", r.Name, name, err)
		}
	}
	if len(seen) != len(p.Markers) || in.Err() != nil {
		t.Errorf("%d results of %d, %v", len(seen), len(p.Markers), in.Err())
	}
}

// Consecutive runs are read correctly, whatever the previous run was.
func TestBenchRuns(t *testing.T) {
	other := reporttest.Parse(t, reporttest.Demo())
	other.GOOS, other.GOARCH, other.Clock.Kind = "", "arm64", "mono"
	text := reporttest.Write(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Format: "bench"})
	text += reporttest.Write(t, other, report.Options{Format: "bench"})
	in := benchfmt.NewReader(strings.NewReader(text), "bench")
	var got []string
	for in.Scan() {
		switch r := in.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(r)
		case *benchfmt.Result:
			if strings.HasSuffix(r.Name.String(), "main") {
				got = append(got, r.GetConfig("goos")+" "+r.GetConfig("goarch")+" "+r.GetConfig("clock"))
			}
		}
	}
	if strings.Join(got, ", ") != "linux amd64 tsc,  arm64 mono" {
		t.Errorf("%q", got)
	}
}
