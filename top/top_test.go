package top

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/steer"
)

// fake is a process with given data.
type fake struct {
	mu       sync.Mutex
	profiles []*profile.Profile // in order; the last one is repeated
	st       steer.Status
	on       map[string]bool
	did      []string
	err      error
}

func (f *fake) Profile() (*profile.Profile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.profiles[0]
	if len(f.profiles) > 1 {
		f.profiles = f.profiles[1:]
	}
	return p, nil
}
func (f *fake) Status() (steer.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.st, nil
}
func (f *fake) On() (map[string]bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.on), nil
}
func (f *fake) note(format string, args ...any) error {
	f.did = append(f.did, fmt.Sprintf(format, args...))
	return f.err
}
func (f *fake) Do(verb string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch verb {
	case "pause":
		f.st.State = steer.Paused
	case "resume", "start":
		f.st.State = steer.Profiling
	}
	return f.note("%s", verb)
}
func (f *fake) Sample(n uint64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.st.Sample = n
	return f.note("1:%d", n)
}
func (f *fake) Turn(name string, on bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on[name] = on
	return f.note("%s %v", name, on)
}

// Markers of the fake: two functions, one of them slow, a loop, a point, and a marker without
// calls.
const demoText = "p\texample.com/demo\nf\tdemo.go\n" +
	"m\t00000000000000a1\tfunc\t0\t12\t1\t0\t-\t-\t1\texample.com/demo.parse\n" +
	"m\t00000000000000a2\tloop\t0\t14\t2\t0\t-\t-\t1\texample.com/demo.parse:for#1\n" +
	"m\t00000000000000a3\tpoint\t0\t16\t2\t0\t-\t-\t1\texample.com/demo.end of input\n" +
	"m\t00000000000000a4\tfunc\t0\t40\t1\t-\t-\t-\t1\texample.com/demo/internal/storage.(*Server).Fetch\n" +
	"m\t00000000000000a5\tfunc\t0\t60\t1\t4\t-\t-\t1\texample.com/demo.never\n"

// demoAfter returns what the fake has collected after some seconds.
func demoAfter(t testing.TB, seconds int) *profile.Profile {
	t.Helper()
	times := map[int][]uint64{}
	for i := range seconds * 40 {
		times[0] = append(times[0], 900+uint64(i%7)*50)
		for k := range 5 {
			times[1] = append(times[1], 30+uint64(i*k%90))
		}
	}
	for i := range seconds * 2 {
		times[3] = append(times[3], 150_000_000+uint64(i%2)*200_000_000)
	}
	file := profiletest.Run{App: "demo", PID: 4711, Killed: true, Config: "collect=time", Span: uint64(seconds) * 1e9,
		Tables: []profiletest.Table{{Text: demoText, Times: times, Passes: map[int]uint64{2: uint64(seconds)}}}}.File()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "demo")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func demo(t testing.TB) *fake {
	return &fake{
		profiles: []*profile.Profile{demoAfter(t, 10), demoAfter(t, 12)},
		st: steer.Status{App: "demo", PID: 4711, Running: true, State: steer.Profiling, Since: 10 * time.Second, Elapsed: 10 * time.Second,
			Sample: 1, Markers: 5, On: 5},
		on: map[string]bool{"example.com/demo.parse": true, "example.com/demo.parse:for#1": true, "example.com/demo/internal/storage.(*Server).Fetch": true, "example.com/demo.never": true},
	}
}

// view drives a model like Run, without a terminal.
type view struct {
	t *testing.T
	m model
}

func newView(t *testing.T, f *fake, o Options) *view {
	t.Helper()
	first, err := read(f)
	if err != nil {
		t.Fatal(err)
	}
	return &view{t, newModel(f, first, o.withDefaults())}
}

// send sends the model a message, and the messages of the commands that it returns.
func (v *view) send(msg message) {
	v.t.Helper()
	var do command
	if v.m, do = v.m.update(msg); do == nil {
		return
	}
	msg = do()
	if done, ok := msg.(readDone); ok {
		done.r.at = v.m.now.at.Add(2 * time.Second)
	}
	v.send(msg)
}

// press presses keys: characters, and names in angle brackets.
func (v *view) press(keys string) {
	v.t.Helper()
	for keys != "" {
		name, rest, ok := strings.Cut(strings.TrimPrefix(keys, "<"), ">")
		if !ok || keys[0] != '<' {
			_, n := utf8.DecodeRuneInString(keys)
			name, rest = keys[:n], keys[n:]
		}
		v.send(key(name))
		keys = rest
	}
}

// styles are the styles allowed on the screen.
var styles = regexp.MustCompile("\x1b\\[[0-9]*m")

// screen returns the screen without styles. Every line must fit.
func (v *view) screen() string {
	v.t.Helper()
	lines := v.m.content()
	if len(lines) > v.m.height {
		v.t.Errorf("%d lines on a screen of %d:\n%s", len(lines), v.m.height, strings.Join(lines, "\n"))
	}
	for i, line := range lines {
		line = styles.ReplaceAllString(line, "")
		if n := utf8.RuneCountInString(line); n > v.m.width || strings.ContainsFunc(line, unicode.IsControl) {
			v.t.Errorf("a line of %d columns on a screen of %d: %q", n, v.m.width, line)
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// The screen during a session.
func TestScreens(t *testing.T) {
	f := demo(t)
	v := newView(t, f, Options{})
	golden.Check(t, "first.txt", v.screen())
	v.send(tick{})
	golden.Check(t, "interval.txt", v.screen())
	v.press("t")
	golden.Check(t, "sincereset.txt", v.screen())
	v.press("tP")
	golden.Check(t, "sincestart.txt", v.screen())
	v.send(size{130, 12})
	golden.Check(t, "wide.txt", v.screen())
	v.send(size{40, 8})
	golden.Check(t, "narrow.txt", v.screen())
	v.send(size{80, 24})
	v.press("?")
	golden.Check(t, "help.txt", v.screen())
	v.press("x/PARSE")
	golden.Check(t, "filter.txt", v.screen())
	f.st.Off, f.st.On = 1, 4
	v.press("<enter>N<down>o")
	golden.Check(t, "off.txt", v.screen())
	f.st.Running, f.st.Elapsed, f.st.Since = false, 0, 0
	v.press("<esc>")
	v.send(tick{})
	golden.Check(t, "ended.txt", v.screen())
	if _, do := v.m.update(tick{}); do != nil {
		t.Error("readings go on although the process has ended")
	}
}

// The tree of call paths, of each span.
func TestTree(t *testing.T) {
	f := demo(t)
	v := newView(t, f, Options{})
	v.press("c")
	if text := v.screen(); !strings.Contains(text, "no call paths are recorded: start the program with markgen run -paths") {
		t.Errorf("%s", text)
	}
	f = demo(t)
	for i, p := range f.profiles {
		n, path := uint64(i+1), []profile.Path{{Parent: -1, ID: p.Markers[0].ID}} // it stays open
		for k := range p.Markers[1:] {
			path = append(path, profile.Path{Parent: k / 2, ID: p.Markers[k+1].ID, Label: []string{"", "a"}[k%2], Count: n * n, SumNS: n * 1e6 << (8 - k), SelfNS: n * 1e6})
		}
		p.Paths = profile.NewPaths(path)
	}
	v = newView(t, f, Options{Paths: true})
	v.send(tick{})
	golden.Check(t, "tree-interval.txt", v.screen())
	v.press("tt")
	golden.Check(t, "tree-sincestart.txt", v.screen())
	v.send(size{60, 10})
	v.press("<end>")
	golden.Check(t, "tree-narrow.txt", v.screen())
	v.press("/parse")
	golden.Check(t, "tree-filter.txt", v.screen())
	v.press("<esc>c")
	if text := v.screen(); strings.Contains(text, "share") {
		t.Errorf("the tree is still there\n%s", text)
	}
	f.st.Running = false
	var out bytes.Buffer
	if err := Once(context.Background(), f, Options{Paths: true}, &out); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "tree-once.txt", out.String())
}

// Sizes from zero to very wide, with a marker that is off.
func TestSizes(t *testing.T) {
	v := newView(t, demo(t), Options{Sort: "name"})
	v.send(tick{})
	for _, keys := range []string{"", "o", "/par", "<enter>c", "c?"} {
		v.press(keys)
		for width := 1; width < 200; width++ {
			v.send(size{width, 1 + width/4})
			v.screen()
		}
	}
}

// Keys that steer, and their messages.
func TestSteering(t *testing.T) {
	f := demo(t)
	v := newView(t, f, Options{Sort: "name"})
	for _, step := range []struct{ keys, did, message string }{
		{" ", "pause", "pause: done"},
		{" ", "resume", "resume: done"},
		{"p", "pause", "pause: done"},
		{"r", "resume", "resume: done"},
		{"-", "1:10", "1 scope in 10"},
		{"-", "1:100", "1 scope in 100"},
		{"+", "1:10", "1 scope in 10"},
		{"++", "1:1 1:1", "1 scope in 1"},
		{"o", "example.com/demo.end of input false", "example.com/demo.end of input is off"},
		{"<enter>", "example.com/demo.end of input true", "example.com/demo.end of input is on"},
		{"<down>o", "example.com/demo.never false", "example.com/demo.never is off"},
		{"<end>o", "example.com/demo/internal/storage.(*Server).Fetch false", "example.com/demo/internal/storage.(*Server).Fetch is off"},
		{"<home><pgdown><up>o", "example.com/demo.parse:for#1 false", "example.com/demo.parse:for#1 is off"},
	} {
		f.did = nil
		v.press(step.keys)
		if got := strings.Join(f.did, " "); got != step.did || v.m.message != step.message {
			t.Errorf("%s: did %q and said %q", step.keys, got, v.m.message)
		}
	}
	f.err = steer.ErrEnded
	v.press("p")
	if v.m.message != steer.ErrEnded.Error() {
		t.Errorf("said %q", v.m.message)
	}
	f.st.State = steer.Configured
	f.err = nil
	v.send(tick{})
	v.press(" ")
	if f.did[len(f.did)-1] != "start" {
		t.Errorf("space in the state configured: %q", f.did)
	}
}

// The cursor stays on its marker if the sort order changes.
func TestCursor(t *testing.T) {
	v := newView(t, demo(t), Options{Sort: "name"})
	v.press("<down><down>")
	want := v.m.rows[2].all.ID
	for _, keys := range []string{"<right>", "<right>", "i", "<left><left><left>", "P", "t"} {
		v.press(keys)
		if got := v.m.rows[v.m.at()].all.ID; got != want {
			t.Errorf("after %s the cursor is on %s", keys, got)
		}
	}
	v.press("/never<enter>")
	if len(v.m.rows) != 1 || v.m.at() != 0 {
		t.Errorf("%d rows, cursor on %d", len(v.m.rows), v.m.at())
	}
	v.press("/xyz<enter>o<down><end>")
	v.screen()
}

// The data of a span are the difference of two profiles.
func TestDifference(t *testing.T) {
	from, to := demoAfter(t, 10), demoAfter(t, 12)
	s := between(&reading{at: time.Unix(100, 0), profile: from}, &reading{at: time.Unix(102, 0), profile: to})
	for _, want := range []struct {
		name string
		rate float64
		self float64
		p50  float64
	}{
		{"example.com/demo.end of input", 1, 0, 0},
		{"example.com/demo.never", 0, 0, 0},
		{"example.com/demo.parse", 40, 40 * 1050 * 0.75 / 1e9, 1050},
		{"example.com/demo.parse:for#1", 200, 0, 0},
		{"example.com/demo/internal/storage.(*Server).Fetch", 2, 0.375, 150e6},
	} {
		found := false
		for i := range s.rows {
			r := &s.rows[i]
			if r.all.Name != want.name {
				continue
			}
			found = true
			if got := s.perSecond(r.in.Count); got != want.rate {
				t.Errorf("%s: %v scopes a second, want %v", want.name, got, want.rate)
			}
			if got := s.share(r); want.self != 0 && math.Abs(got/want.self-1) > 0.01 {
				t.Errorf("%s: share %v, want %v", want.name, got, want.self)
			}
			if got := r.in.QuantileNS(0.5); want.p50 != 0 && math.Abs(got/want.p50-1) > 0.1 {
				t.Errorf("%s: p50 %v, want %v", want.name, got, want.p50)
			}
		}
		if !found {
			t.Errorf("no row %s", want.name)
		}
	}
	// Numbers that decrease, as in inconsistent readings, count as zero.
	back := between(&reading{at: time.Unix(100, 0), profile: to}, &reading{at: time.Unix(102, 0), profile: from})
	for _, r := range back.rows {
		if r.in.Count != 0 || len(r.in.Buckets) != 0 || r.in.SelfNS != 0 {
			t.Errorf("%s: %+v", r.all.Name, r.in)
		}
	}
}

// Revised estimates are not calls.
func TestRevised(t *testing.T) {
	times := func(n uint64) []profile.Bucket {
		return []profile.Bucket{{K: 10, Count: n, SumNS: n * 1200, SumSq: profile.Uint128{Lo: n * 1200 * 1200}}}
	}
	before := profile.Marker{Count: 36_651, Samples: 900, Buckets: times(36_651)}
	for _, tt := range []struct {
		now  profile.Marker
		want uint64
	}{
		{profile.Marker{Count: 27_481, Samples: 905, Buckets: times(27_481)}, 0},
		{profile.Marker{Count: 36_700, Samples: 900, Buckets: times(36_700)}, 0},
		{profile.Marker{Count: 37_000, Samples: 910, Buckets: times(37_000)}, 349},
	} {
		if d := difference(&before, &tt.now); d.Count != tt.want || len(d.Buckets) != 0 != (tt.want != 0) {
			t.Errorf("%d of %d samples: %d scopes, %v", tt.now.Count, tt.now.Samples, d.Count, d.Buckets)
		}
	}
}

// The standard error of counts is shown if markers are sampled and there is room, and is not
// sortable.
func TestSampledColumn(t *testing.T) {
	for _, tt := range []struct {
		sampled bool
		width   int
		want    bool
	}{{false, 0, false}, {true, 0, true}, {true, 120, true}, {true, 60, false}} {
		s := &span{sampled: tt.sampled}
		l := s.fit(tt.width, 20)
		if got := strings.Contains(l.head(scale{}, "count", false), "all      ±"); got != tt.want {
			t.Errorf("sampled %v, %d wide: %v", tt.sampled, tt.width, got)
		}
		if all := (&row{all: &profile.Marker{Count: 10}}); tt.want && !strings.HasSuffix(strings.TrimRight(l.line(s, all, scale{}), " "), "10      -") {
			t.Errorf("a line of a marker that is not sampled: %q", l.line(s, all, scale{}))
		}
	}
	if slices.Contains(Sorts(), "±") {
		t.Error("something is sorted by ±")
	}
}

// Means and percentiles that round to 0 are shown as less than the clock's resolution; rows without
// calls have none.
func TestBelowQuantum(t *testing.T) {
	s := &span{quantum: 9.9}
	passed := &row{in: profile.Marker{Count: 3, Buckets: []profile.Bucket{{Count: 3}}}}
	for _, c := range columns {
		want := map[string]string{"mean": "<10ns", "p50": "<10ns", "p99": "<10ns", "total": "0.00ns"}[c.name]
		if want == "" {
			continue
		}
		if got, without := c.text(s, passed), c.text(s, &row{}); got != want || without != none {
			t.Errorf("%s: %s, and without scopes %s; want %s", c.name, got, without, want)
		}
	}
}

// One table, without a terminal: no styles, names not shortened.
func TestOnce(t *testing.T) {
	f := demo(t)
	var out bytes.Buffer
	if err := Once(context.Background(), f, Options{Interval: 50 * time.Millisecond, Sort: "name"}, &out); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "\x1b") || !strings.Contains(text, "\nexample.com/demo/internal/storage.(*Server).Fetch ") || strings.Count(text, "\n") != 9 {
		t.Errorf("%s", text)
	}
	f.st.Running = false
	out.Reset()
	if err := Once(context.Background(), f, Options{Width: 80}, &out); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "once.txt", out.String())
}

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		o   Options
		err string
	}{
		{Options{}, ""},
		{Options{Interval: time.Second, Sort: "p99"}, ""},
		{Options{Interval: time.Millisecond}, "an interval of 1ms can't be; the shortest is 50ms"},
		{Options{Interval: -1}, "an interval of -1ns can't be; the shortest is 50ms"},
		{Options{Sort: "size"}, `unknown sort key "size"; the keys are rate, count, self, total, mean, p50, p99, all, name`},
	} {
		if err := test.o.Check(); err == nil && test.err != "" || err != nil && err.Error() != test.err {
			t.Errorf("%+v: %v, want %q", test.o, err, test.err)
		}
	}
}

func TestFigures(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.04: "0.0", 3.14: "3.1", 12.4: "12", 999: "999", 999.6: "1.00k", 12_345: "12.3k", 3.75e6: "3.75M", 2e19: "20E"} {
		if got := rate(v); got != want {
			t.Errorf("rate(%v) = %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 0.0001: "<0.1%", 0.5: "50.0%", 12: "1.20k%"} {
		if got := percent(v, false); got != want {
			t.Errorf("percent(%v) = %s, want %s", v, got, want)
		}
	}
	if got := large(9_999_999) + " " + large(10_000_000); got != "9,999,999 10.0M" {
		t.Error(got)
	}
}

// Large profiles: refreshing and drawing must keep up with the keys.
func manyMarkers(t testing.TB, n int) *profile.Profile {
	t.Helper()
	var text strings.Builder
	text.WriteString("p\tp\nf\tf.go\n")
	times := map[int][]uint64{}
	for i := range n {
		fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t%d\t1\t%d\t-\t-\t1\texample.com/large/internal/p%d.Function%d\n", i+1, i, i, i/50, i)
		times[i] = []uint64{uint64(i), uint64(2 * i)}
	}
	file := profiletest.Run{Killed: true, Config: "x", Tables: []profiletest.Table{{Text: text.String(), Times: times}}}.File()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "large")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func BenchmarkRefresh20000(b *testing.B) {
	p := manyMarkers(b, 20_000)
	f := &fake{profiles: []*profile.Profile{p}, st: steer.Status{Running: true}}
	first, err := read(f)
	if err != nil {
		b.Fatal(err)
	}
	m := newModel(f, first, Options{Sort: "p99"}.withDefaults())
	for b.Loop() {
		r, _ := read(f)
		m.take(readDone{r, nil})
	}
}

func BenchmarkKey20000(b *testing.B) {
	p := manyMarkers(b, 20_000)
	f := &fake{profiles: []*profile.Profile{p}, st: steer.Status{Running: true}}
	first, err := read(f)
	if err != nil {
		b.Fatal(err)
	}
	m := newModel(f, first, Options{}.withDefaults())
	for b.Loop() {
		m, _ = m.update(key("down"))
		m.content()
	}
}
