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

// writeBench writes the run as results of Go benchmarks, for benchstat: a line for each
// marker that was passed.
//
//	goos: linux
//	goarch: amd64
//	clock: tsc
//	pkg: example.com/shop/cart
//
//	BenchmarkLoop/(*Cart).Total:for#1 2000 4526.7 ns/op … 9.0534e+06 total-ns 2000 passages
//
// One line is one sample, so that runs that are to be compared are not to be added up
// before: the format is one that is written RunByRun. benchstat makes a table of its own
// for each set of configuration lines. So these are what must be equal for figures to be
// comparable; all else that is to be said of a run, and differs from run to run, is in
// lines that begin with #, which the format has people read and programs skip.
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
			fmt.Fprintf(w, "# %s: off for a time; passages meanwhile are missing\n", printable(m.Name))
		default:
			fmt.Fprintf(w, "# %s: %s; passages after that are missing\n", printable(m.Name), printable(m.Off))
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

// benchUnits is what benchstat can't know of the units.
var benchUnits = []struct{ name, key, value string }{
	{"self-ns/op", "better", "lower"},
	{"p50-ns", "better", "lower"},
	{"p90-ns", "better", "lower"},
	{"p99-ns", "better", "lower"},
	{"total-ns", "better", "lower"},
}

// benchValues appends the figures of a marker. Those of a passage are named as Go's are,
// /op.
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
	add(float64(m.Count), "passages")
	if m.Sampled() {
		if se := m.CountSE(); se > 0 {
			add(se, "se-passages")
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

// readingUnit is the unit of what a collector read in a passage. What Go's benchmarks have
// a unit for has that.
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
	plain := func(r rune) rune { // what is a character of a unit's name, and no sign in it
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("/*-", r) {
			return '_'
		}
		return r
	}
	if value = strings.TrimPrefix(value, "_"); value != "" { // else it is its unit alone
		value = "-" + strings.Map(plain, value)
	}
	return strings.Map(plain, collector) + value + unit + "/op"
}

// benchNames names the benchmarks: the kind, so that the name begins as Go has it and
// kinds can be told apart, and the marker's name in its package. Two of the same name and
// package have their IDs added.
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

// benchName escapes what would not be part of a benchmark's name or would mean something
// in it, as URLs do: blanks, what can't be printed, the = of a parameter, and the - before
// digits at the end, which would be a GOMAXPROCS. So net/url.PathUnescape gives the name
// back.
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
