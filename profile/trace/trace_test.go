package trace_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/trace"
	"github.com/markgen/markgen/runtime/layout"
)

func readTrace(t *testing.T, file []byte) *trace.File {
	t.Helper()
	tr, err := trace.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// at returns a record at a tick after the start.
func at(tick, goroutine uint64, kind uint8, marker int, level uint32) profiletest.Record {
	return profiletest.Record{Tick: profiletest.StartTick + tick, Goroutine: goroutine, Kind: kind, Marker: marker, Level: level, Cost: 1}
}

// order returns the records' ticks after the start; for gaps, the number of missing records and the
// end.
func order(t *testing.T, tr *trace.File) string {
	t.Helper()
	var list []string
	err := tr.Each(func(r *trace.Record) {
		word := fmt.Sprint(int64(r.Tick - profiletest.StartTick))
		if r.Kind == trace.RecordGap {
			until := "ever"
			if r.Cost != math.MaxUint64 {
				until = fmt.Sprint(r.Cost - profiletest.StartTick)
			}
			word += fmt.Sprintf("(%d missing until %s)", r.Goroutine, until)
		}
		list = append(list, word)
	})
	if err != nil {
		t.Error(err)
	}
	return strings.Join(list, " ")
}

// points returns point records at these ticks.
func points(ticks ...uint64) (list []profiletest.Record) {
	for _, t := range ticks {
		list = append(list, at(t, 1, trace.RecordPoint, 1, 0))
	}
	return list
}

// Records of several processors are in time order, from rings and from drained records, with gaps
// where some are missing.
func TestTraceOrder(t *testing.T) {
	gap := at(30, 7, trace.RecordGap, 0, 0)
	gap.Cost = 5 // ticks
	for _, tt := range []struct {
		name    string
		records []profiletest.Records
		want    string
		there   uint64
		lost    uint64
	}{
		{"nothing", nil, "", 0, 0},
		{"two processors", []profiletest.Records{{Shard: 0, Records: points(1, 4, 5), Room: 9}, {Shard: 3, Records: points(2, 3, 6), Room: 9}}, "1 2 3 4 5 6", 6, 0},
		{"drained and ring", []profiletest.Records{{First: 3, Records: points(40, 50), Room: 4}, {Records: points(10, 20, 30)}}, "10 20 30 40 50", 5, 0},
		{"drained twice", []profiletest.Records{{First: 2, Records: points(30, 40), Room: 4}, {Records: points(10, 20, 30)}}, "10 20 30 40", 4, 0},
		{"overwritten", []profiletest.Records{{Records: points(10, 20, 30, 40, 50), Room: 4}}, "0(2 missing until 30) 30 40 50", 3, 2},
		{"just full", []profiletest.Records{{Records: points(10, 20, 30, 40), Room: 4}}, "0(1 missing until 20) 20 30 40", 3, 1},
		{"between parts", []profiletest.Records{{Records: points(10, 20)}, {First: 5, Records: points(60)}}, "10 20 20(3 missing until 60) 60", 3, 3},
		{"a gap's record", []profiletest.Records{{Records: append(append(points(10), gap), points(40)...), Lost: 7, Room: 9}, {Shard: 1, Records: points(33), Room: 9}},
			"10 30(7 missing until 35) 33 40", 4, 7},
		{"at the end", []profiletest.Records{{Records: points(10), Lost: 2, Gap: 2, GapTick: profiletest.StartTick + 11, GapLast: profiletest.StartTick + 20, Room: 9}},
			"10 11(2 missing until 20)", 1, 2},
	} {
		for _, big := range []bool{false, true} {
			run := profiletest.Traced(tt.records...)
			run.Big = big
			tr := readTrace(t, run.File())
			if got := order(t, tr); got != tt.want || tr.Records != tt.there || tr.Lost != tt.lost || tr.Damaged {
				t.Errorf("%s: %s\nwant %s; %d records, %d lost, %q", tt.name, got, tt.want, tr.Records, tr.Lost, tr.Warnings)
			}
			if got := order(t, tr); got != tt.want { // a trace can be read twice
				t.Errorf("%s: the second time %s", tt.name, got)
			}
		}
	}
}

// A record that was overwritten while the file was copied is detected by its number.
func TestTraceOverwritten(t *testing.T) {
	file := profiletest.Traced(profiletest.Records{Records: points(10, 20, 30, 40), Room: 9}).File()
	ring := profiletest.BlockAt(t, file, layout.BlockRing, 0)
	file[ring+layout.RingData+layout.RecordSize+layout.RecordCost+6]++
	if got := order(t, readTrace(t, file)); got != "10 10(1 missing until 30) 30 40" {
		t.Error(got)
	}
}

// Inconsistent rings are skipped, and everything else is read.
func TestTraceDamage(t *testing.T) {
	for offset, want := range map[int]string{
		layout.RingRoom:    "a ring for 1099511627776 records in a block of 448 bytes; it is left out",
		layout.RingDrained: "a ring of which 1099511627776 records were taken, and 2 were written; it is left out",
	} {
		file := profiletest.Traced(profiletest.Records{Records: points(1, 2), Room: 9}, profiletest.Records{Shard: 1, Records: points(3), Room: 9}).File()
		ring := profiletest.BlockAt(t, file, layout.BlockRing, 0)
		file[ring+offset] = 0
		file[ring+offset+5] = 1
		tr := readTrace(t, file)
		if got := order(t, tr); got != "3" || !tr.Damaged || len(tr.Warnings) != 1 || !strings.Contains(tr.Warnings[0], want) {
			t.Errorf("%s; %q", got, tr.Warnings)
		}
	}
}

func TestTraceNone(t *testing.T) {
	file := profiletest.Run{}.File()
	if _, err := trace.ReadFrom(bytes.NewReader(file), int64(len(file)), "x"); err == nil || err.Error() != "x: no trace is in it; run the program with collect=trace in MARKGEN" {
		t.Error(err)
	}
}

func betweenOf(t *testing.T, tr *trace.File, from, to string) *trace.Between {
	t.Helper()
	var b trace.Between
	var err error
	if b.From, b.To, err = trace.Endpoints(from, to, tr.Markers); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(tr); err != nil {
		t.Fatal(err)
	}
	return &b
}

// Pairs agree with a naive implementation of the definition: for each call of To, the latest
// unpaired call of From before it on the goroutine, minus the costs of all records from there on.
func TestBetween(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var all []profiletest.Record
		for tick := uint64(1); len(all) < 400; tick += 10 + rnd.Uint64N(100) {
			r := at(tick, 1+rnd.Uint64N(5), trace.RecordPoint, 1, 0)
			if k := rnd.IntN(4); k > 0 {
				r.Kind, r.Marker = uint8(1+rnd.IntN(3)), []int{0, 2, 3}[k-1] // levels have no meaning here
			}
			r.Cost = rnd.Uint64N(9)
			all = append(all, r)
		}
		var shards [3]profiletest.Records
		for i := range shards {
			shards[i].Shard, shards[i].Room = uint32(i), 1000
		}
		for _, r := range all {
			s := &shards[rnd.IntN(3)]
			s.Records = append(s.Records, r)
		}
		tr := readTrace(t, profiletest.Traced(shards[:]...).File())
		for _, ends := range [][2]string{{"b.outer", "b.inner"}, {"outer:point", "outer@exit"}, {"outer:point", "outer:point"}, {"b.inner@exit", "b.inner"}} {
			b := betweenOf(t, tr, ends[0], ends[1])
			var times []float64
			unpaired, cost := uint64(0), uint64(0)
			used := map[int]bool{}
			is := func(e trace.Endpoint, r profiletest.Record) bool {
				names := []string{"b.outer", "b.outer:point", "b.inner", "b.(*T).inner"}
				return names[r.Marker] == e.Name && (r.Kind == e.Kind || e.Kind == 0 && r.Kind != trace.RecordExit)
			}
			for i, to := range all {
				if !is(b.To, to) {
					continue
				}
				paired, sum := false, uint64(0)
				for k := i - 1; k >= 0 && !paired; k-- {
					if all[k].Goroutine != to.Goroutine {
						continue
					}
					sum += all[k].Cost
					if is(b.From, all[k]) && !used[k] {
						used[k], paired = true, true
						times = append(times, max(0, float64(to.Tick)-float64(all[k].Tick)-float64(sum)))
						cost += sum
					}
				}
				if !paired {
					unpaired++
				}
			}
			for k, r := range all {
				if is(b.From, r) && !used[k] {
					unpaired++
				}
			}
			slices.Sort(times)
			mean, sq := 0.0, 0.0
			for _, v := range times {
				mean += v / float64(len(times))
			}
			for _, v := range times {
				sq += (v - mean) * (v - mean) / float64(len(times))
			}
			near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-9*want+1e-9 }
			if b.Count != uint64(len(times)) || b.Unpaired != unpaired || !near(b.CostNS, float64(cost)) || !near(b.MeanNS(), mean) ||
				!near(b.StddevNS(), math.Sqrt(sq)) || !near(b.MinNS, times[0]) || !near(b.MaxNS, times[len(times)-1]) {
				t.Fatalf("seed %d, %s to %s: %d pairs, %d unpaired, cost %v, mean %v, deviation %v, min %v, max %v;\nwant %d, %d, %d, %v, %v, %v", seed, b.From, b.To,
					b.Count, b.Unpaired, b.CostNS, b.MeanNS(), b.StddevNS(), b.MinNS, b.MaxNS, len(times), unpaired, cost, mean, math.Sqrt(sq), times)
			}
			for _, q := range []float64{0, 0.1, 0.5, 0.9, 0.99, 1} {
				want := times[max(0, int(math.Ceil(q*float64(len(times))))-1)]
				if got := b.QuantileNS(q); math.Abs(got-want) > want/64+1e-3 {
					t.Errorf("seed %d: quantile %v is %v, want %v", seed, q, got, want)
				}
			}
		}
	}
}

// Scopes of a marker are paired by level: a scope left by a panic is not confused with one that
// goes on.
func TestBetweenScopes(t *testing.T) {
	enter, exit, left := uint8(trace.RecordEnter), uint8(trace.RecordExit), uint8(trace.RecordLeft)
	for _, tt := range []struct {
		name     string
		records  []profiletest.Record
		times    string
		unpaired uint64
	}{
		{"nested", []profiletest.Record{at(10, 1, enter, 0, 1), at(20, 1, enter, 0, 2), at(30, 1, exit, 0, 2), at(50, 1, exit, 0, 1)}, "9 37", 0},
		{"left", []profiletest.Record{at(10, 1, enter, 0, 1), at(20, 1, enter, 0, 2), at(30, 1, left, 0, 2), at(50, 1, exit, 0, 1)}, "37", 1},
		{"left unsaid", []profiletest.Record{at(10, 1, enter, 0, 1), at(20, 1, enter, 0, 2), at(50, 1, exit, 0, 1)}, "38", 1},
		{"begun before", []profiletest.Record{at(10, 1, exit, 0, 2), at(20, 1, enter, 0, 2), at(50, 1, exit, 0, 1)}, "", 3},
		{"goroutines", []profiletest.Record{at(10, 1, enter, 0, 1), at(20, 2, enter, 0, 1), at(30, 1, exit, 0, 1), at(60, 2, exit, 0, 1)}, "19 39", 0},
		{"a stopwatch", []profiletest.Record{starts(10, 0), at(20, 1, enter, 2, 1), stops(30, 0), at(40, 1, exit, 2, 1)}, "18", 0},
		{"a stopwatch of two goroutines", []profiletest.Record{starts(10, 0), on(2, at(20, 1, enter, 2, 1)), on(2, stops(30, 0))}, "19", 0},
		{"a stopwatch whose stop is missing", []profiletest.Record{starts(10, 0), on(2, starts(20, 0)), stops(50, 0), stops(60, 0)}, "29", 2},
		{"again", []profiletest.Record{at(10, 1, enter, 0, 1), at(20, 1, enter, 0, 1), at(50, 1, exit, 0, 1)}, "29", 1},
	} {
		b := betweenOf(t, readTrace(t, profiletest.Traced(profiletest.Records{Records: tt.records, Room: 99}).File()), "b.outer", "b.outer")
		times := ""
		if b.Count > 0 {
			times = fmt.Sprint(math.Round(b.MinNS))
		}
		if b.Count > 1 {
			times += fmt.Sprint(" ", math.Round(b.MaxNS))
		}
		if times != tt.times || b.Unpaired != tt.unpaired || (b.Left == 1) != (tt.name == "left") {
			t.Errorf("%s: %s, %d unpaired, %d left", tt.name, times, b.Unpaired, b.Left)
		}
	}
}

// No pair spans missing records.
func TestBetweenGap(t *testing.T) {
	gap := at(30, 4, trace.RecordGap, 0, 0)
	gap.Cost = 20
	list := []profiletest.Record{
		at(10, 1, 1, 1, 0), at(20, 1, 2, 0, 1), // a pair
		at(25, 1, 1, 1, 0), // its end may be missing
		gap,
		at(60, 1, 2, 0, 1),                     // its start may be missing
		at(70, 1, 1, 1, 0), at(90, 1, 2, 0, 1), // a pair
	}
	other := []profiletest.Record{at(40, 2, 1, 1, 0), at(45, 2, 2, 0, 1)} // within the gap of the other processor
	b := betweenOf(t, readTrace(t, profiletest.Traced(profiletest.Records{Records: list, Lost: 4, Room: 99}, profiletest.Records{Shard: 1, Records: other, Room: 99}).File()), "outer:point", "b.outer")
	if b.Count != 2 || b.Unpaired != 4 || b.MinNS != 9 || b.MaxNS != 19 || b.Lost != 4 || len(b.Warnings) != 1 {
		t.Errorf("%d pairs from %v to %v ns, %d unpaired, %d lost, %q", b.Count, b.MinNS, b.MaxNS, b.Unpaired, b.Lost, b.Warnings)
	}
}

// Calls of From without an end use bounded memory, and the latest ones are still paired.
func TestBetweenWaiting(t *testing.T) {
	const n = 1_500_000
	list := make([]profiletest.Record, 0, n+1)
	for i := range uint64(n) {
		list = append(list, at(10*i, 1+i%3*i, 1, 1, 0)) // one goroutine has many calls, others have one each
	}
	list = append(list, at(10*n, list[n-1].Goroutine, 2, 0, 1))
	b := betweenOf(t, readTrace(t, profiletest.Traced(profiletest.Records{Records: list}).File()), "outer:point", "b.outer")
	if b.Count != 1 || b.MaxNS != 9 || b.Unpaired != n-1 || len(b.Warnings) != 1 {
		t.Errorf("%d pairs up to %v ns, %d unpaired, %q", b.Count, b.MaxNS, b.Unpaired, b.Warnings)
	}
}

func TestEndpoints(t *testing.T) {
	markers := readTrace(t, profiletest.Traced().File()).Markers
	for _, tt := range []struct{ from, to, want string }{
		{"b.outer", "b.inner", "b.outer b.inner"},
		{"b.outer", "b.outer", "b.outer b.outer@exit"},
		{"outer", "outer@enter", "b.outer b.outer@enter"},
		{"outer@exit", "outer", "b.outer@exit b.outer"},
		{"point", "outer:point", "b.outer:point b.outer:point"},
		{"(*T).inner", "b.*T*", "b.(*T).inner b.(*T).inner@exit"},
		{"b.inner@enter", "*point", "b.inner@enter b.outer:point"},
		{"inner", "outer", "inner: several markers fit: b.(*T).inner, b.inner; give one of them"},
		{"b.*", "outer", "b.*: several markers fit: b.(*T).inner, b.inner, b.outer, b.outer:point; give one of them"},
		{"uter", "outer", "uter: no marker of that name is in the trace"},
		{"", "outer", ": no marker of that name is in the trace"},
		{"outer", "x@exit", "x: no marker of that name is in the trace"},
	} {
		from, to, err := trace.Endpoints(tt.from, tt.to, markers)
		got := from.String() + " " + to.String()
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s, %s: %s, want %s", tt.from, tt.to, got, tt.want)
		}
	}
}

func TestOctaves(t *testing.T) {
	var s trace.Spread
	if s.QuantileNS(0.5) != 0 || s.MeanNS() != 0 || s.StddevNS() != 0 || len(s.Octaves()) != 0 {
		t.Error("a spread of nothing has figures")
	}
	for _, ns := range []float64{0, 0.5, 1, 1.9, 2, 7.99, 8, 1e300} {
		s.Add(ns)
	}
	got := map[float64]uint64{}
	for _, o := range s.Octaves() {
		if o.Count > 0 {
			got[o.LoNS] = o.Count
		}
	}
	if want := map[float64]uint64{0: 4, 2: 1, 4: 1, 8: 1, 1 << 53: 1}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Calls may be any time apart.
func TestBetweenLong(t *testing.T) {
	for _, ticks := range []uint64{1000, 1 << 54, 1 << 55, 1 << 56, 1 << 62} {
		tr := readTrace(t, profiletest.Traced(profiletest.Records{Records: []profiletest.Record{at(0, 1, trace.RecordEnter, 0, 1), at(ticks, 1, trace.RecordExit, 0, 1)}, Room: 9}).File())
		name := tr.Markers[0].Name
		b := trace.Between{From: trace.Endpoint{Name: name}, To: trace.Endpoint{Name: name, Kind: trace.RecordExit}}
		if err := b.Add(tr); err != nil {
			t.Fatal(err)
		}
		if want := float64(ticks); b.Count != 1 || math.Abs(b.MeanNS()-want) > 2+want/1e9 {
			t.Errorf("%d of %v ns, want one of %v", b.Count, b.MeanNS(), want)
		}
	}
}

// FuzzTrace checks that reading the trace of any file terminates without a panic.
func FuzzTrace(f *testing.F) {
	gap := at(30, 4, trace.RecordGap, 0, 0)
	for _, file := range [][]byte{
		profiletest.Traced(profiletest.Records{Records: append(points(10, 20), gap), Room: 2}, profiletest.Records{Shard: 1, Records: points(15)}).File(),
		profiletest.Traced(profiletest.Records{Records: []profiletest.Record{enter(1, 0, 1), enter(2, 2, 2), left(3, 2, 2), gap, exit(40, 0, 1)}}).File(),
		profiletest.Traced(profiletest.Records{First: 1, Records: []profiletest.Record{at(1, 1, 2, 0, 1), at(2, 1, 3, 0, 1)}, Room: 5, Gap: 1}, profiletest.Records{Records: points(1)}).File(),
	} {
		f.Add(file[:layout.HeaderSize], file[layout.HeaderSize:])
	}
	f.Fuzz(func(t *testing.T, header, blocks []byte) {
		file := append(bytes.Clone(header), blocks...)
		tr, err := trace.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
		if err != nil {
			return
		}
		n := uint64(0)
		if err := tr.Each(func(r *trace.Record) {
			if n++; r.Marker >= int32(len(tr.Markers)) {
				t.Errorf("marker %d of %d", r.Marker, len(tr.Markers))
			}
		}); err == nil && n > 2*tr.Records+uint64(len(file)) {
			t.Errorf("%d records, %d are said to be there", n, tr.Records)
		}
		checkSteps(t, tr)
		for _, from := range tr.Markers {
			b := trace.Between{From: trace.Endpoint{Name: from.Name}, To: trace.Endpoint{Name: from.Name, Kind: trace.RecordExit}}
			_ = b.Add(tr) // damage that is only detected now
			if v := b.MeanNS() + b.StddevNS() + b.QuantileNS(0.5); math.IsNaN(v) || b.Count > 0 && b.MinNS > b.MaxNS {
				t.Errorf("%+v", b)
			}
		}
	})
}
