package report

import (
	"bufio"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/profile"
)

// writeBench writes the run in the format of Go benchmark results, for benchstat, with a line for
// each executed marker.
//
//	goos: linux
//	goarch: amd64
//	clock: tsc
//	pkg: example.com/shop/cart
//
//	BenchmarkLoop/(*Cart).Total:for#1 2000 4526.7 ns/op … 9.0534e+06 total-ns 2000 scopes
//
// Each line is one sample, so runs that are to be compared must not be merged first: this format is
// written RunByRun. benchstat makes a separate table for each set of configuration lines. So only
// properties that must be equal for results to be comparable are in such lines; other information
// about a run, which differs from run to run, is in lines that begin with #, which programs ignore.
func writeBench(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, _ Options) error {
	for _, line := range heading(p) {
		fmt.Fprintf(w, "# %-9s %s\n", line[0], line[1])
	}
	for _, caution := range p.Cautions() {
		fmt.Fprintf(w, "# warning:  %s\n", printable(caution))
	}
	w.WriteByte('\n')
	out := benchfmt.NewWriter(w)
	for _, u := range benchUnits {
		key := benchfmt.UnitMetadataKey{Unit: u.name, Key: u.key}
		if err := out.Write(&benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: u.name, Value: u.value}); err != nil {
			return err
		}
	}
	res := &benchfmt.Result{}
	for _, c := range [][2]string{{"goos", p.GOOS}, {"goarch", p.GOARCH}, {"clock", p.Clock.Kind}, {"pkg", ""}} {
		res.Config = append(res.Config, benchfmt.Config{Key: c[0], Value: []byte(printable(c[1])), File: true})
	}
	pkg := &res.Config[len(res.Config)-1]
	names := benchNames(markers)
	for i, m := range markers {
		if m.Count == 0 {
			continue
		}
		switch m.Off {
		case "":
		case "choice":
			fmt.Fprintf(w, "# %s: off for a time; scopes meanwhile are missing\n", printable(m.Name))
		default:
			fmt.Fprintf(w, "# %s: %s; scopes after that are missing\n", printable(m.Name), printable(m.Off))
		}
		pkg.Value = append(pkg.Value[:0], printable(m.Package)...)
		res.Name = append(res.Name[:0], names[i]...)
		res.Iters = int(min(m.Count, math.MaxInt))
		res.Values = benchValues(res.Values[:0], p, m)
		if err := out.Write(res); err != nil {
			return err
		}
	}
	return nil
}

// benchUnits are metadata of units that benchstat does not know.
var benchUnits = []struct{ name, key, value string }{
	{"self-ns/op", "better", "lower"},
	{"p50-ns", "better", "lower"},
	{"p90-ns", "better", "lower"},
	{"p99-ns", "better", "lower"},
	{"total-ns", "better", "lower"},
}

// benchValues appends the values of a marker. Values per scope have units that end in /op, as Go's
// do.
func benchValues(list []benchfmt.Value, p *profile.Profile, m *profile.Marker) []benchfmt.Value {
	add := func(v float64, unit string) { list = append(list, benchfmt.Value{Value: v, Unit: unit}) }
	if n := m.Timed(); n > 0 {
		add(m.MeanNS(), "ns/op")
		if !p.NoSelf {
			add(float64(m.SelfNS)/float64(n), "self-ns/op")
		}
		add(m.QuantileNS(0.5), "p50-ns")
		add(m.QuantileNS(0.9), "p90-ns")
		add(m.QuantileNS(0.99), "p99-ns")
		add(float64(m.TotalNS()), "total-ns")
	}
	add(float64(m.Count), "scopes")
	if m.Sampled() {
		if se := m.CountSE(); se > 0 {
			add(se, "se-scopes")
		}
		if se, ok := m.MeanSE(); ok {
			add(se, "se-ns/op")
		}
	}
	for i := range m.Readings {
		r := &m.Readings[i]
		if r.Scopes == 0 {
			continue
		}
		for _, v := range r.Values {
			add(r.Mean(v), readingUnit(r.Collector, v.Name))
		}
	}
	return list
}

// readingUnit returns the unit of a collector's reading per scope. It is Go's unit if Go's
// benchmarks have one for the value.
func readingUnit(collector, value string) string {
	switch collector + " " + value {
	case "alloc bytes":
		return "B/op"
	case "alloc objects":
		return "allocs/op"
	}
	ending := unitOf(value)
	unit := map[string]string{"_bytes": "-B", "_ns": "-ns"}[ending]
	value = strings.TrimSuffix("_"+value, ending)
	plain := func(r rune) rune { // replaces characters that cannot be in a unit, or that mean something in it
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("/*-", r) {
			return '_'
		}
		return r
	}
	if value = strings.TrimPrefix(value, "_"); value != "" { // otherwise the value is only a unit
		value = "-" + strings.Map(plain, value)
	}
	return strings.Map(plain, collector) + value + unit + "/op"
}

// benchNames returns the benchmarks' names: the marker's kind, so that the name begins as Go
// requires and kinds can be selected, and its name within the package. If two are equal in a
// package, their IDs are appended.
func benchNames(markers []*profile.Marker) []string {
	type key struct{ pkg, name string }
	names := make([]string, len(markers))
	times := make(map[key]int, len(markers))
	for i, m := range markers {
		local := m.Name
		if m.Package != "" {
			local = strings.TrimPrefix(local, m.Package+".")
		}
		names[i] = capital(m.Kind) + "/" + benchName(local)
		times[key{m.Package, names[i]}]++
	}
	for i, m := range markers {
		if times[key{m.Package, names[i]}] > 1 {
			names[i] += "/id=" + m.ID.String()
		}
	}
	return names
}

func capital(kind string) string {
	kind = benchName(kind)
	if kind == "" {
		return "Marker"
	}
	return strings.ToUpper(kind[:1]) + kind[1:]
}

// benchName escapes, as in URLs, characters that cannot be in a benchmark's name or mean something
// in it: blanks, non-printing characters, the = of a parameter, and the - before trailing digits,
// which would be a GOMAXPROCS. net/url.PathUnescape returns the original name.
func benchName(name string) string {
	gomaxprocs := -1
	if digits := strings.TrimRight(name, "0123456789"); len(digits) < len(name) && strings.HasSuffix(digits, "-") {
		gomaxprocs = len(digits) - 1
	}
	plain := func(i int, r rune, size int) bool {
		return r != '%' && r != '=' && i != gomaxprocs && !unicode.IsSpace(r) && unicode.IsPrint(r) && (r != utf8.RuneError || size > 1)
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if plain(i, r, size) {
			b.WriteString(name[i : i+size])
		} else {
			for _, c := range []byte(name[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		i += size
	}
	return b.String()
}
