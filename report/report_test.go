package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/runtime/layout"
)

// modes returns a profile of times with several modes: for example, one in a thousand takes a
// hundred times as long as the others, and some times are spread over the whole range.
func modes(t testing.TB) *profile.Profile {
	run := reporttest.Demo()
	two, wide := make([]uint64, 100_000), []uint64{}
	for i := range two {
		two[i] = 900 + uint64(i%701)
		if i%1000 == 0 {
			two[i] *= 100
		}
	}
	for k := range 60 {
		wide = append(wide, 1<<k)
	}
	run.Tables[0].Times = map[int][]uint64{1: two, 2: wide[:1], 4: wide, 6: {0, 0, 0, 70}}
	return reporttest.Parse(t, run)
}

func TestGolden(t *testing.T) {
	changed := func(change func(r *profiletest.Run)) *profile.Profile {
		run := reporttest.Demo()
		change(&run)
		return reporttest.Parse(t, run)
	}
	p := reporttest.Parse(t, reporttest.Demo())
	killed := changed(func(r *profiletest.Run) {
		r.Killed, r.StartWall, r.PID, r.Lost = true, r.StartWall+5e9, 4712, 3
	})
	live := changed(func(r *profiletest.Run) { r.Killed, r.State = true, layout.StatePaused })
	live.Alive = true
	damaged := reporttest.Demo().File()
	damaged = damaged[:len(damaged)-1000]
	cut, err := runfile.ReadFrom(bytes.NewReader(damaged), int64(len(damaged)), "shop.markgen")
	if err != nil {
		t.Fatal(err)
	}
	counted := changed(func(r *profiletest.Run) {
		r.Tables[0].Text = "p\tm\nf\tf.go\nc\t0000000000000001\tblock\t0\t1\t1\tm.F:block#1\nb\t0\t1\t1\t2\t2\t1\n"
		r.Tables[0].Times, r.Tables[0].Passes, r.Tables[0].Counters = nil, nil, []uint64{4, 5}
	})
	collected := changed(func(r *profiletest.Run) {
		r.Values = []string{"io\tread_bytes", "io\twrite_bytes", "io\twrite_ops", "cache\twaited_ns", "still\tnothing"}
		all := func(scopes, dropped uint64) [][2]uint64 {
			return [][2]uint64{{scopes, 0}, {scopes - dropped, dropped}, {scopes, 0}}
		}
		r.Tables[0].Read = map[int]profiletest.Read{
			0: {Scopes: all(1, 1), Values: [][3]uint64{{1_234_567, 4_567}, {9, 0}, {1, 0}, {}, {}}},
			1: {Scopes: all(3, 0), Values: [][3]uint64{{1_230_000, 1_000_000, 230_000}, {}, {}, {45_600_000, 1_500, 0}, {}}},
			4: {Scopes: all(3, 1), Values: [][3]uint64{{}, {9, 9}, {1, 1}, {7, 7, 0}, {}}},
		}
	})
	costly := reporttest.Parse(t, reporttest.Demo())
	costly.Cost = &profile.Cost{Runs: 1, CPUNS: 1_250_000_000, MarkersNS: 300_000_000}
	paths := reporttest.Parse(t, reporttest.Demo())
	paths.Paths = profiletest.DemoPaths()
	for _, tt := range []struct {
		file string
		p    *profile.Profile
		o    report.Options
	}{
		{"json-paths.json", paths, report.Options{Format: "json"}},
		{"text-cost.txt", costly, report.Options{Cost: true}},
		{"text-cost-80.txt", costly, report.Options{Cost: true, Width: 80, Top: 2}},
		{"text-costly.txt", costly, report.Options{Top: 1}},
		{"text-costly-some.txt", profile.Merge([]*profile.Profile{costly, killed}), report.Options{Top: 1}},
		{"json-costly.json", costly, report.Options{Format: "json"}},
		{"prom-costly.txt", costly, report.Options{Format: "prom"}},
		{"text.txt", p, report.Options{}},
		{"text-total.txt", p, report.Options{Sort: "total"}},
		{"text-place.txt", p, report.Options{Sort: "place"}},
		{"text-count.txt", p, report.Options{Sort: "count"}},
		{"text-120.txt", p, report.Options{Width: 120}},
		{"text-80.txt", p, report.Options{Width: 80}},
		{"text-40.txt", p, report.Options{Width: 40}},
		{"text-color.txt", p, report.Options{Color: true, Sort: "self", Width: 100}},
		{"text-killed.txt", killed, report.Options{}},
		{"text-running.txt", live, report.Options{}},
		{"text-damaged.txt", cut, report.Options{}},
		{"text-merged.txt", profile.Merge([]*profile.Profile{p, killed, p}), report.Options{}},
		{"text-noself.txt", changed(func(r *profiletest.Run) { r.Flags = layout.FlagNoSelf }), report.Options{}},
		{"text-counted.txt", counted, report.Options{}},
		{"text-blocks.txt", changed(func(r *profiletest.Run) {
			r.Tables[0] = profiletest.Table{Text: "p\tm\nf\tf.go\nb\t0\t1\t1\t2\t2\t1\n"}
		}), report.Options{}},
		{"text-collected.txt", collected, report.Options{}},
		{"text-collected-70.txt", collected, report.Options{Width: 70}},
		{"text-nothing.txt", changed(func(r *profiletest.Run) { r.Tables = nil }), report.Options{}},
		{"text-top.txt", p, report.Options{Sort: "total", Top: 2}},
		{"text-hist.txt", p, report.Options{Hist: true}},
		{"text-hist-60.txt", modes(t), report.Options{Hist: true, Width: 60, ASCII: true}},
		{"text-hist-color.txt", modes(t), report.Options{Hist: true, Color: true}},
		{"json.json", p, report.Options{Format: "json"}},
		{"json-max.json", p, report.Options{Format: "json", Sort: "max"}},
		{"json-killed.json", killed, report.Options{Format: "json"}},
		{"json-merged.json", profile.Merge([]*profile.Profile{p, killed, p}), report.Options{Format: "json"}},
		{"json-noself.json", changed(func(r *profiletest.Run) { r.Flags = layout.FlagNoSelf }), report.Options{Format: "json"}},
		{"json-collected.json", collected, report.Options{Format: "json"}},
		{"json-nothing.json", changed(func(r *profiletest.Run) { r.Tables = nil }), report.Options{Format: "json"}},
		{"otlp.json", p, report.Options{Format: "otlp", Now: time.Unix(1763711800, 0)}},
		{"otlp-nothing.json", changed(func(r *profiletest.Run) { r.Tables = nil }), report.Options{Format: "otlp"}},
		{"markdown.md", p, report.Options{Format: "markdown"}},
		{"markdown-top.md", p, report.Options{Format: "markdown", Sort: "count", Top: 2}},
		{"markdown-noself.md", changed(func(r *profiletest.Run) { r.Flags = layout.FlagNoSelf }), report.Options{Format: "markdown"}},
		{"markdown-nothing.md", changed(func(r *profiletest.Run) { r.Tables = nil }), report.Options{Format: "markdown"}},
		{"cover.out", p, report.Options{Format: "cover"}},
		{"cover-set.out", p, report.Options{Format: "cover", Mode: "set"}},
		{"cover-atomic.out", p, report.Options{Format: "cover", Mode: "atomic"}},
	} {
		t.Run(tt.file, func(t *testing.T) { golden.Check(t, tt.file, reporttest.Write(t, tt.p, tt.o)) })
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		o    report.Options
		want string
	}{
		{report.Options{Format: "html5"}, `unknown format "html5"; the formats are text, json, html, pprof, folded, cover, bench, prom, otlp, markdown and trace`},
		{report.Options{Sort: "size"}, `unknown sort key "size"; the keys are name, total, self, running, waiting, count, mean, max and place`},
		{report.Options{Format: "json", Top: 3}, `the first markers alone are for the formats text and markdown; json has all of them`},
		{report.Options{Top: -1}, `the first -1 markers can't be; give a number from 1 on`},
		{report.Options{Format: "json", Hist: true}, `histogram lines are for the text format, not for json`},
		{report.Options{Format: "json", Cost: true}, `-cost is for the text format, not for json`},
		{report.Options{Format: "json", Paths: true}, `-paths is for the text format; html, json, pprof and folded have the call paths in any case`},
		{report.Options{Buckets: true}, `classic histograms are for the prom format, not for text`},
		{report.Options{Format: "json", Buckets: true}, `classic histograms are for the prom format, not for json`},
		{report.Options{Format: "cover", Mode: "all"}, `unknown cover mode "all"; the modes are set, count and atomic`},
	} {
		var b bytes.Buffer
		err := report.Write(&b, &profile.Profile{}, tt.o)
		if err == nil || err.Error() != tt.want || b.Len() > 0 {
			t.Errorf("%+v: %v, and %d bytes written\nwant %s", tt.o, err, b.Len(), tt.want)
		}
	}
	for _, f := range report.Formats() {
		for _, s := range report.Sorts() {
			if err := (report.Options{Format: f, Sort: s}).Check(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Numbers in names are sorted numerically, in every format, when sorting by name and for ties.
func TestNumbersInNames(t *testing.T) {
	run := reporttest.Demo()
	run.Tables[0].Text = "p\tm\nf\tf.go\n"
	want := []string{"m.F", "m.F:for#2", "m.F:for#10", "m.F:if#9.then", "m.F:if#10.else", "m.F:if#10.then"}
	for i, k := range []int{4, 1, 2, 0, 5, 3} {
		run.Tables[0].Text += fmt.Sprintf("m\t%016x\tfunc\t0\t1\t1\t0\t-\t-\t1\t%s\n", i+1, want[k])
	}
	run.Tables[0].Times, run.Tables[0].Passes, run.Tables[0].Counters = nil, nil, nil
	p := reporttest.Parse(t, run)
	for _, o := range []report.Options{
		{}, {Sort: "name"}, {Sort: "self"}, {Format: "json"}, {Format: "json", Sort: "total"}, {Sort: "place"}, {Format: "html"}, {Format: "html", Against: reporttest.Parse(t, reporttest.Demo())},
	} {
		text := reporttest.Write(t, p, o)
		if o.Format == "html" {
			text = unpacked(t, text)
		}
		if o.Format == "" {
			text = regexp.MustCompile(`(?m)^F`).ReplaceAllString(text, "m.F") // the common prefix of names is shown once
		}
		if got := regexp.MustCompile(`m\.F[a-z0-9:#.]*`).FindAllString(text, -1); !slices.Equal(got, want) {
			t.Errorf("%q, sorted by %q: %q, want %q", o.Format, o.Sort, got, want)
		}
	}
}

// Means and percentiles that round to 0 are shown as less than the clock's resolution. Markers that
// were never executed have none, and json has the exact numbers.
func TestBelowQuantum(t *testing.T) {
	run := reporttest.Demo()
	run.Tables[0].Times = map[int][]uint64{0: make([]uint64, 5)}
	for quantum, below := range map[float64]string{0.95: "<1ns", 9.9: "<10ns"} {
		p := reporttest.Parse(t, run)
		p.Clock.QuantumNS = quantum
		text := reporttest.Write(t, p, report.Options{})
		if want := regexp.MustCompile(`(?m)^\S+shop\.main +func +5 +0ns +0ns +0% +` + below + ` .* +0ns +` + below + ` +` + below + ` +0ns `); !want.MatchString(text) {
			t.Errorf("a quantum of %v ns:\n%s", quantum, text)
		}
		if strings.Contains(text, "0.00ns") || strings.Count(text, below) != 3 {
			t.Errorf("a quantum of %v ns:\n%s", quantum, text)
		}
		if text := reporttest.Write(t, p, report.Options{Format: "json"}); !strings.Contains(text, `"count":5,"total_ns":0,"self_ns":0,"mean_ns":0,`) || strings.Contains(text, below) {
			t.Errorf("json: %s", text)
		}
		if text := unpacked(t, reporttest.Write(t, p, report.Options{Format: "html"})); !strings.Contains(text, fmt.Sprintf(`"quantum": %v`, quantum)) {
			t.Errorf("the page does not have the quantum: %s", text)
		}
	}
}

// The text report fits any width that is sufficient for a name and three numbers, whatever the
// names are.
func TestWidth(t *testing.T) {
	run := reporttest.Demo()
	run.Tables[0].Text = strings.NewReplacer("cart.round\n", "cart.überaus/lange/"+strings.Repeat("日本語", 30)+"\n").Replace(run.Tables[0].Text)
	p := reporttest.Parse(t, run)
	for width := 48; width < 260; width++ {
		_, table, _ := strings.Cut(reporttest.Write(t, p, report.Options{Width: width, Hist: width%2 == 0}), "\n\n")
		table, _, _ = strings.Cut(table, "\n\n")
		for line := range strings.Lines(table) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > width {
				t.Fatalf("width %d: a line of %d: %s", width, n, line)
			}
			if strings.HasSuffix(line, " ") {
				t.Fatalf("width %d: %q ends in a space", width, line)
			}
		}
	}
	for width := -1; width < 48; width++ { // must not panic
		reporttest.Write(t, p, report.Options{Width: width})
	}
}

// Names from a data file cannot control a terminal.
func TestControlCharacters(t *testing.T) {
	p := reporttest.Parse(t, reporttest.Demo())
	p.App, p.Markers[0].Name, p.Markers[0].File, p.Markers[1].Kind = "a\x1b[2J", "n\x1b]0;x\a", "f\r\x9b", "k\b"
	p.Warnings = []string{"w\x1b[1m\u202e"}
	if text := reporttest.Write(t, p, report.Options{}); strings.ContainsAny(text, "\x1b\a\r\b\u009b\u202e") {
		t.Errorf("%q", text)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("disk full")

func TestWriteError(t *testing.T) {
	p := many(1000)
	p.Paths = profiletest.CallTree(p, 1000, 1)
	for _, f := range report.Formats() {
		if report.Records(f) { // not made from a profile
			continue
		}
		if err := report.Write(full{}, p, report.Options{Format: f}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// What a process took is unknown until it has ended.
func TestNoCost(t *testing.T) {
	if err := report.Write(io.Discard, reporttest.Parse(t, reporttest.Demo()), report.Options{Cost: true}); err == nil || !strings.Contains(err.Error(), "the data do not tell what measuring cost") {
		t.Errorf("error %v", err)
	}
}

// many returns a profile of n markers, half of them visited.
func many(n int) *profile.Profile {
	p := &profile.Profile{App: "large", Runs: 1}
	for i := range n {
		m := profile.Marker{ID: 1, Name: fmt.Sprintf("example.com/large/internal/package%d.(*Type).Method:for#%d", i/50, i%50), Kind: "loop", File: fmt.Sprintf("internal/package%d/file.go", i/50), Line: i}
		if i%2 == 0 {
			m.Count, m.MinNS, m.MaxNS, m.SelfNS = 30, 64, 70_000, 1000
			for k := range uint8(8) {
				lo := uint64(64) << k
				b := profile.Bucket{K: 6 + k, Count: 3, SumNS: 4 * lo}
				b.SumSq = profile.Square(lo).Add(profile.Square(lo)).Add(profile.Square(2 * lo))
				m.Buckets = append(m.Buckets, b)
			}
		}
		p.Markers = append(p.Markers, m)
	}
	return p
}

// A text report of 100,000 markers must take less than a second.
func BenchmarkWrite(b *testing.B) {
	p := many(100_000)
	for _, o := range []report.Options{{Format: "text"}, {Format: "text", Sort: "total", Width: 100}, {Format: "json"}} {
		b.Run(fmt.Sprintf("%s,sort=%s,width=%d", o.Format, o.Sort, o.Width), func(b *testing.B) {
			for b.Loop() {
				if err := report.Write(io.Discard, p, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// If a trace was recorded without timing, markers that only count have values. Those of the other
// markers are in the trace, and are not shown as zero.
func TestTracedAndCounted(t *testing.T) {
	run := profiletest.Run{Flags: layout.FlagTraced | layout.FlagUntimed, Tables: []profiletest.Table{{
		Text: "p\tp\nf\tf.go\n" +
			"m\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tp.Timed\n" +
			"c\t0000000000000002\tfunc\t0\t9\t1\tp.Counted\n" +
			"c\t0000000000000003\tfunc\t0\t12\t1\tp.Never\n",
		Counters: []uint64{77, 0},
	}}}
	file := run.File()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "traced.markgen")
	if err != nil {
		t.Fatal(err)
	}
	write := func(format string) string {
		var b bytes.Buffer
		if err := report.Write(&b, p, report.Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := write("text")
	if strings.Contains(text, "Timed") || !strings.Contains(text, "\nCounted ") ||
		!strings.Contains(text, "3 markers, 1 unvisited, 1 traced and not timed: markgen between FROM TO DATA gives times, by count\n") {
		t.Errorf("%s", text)
	}
	if json := write("json"); strings.Count(json, `"untimed":true`) != 1 {
		t.Errorf("%s", json)
	}
}

// Scopes not recorded for markers with enough samples are reported below the table, not as a
// warning.
func TestEnough(t *testing.T) {
	p := &profile.Profile{Markers: []profile.Marker{{Name: "p.main", Count: 1}, {Name: "p.serve", Count: 1000, Off: "enough"}}}
	var b bytes.Buffer
	if err := report.Write(&b, p, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "\n2 markers, 1 off by enough= (the scopes after that are missing), by count\n") {
		t.Errorf("%s", b.String())
	}
}

// A marker with open scopes is reported as open, executed before or not, and not as unvisited.
func TestStillOpen(t *testing.T) {
	p := &profile.Profile{Markers: []profile.Marker{{Name: "p.main", Open: 1}, {Name: "p.serve", Count: 5, Open: 3}, {Name: "p.never"}}}
	var b bytes.Buffer
	if err := report.Write(&b, p, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "\n3 markers, 1 unvisited, 2 still open (4 scopes), by count\n") {
		t.Errorf("%s", b.String())
	}
}

// Values that were sampled until sampling ended remain estimates, and all formats say so.
func TestSampledAtLast(t *testing.T) {
	p := &profile.Profile{App: "x", Runs: 1, State: "stopped", Complete: true, Markers: []profile.Marker{{ID: 1, Name: "p.F", Kind: "func", Count: 7, Sample: 1, Samples: 3}, {ID: 2, Name: "p.G", Kind: "func", Count: 7, Sample: 1}}}
	var text, json bytes.Buffer
	if err := errors.Join(report.Write(&text, p, report.Options{}), report.Write(&json, p, report.Options{Format: "json"})); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "func 1:1"); n != 1 {
		t.Errorf("%d markers are sampled:\n%s", n, text.String())
	}
	if n := strings.Count(json.String(), `"sampled":"1:1","samples":3,"count_se":0,"mean_se_ns":null`); n != 1 {
		t.Errorf("%d markers are sampled:\n%s", n, json.String())
	}
}

// Columns are omitted and headers shortened before names are, and different names never look alike.
func TestNamesStayDistinct(t *testing.T) {
	run := reporttest.Demo()
	run.Tables[0].Text = strings.NewReplacer(
		"cart.cache missed\n", "cart.Quote.Tax:for#1\n", "cart.round\n", "cart.NoQuote.Tax:for#1\n",
		"cart.round:block#1\n", "cart."+strings.Repeat("x", 40)+".Tax:for#1\n", "cmd/shop.main\n", "cart/deep/in/a/folder.Quote.Tax:for#1\n",
	).Replace(run.Tables[0].Text)
	p := reporttest.Parse(t, run)
	source := func(string, string, bool) (report.Source, error) { return report.Source{}, errors.New("none") }
	for width := 10; width < 200; width++ {
		_, table, _ := strings.Cut(reporttest.Write(t, p, report.Options{Width: width, Source: source}), "\n\nname")
		table, _, _ = strings.Cut(table, "\n\n")
		names := map[string]bool{}
		for _, line := range strings.Split(table, "\n")[1:] {
			name, _, _ := strings.Cut(line, "  ")
			names[name] = true
		}
		if len(names) != len(p.Markers) {
			t.Fatalf("width %d: %d names of %d markers:\n%s", width, len(names), len(p.Markers), table)
		}
	}
}

// The header of a loop or branch follows its name, if there is space.
func TestHeadersInText(t *testing.T) {
	run := reporttest.Demo()
	run.Tables[0].Text = "p\texample.com/p\nf\tp.go\n" +
		"m\t00c0ffee00000001\tfunc\t0\t3\t1\t0\t-\t-\t1\texample.com/p.f\n" +
		"m\t00c0ffee00000002\tloop\t0\t4\t2\t0\t-\t-\t1\texample.com/p.f:for#1\n" +
		"m\t00c0ffee00000003\tbranch\t0\t5\t3\t0\t-\t-\t1\texample.com/p.f:if#1.then\n" +
		"m\t00c0ffee00000004\tbranch\t0\t9\t3\t0\t-\t-\t1\texample.com/p.f:if#2.then\n"
	run.Tables[0].Times, run.Tables[0].Passes, run.Tables[0].Counters = map[int][]uint64{0: {9000}, 1: {400, 500}, 2: {300}, 3: {200}}, nil, nil
	p := reporttest.Parse(t, run)
	source := func(string, string, bool) (report.Source, error) {
		return report.Source{Text: "package p\n\nfunc f(n int) {\n\tfor i := range n {\n\t\tif i > 1000 && // many\n\t\t\tn != 2*i {\n\t\t}\n\t}\n\t_ = n // if\n}\n"}, nil
	}
	for width, want := range map[int][]string{
		0:   {"f  ", "f:for#1  for i := range n  ", "f:if#1.then  if i > 1000 && n != 2*i  ", "f:if#2.then  "},
		100: {"f  ", "f:for#1  for i := range n  ", "f:if#1.then  if i > 1000 && n != 2*i  ", "f:if#2.then  "},
		62:  {"f  ", "f:for#1  for i := range…  ", "f:if#1.then  if i > 100…  ", "f:if#2.then  "},
		48:  {"f  ", "f:for#1  for i :=…  ", "f:if#1.then  ", "f:if#2.then  "},
	} {
		text := reporttest.Write(t, p, report.Options{Width: width, Source: source})
		_, table, _ := strings.Cut(text, "\n\n")
		table, _, _ = strings.Cut(table, "\n\n")
		for i, line := range strings.Split(table, "\n")[1:] {
			if !strings.HasPrefix(line, want[i]) || strings.ContainsAny(line[len(want[i]):], "=…") {
				t.Errorf("width %d: %q, want %q and figures", width, line, want[i])
			}
		}
	}
}

// Shares are of the self times of all markers, even if a filter or -top omits some.
func TestShares(t *testing.T) {
	p := reporttest.Parse(t, reporttest.Demo())
	row := regexp.MustCompile(`(?m)^example\.com/shop/cmd/shop\.main .*  3\.8%  `)
	for what, text := range map[string]string{
		"all":      reporttest.Write(t, p, report.Options{}),
		"top 2":    reporttest.Write(t, p, report.Options{Top: 2}),
		"filtered": reporttest.Write(t, p.Only(func(name string) bool { return strings.HasSuffix(name, ".main") }), report.Options{}),
	} {
		if !row.MatchString(text) {
			t.Errorf("%s: main does not have 3.8%%:\n%s", what, text)
		}
	}
}
