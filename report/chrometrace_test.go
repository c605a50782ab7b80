package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/trace"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/runtime/layout"
)

// traced returns a run with the records, and a clock of 2.5 ticks per ns.
func traced(pid uint64, seconds uint64, records ...profiletest.Records) profiletest.Run {
	return profiletest.Run{
		App:       "shop",
		PID:       pid,
		StartWall: 1763711763_123456789 + seconds*1e9, // 2025-11-21 07:56:03
		Hz:        2.5e9,
		Flags:     layout.FlagTraced | layout.FlagUntimed,
		Tables: []profiletest.Table{{Text: "p\texample.com/shop\nf\tcart/price.go\n" +
			"m\t00c0ffee00000001\tfunc\t0\t12\t1\t0\t-\t-\t1\texample.com/shop.main\n" +
			"m\t00c0ffee00000002\tpoint\t0\t14\t2\t1\t-\t-\t1\texample.com/shop.paid\n" +
			"m\t00c0ffee00000003\tregion\t0\t20\t2\t2\t-\t-\t1\texample.com/shop.read \"rates\" & <taxes> ü\n"},
			{Text: "p\t-\nf\tmain.go\nm\t00c0ffee00000004\tregion\t0\t40\t1\t0\t-\t-\t1\tload\nm\t00c0ffee00000005\tregion\t0\t41\t1\t0\t-\t-\t1\tbatch\n"}},
		Trace: records,
	}
}

func rec(tick, goroutine uint64, kind uint8, marker int, level uint32) profiletest.Record {
	return profiletest.Record{Tick: profiletest.StartTick + tick, Goroutine: goroutine, Kind: kind, Marker: marker, Level: level, Cost: 40}
}

// demoTraces returns two runs of processes with the same process ID: one with everything that a
// trace can contain, and a killed one whose ring was overwritten.
func demoTraces() []profiletest.Run {
	const in, out, left, point, taken = trace.RecordEnter, trace.RecordExit, trace.RecordLeft, trace.RecordPoint, trace.RecordTaken
	gap := rec(300_000, 17, trace.RecordGap, 0, 0)
	gap.Cost = 20_000 // ticks
	slow := rec(101_000, 1, in, 0, 1)
	slow.Cost = 5_000
	slowEnd := rec(215_000, 7, out, 2, 1)
	slowEnd.Cost = 2_000
	// Stopwatches: of two goroutines, across a gap, and one that is never stopped.
	const start, stop = trace.RecordStart, trace.RecordStop
	first := traced(4711, 0,
		profiletest.Records{Records: []profiletest.Record{
			rec(100_000, 1, taken, 0, 0), slow, rec(110_003, 1, in, 2, 2), rec(120_000, 1, in, 2, 3), rec(130_000, 1, out, 2, 3),
			rec(140_000, 1, point, 1, 0), rec(150_000, 1, left, 2, 2), rec(160_000, 1, in, 2, 2), rec(160_000, 1, in, 2, 3), rec(160_000, 1, out, 2, 3), rec(160_000, 1, out, 2, 2),
			gap, rec(400_000, 1, in, 2, 2), rec(410_000, 1, out, 2, 2), rec(420_000, 1, out, 0, 1), rec(430_000, 1, left, 2, 1), rec(500_000, 1, in, 0, 1), rec(510_000, 1, in, 99, 2),
		}},
		profiletest.Records{Shard: 3, Records: []profiletest.Record{
			rec(200_000, 7, in, 2, 1), slowEnd, rec(310_000, 7, in, 2, 1), rec(315_000, 7, out, 2, 1),
		}},
		profiletest.Records{Shard: 4, Records: []profiletest.Record{
			rec(101_500, 1, start, 3, 0), rec(210_000, 7, stop, 3, 0), rec(220_000, 7, start, 3, 0), rec(305_000, 7, start, 4, 0), rec(400_500, 7, stop, 3, 0), rec(401_000, 7, stop, 4, 0),
			rec(402_500, 7, start, 3, 0), rec(405_000, 7, start, 4, 0), rec(407_500, 7, stop, 4, 0),
		}})
	first.Span = 1e9
	second := traced(4711, 5, profiletest.Records{Room: 4, Records: []profiletest.Record{
		rec(10_000, 1, in, 0, 1), rec(20_000, 1, in, 2, 2), rec(30_000, 1, point, 1, 0), rec(40_000, 1, out, 2, 2), rec(50_000, 1, out, 0, 1),
	}})
	second.Killed = true
	return []profiletest.Run{first, second}
}

// chrome returns the written trace of the runs.
func chrome(t testing.TB, runs ...profiletest.Run) string {
	t.Helper()
	var traces []*trace.File
	var heads []trace.Head
	var warnings []string
	for i, run := range runs {
		file := run.File()
		tr, err := trace.ReadFrom(bytes.NewReader(file), int64(len(file)), fmt.Sprintf("%d.markgen", i))
		if err != nil {
			t.Fatal(err)
		}
		traces, heads, warnings = append(traces, tr), append(heads, tr.Head), append(warnings, tr.Cautions()...)
	}
	var b strings.Builder
	w := report.NewTraceWriter(&b, heads, warnings)
	for i, tr := range traces {
		if err := w.Add(i, tr); err != nil {
			t.Error(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	return b.String()
}

func TestChromeTrace(t *testing.T) {
	text := chrome(t, demoTraces()...)
	golden.Check(t, "trace.json", text)
	golden.Check(t, "trace-read.txt", readChrome(t, text))
}

// The number of scopes with two ends is the number of pairs that markgen between finds, whatever is
// lost.
func TestChromeTraceAgreesWithBetween(t *testing.T) {
	for seed := range uint64(100) {
		run := randomTrace(seed)
		scopes := map[string]int{}
		for line := range strings.Lines(readChrome(t, chrome(t, run))) {
			if name, _, ok := strings.Cut(line, " place="); ok && !strings.Contains(line, "scope=") && !strings.Contains(line, "end=") {
				name, _, _ = strings.Cut(name[strings.Index(name, "…"):], " id=")
				_, name, _ = strings.Cut(name, " ")
				scopes[name]++
			}
		}
		file := run.File()
		tr, err := trace.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tr.Markers {
			if m.Kind == "point" {
				continue
			}
			b := trace.Between{From: trace.Endpoint{Name: m.Name}, To: trace.Endpoint{Name: m.Name, Kind: trace.RecordExit}}
			if err := b.Add(tr); err != nil {
				t.Fatal(err)
			}
			if n := scopes[m.Name]; uint64(n) != b.Count {
				t.Errorf("seed %d: %d slices of %s, and between has %d pairs", seed, n, m.Name, b.Count)
			}
		}
	}
}

// randomTrace returns a trace of three goroutines on two processors. Some rings are overwritten.
func randomTrace(seed uint64) profiletest.Run {
	rnd := rand.New(rand.NewPCG(seed, 1))
	stacks := map[uint64][]int{}
	running := false
	shards := []profiletest.Records{{}, {Shard: 1}}
	if seed%2 == 0 {
		shards[0].Room, shards[1].Room = 20+rnd.IntN(60), 60
	}
	for tick := range uint64(200) {
		g := 1 + rnd.Uint64N(3)
		n := uint32(len(stacks[g]))
		r := rec(1000*tick, g, trace.RecordPoint, 1, 0)
		switch {
		case rnd.IntN(6) == 0:
		case rnd.IntN(12) == 0:
			r.Marker, r.Kind = 3, trace.RecordStart
			if running {
				r.Kind = trace.RecordStop
			}
			running = !running
		case n > 0 && rnd.IntN(2) == 0:
			r.Kind, r.Marker, r.Level = trace.RecordExit, stacks[g][n-1], n
			if rnd.IntN(5) == 0 {
				r.Kind = trace.RecordLeft
			}
			stacks[g] = stacks[g][:n-1]
		default:
			r.Kind, r.Marker, r.Level = trace.RecordEnter, 2*rnd.IntN(2), n+1
			stacks[g] = append(stacks[g], r.Marker)
		}
		s := &shards[rnd.IntN(2)]
		s.Records = append(s.Records, r)
	}
	return traced(1, 0, shards...)
}

// A full disk is an error of the writer; a trace that cannot be read is an error of Add, and later
// runs are still written.
func TestChromeTraceErrors(t *testing.T) {
	runs := demoTraces()
	var traces []*trace.File
	var heads []trace.Head
	for i, run := range runs {
		file := run.File()
		r := &failing{Reader: bytes.NewReader(file), from: int64(len(file))}
		tr, err := trace.ReadFrom(r, int64(len(file)), "x")
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			r.from = 0
		}
		traces, heads = append(traces, tr), append(heads, tr.Head)
	}
	var b strings.Builder
	w := report.NewTraceWriter(&b, heads, nil)
	if err := w.Add(0, traces[0]); err == nil || !strings.Contains(err.Error(), errUnreadable.Error()) || w.Err() != nil {
		t.Errorf("%v, %v", err, w.Err())
	}
	if err := errors.Join(w.Add(1, traces[1]), w.Close()); err != nil {
		t.Error(err)
	}
	if got := readChrome(t, b.String()); !strings.Contains(got, "process 4194305 shop 4711") {
		t.Error(got)
	}

	w = report.NewTraceWriter(full{}, heads, nil)
	if err := errors.Join(w.Add(1, traces[1]), w.Close()); !errors.Is(err, errFull) || !errors.Is(w.Err(), errFull) {
		t.Error(err)
	}
}

// failing can be read up to an offset.
type failing struct {
	*bytes.Reader
	from int64
}

var errUnreadable = errors.New("the disk has an error")

func (f *failing) ReadAt(p []byte, offset int64) (int, error) {
	if offset+int64(len(p)) > f.from {
		return 0, errUnreadable
	}
	return f.Reader.ReadAt(p, offset)
}

// FuzzChromeTrace checks that the output is valid in the format, whatever names and records a file
// has.
func FuzzChromeTrace(f *testing.F) {
	f.Add(demoTraces()[0].Tables[0].Text, "shop", []byte("\x02\x00\x01\x01\x03\x00\x01\x01\x01\x01\x00\x02\x04\x02\x01\x01\x06\x00\x00\x00"))
	f.Add("m\t00c0ffee00000001\tf\"\x00\xff\\unc\t0\t12\t1\t0\t-\t-\t1\t\u2028\xff</script>\n", "a\"\x1b", []byte("\x02\x00\x01\x01"))
	f.Fuzz(func(t *testing.T, text, app string, records []byte) {
		var list []profiletest.Record
		tick := uint64(0)
		for ; len(records) >= 4; records = records[4:] {
			tick += uint64(records[0] >> 4)
			r := rec(tick<<(records[1]>>4), 1+uint64(records[3]>>4), records[0]&15, int(records[1]&15), uint32(records[2]))
			r.Cost = uint64(records[3])
			list = append(list, r)
		}
		run := traced(uint64(len(text)), 0, profiletest.Records{Records: list})
		run.App, run.Tables[0].Text = app, text
		readChrome(t, chrome(t, run))
	})
}

// A chromeEvent has the fields that the format's documentation lists for the types of events
// written.
type chromeEvent struct {
	Name *string `json:"name"`
	Cat  *string `json:"cat"`
	Ph   string  `json:"ph"`
	S    *string `json:"s"`
	ID   *struct {
		Local string `json:"local"`
	} `json:"id2"`
	PID  *uint32        `json:"pid"`
	TID  *uint64        `json:"tid"`
	TS   json.Number    `json:"ts"`
	Args map[string]any `json:"args"`
}

var microseconds = regexp.MustCompile(`^(0|[1-9][0-9]*)\.[0-9]{3}$`)

// readChrome reads a trace as strictly as the documentation of the format and of Perfetto allows:
// events of each thread are ordered by time, E ends the latest B of its thread, with the same name
// and not earlier, each B is ended, process and threads have names, and the unit precedes the
// events. The result lists for each thread its slices, with inner ones indented, and its instants.
func readChrome(t testing.TB, text string) string {
	t.Helper()
	return chromeModelOf(t, text).String(t)
}

func chromeModelOf(t testing.TB, text string) chromeModel {
	t.Helper()
	var whole struct {
		Unit  string `json:"displayTimeUnit"`
		Other struct {
			Generator, Start string
			Runs             []map[string]any
			Warnings         []string
		} `json:"otherData"`
		Events []json.RawMessage `json:"traceEvents"`
	}
	strictly(t, text, &whole)
	if head, _, _ := strings.Cut(text, `"traceEvents"`); whole.Unit != "ns" || !strings.Contains(head, `"displayTimeUnit":"ns"`) {
		t.Errorf("the unit is %q, or behind the events", whole.Unit)
	}
	if _, err := time.Parse(time.RFC3339Nano, whole.Other.Start); err != nil || whole.Other.Warnings == nil || len(whole.Other.Runs) == 0 {
		t.Errorf("%+v", whole.Other)
	}
	m := chromeModel{}
	for _, raw := range whole.Events {
		var e chromeEvent
		strictly(t, string(raw), &e)
		if err := m.add(e); err != nil {
			t.Errorf("%v: %s", err, raw)
		}
	}
	if len(m) != len(whole.Other.Runs) {
		t.Errorf("%d processes and %d runs", len(m), len(whole.Other.Runs))
	}
	return m
}

func strictly(t testing.TB, text string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
}

// LargeTimeline reports a timeline that is too large for viewers.
func TestLargeTimeline(t *testing.T) {
	heads := []trace.Head{{Traced: profile.Traced{Records: 4e6}}, {Traced: profile.Traced{Records: 5e6}}}
	if got := report.LargeTimeline(heads); !strings.Contains(got, "about 1,080 MB") {
		t.Errorf("9 million records: %q", got)
	}
	if got := report.LargeTimeline(heads[:1]); got != "" {
		t.Errorf("4 million records: %q", got)
	}
	heads[0].Records = math.MaxUint64
	if got := report.LargeTimeline(heads); !strings.Contains(got, "MB") {
		t.Errorf("more than there can be: %q", got)
	}
}
