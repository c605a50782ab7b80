package trace_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/trace"
)

// Records of goroutine 1: enter and exit of markers 0 (outer) and 2 (inner), points of marker 1.
func enter(tick uint64, marker int, level uint32) profiletest.Record {
	return at(tick, 1, trace.RecordEnter, marker, level)
}

func exit(tick uint64, marker int, level uint32) profiletest.Record {
	return at(tick, 1, trace.RecordExit, marker, level)
}

func left(tick uint64, marker int, level uint32) profiletest.Record {
	return at(tick, 1, trace.RecordLeft, marker, level)
}

func starts(tick uint64, marker int) profiletest.Record {
	return at(tick, 1, trace.RecordStart, marker, 0)
}

func stops(tick uint64, marker int) profiletest.Record {
	return at(tick, 1, trace.RecordStop, marker, 0)
}

func on(goroutine uint64, r profiletest.Record) profiletest.Record {
	r.Goroutine = goroutine
	return r
}

var stepWords = map[uint8]string{
	trace.StepBegin: "(", trace.StepEnd: ")", trace.StepLeft: "left)", trace.StepLost: "lost)", trace.StepOpen: "open)",
	trace.StepLoneBegin: "lone(", trace.StepLoneEnd: "lone)", trace.StepLoneLeft: "loneleft)",
	trace.StepPoint: ".", trace.StepTaken: "taken", trace.StepGap: "gap",
	trace.StepStart: "[", trace.StepStop: "]", trace.StepStopLost: "lost]",
}

// steps returns the steps of a trace: goroutine (with + if New), ticks since the start, kind and
// marker.
func steps(t *testing.T, tr *trace.File) string {
	t.Helper()
	var list []string
	givenUp, err := tr.Steps(func(s *trace.Step) {
		word := fmt.Sprintf("%d@%d%s", s.Goroutine, int64(s.Tick-profiletest.StartTick), stepWords[s.Kind])
		if s.New {
			word = "+" + word
		}
		if s.Marker >= 0 {
			word += fmt.Sprint(s.Marker)
		}
		if s.Watch > 0 {
			word += fmt.Sprintf("#%d", s.Watch)
		}
		if (s.Record == nil) != (s.Kind == trace.StepLost || s.Kind == trace.StepOpen || s.Kind == trace.StepStopLost) {
			t.Errorf("%s: record %v", word, s.Record)
		}
		list = append(list, word)
	})
	if err != nil || givenUp != 0 {
		t.Errorf("%v, %d given up", err, givenUp)
	}
	return strings.Join(list, " ")
}

// Steps of a goroutine nest, and only scopes that certainly belong together are paired.
func TestSteps(t *testing.T) {
	gap := at(30, 7, trace.RecordGap, 0, 0)
	gap.Cost = 20 // ticks
	one := func(list ...profiletest.Record) []profiletest.Records {
		return []profiletest.Records{{Records: list}}
	}
	for _, tt := range []struct {
		name    string
		records []profiletest.Records
		want    string
	}{
		{"nested", one(enter(1, 0, 1), enter(2, 2, 2), points(3)[0], exit(4, 2, 2), enter(5, 2, 2), exit(6, 2, 2), exit(7, 0, 1)),
			"+1@1(0 1@2(2 1@3.1 1@4)2 1@5(2 1@6)2 1@7)0"},
		{"recursive", one(enter(1, 0, 1), enter(2, 0, 2), exit(3, 0, 2), exit(4, 0, 1)), "+1@1(0 1@2(0 1@3)0 1@4)0"},
		{"at one time", one(enter(5, 0, 1), enter(5, 2, 2), exit(5, 2, 2), exit(5, 0, 1)), "+1@5(0 1@5(2 1@6)2 1@6)0"},
		{"goroutines", one(enter(1, 0, 1), on(2, enter(2, 0, 1)), exit(3, 0, 1), on(2, exit(4, 0, 1))), "+1@1(0 +2@2(0 1@3)0 2@4)0"},
		{"left by a panic", one(enter(1, 0, 1), enter(2, 2, 2), left(8, 2, 2), exit(9, 0, 1)), "+1@1(0 1@2(2 1@8left)2 1@9)0"},
		{"open at the end, with others", one(enter(1, 0, 1), starts(2, 3), on(2, enter(3, 0, 1)), on(2, points(9)[0])), "+1@1(0 1@2[3#1 +2@3(0 2@9.1 1@9open)0 2@9open)0 1@9lost]3#1"},
		{"open at the end", one(enter(1, 0, 1), enter(2, 2, 2)), "+1@1(0 1@2(2 1@3open)2 1@3open)0"},
		{"an end alone", one(exit(1, 2, 2), exit(2, 0, 1), enter(3, 0, 1), exit(4, 0, 1)), "+1@1lone)2 1@2lone)0 1@3(0 1@4)0"},
		{"left alone", one(left(1, 2, 2), exit(2, 0, 1)), "+1@1loneleft)2 1@2lone)0"},
		{"an end missing", one(enter(1, 0, 1), enter(2, 2, 2), points(3)[0], exit(9, 0, 1)), "+1@1(0 1@2(2 1@3.1 1@3lost)2 1@9)0"},
		{"two ends missing", one(enter(1, 0, 1), enter(2, 2, 2), enter(9, 2, 1)), "+1@1(0 1@2(2 1@3lost)2 1@3lost)0 1@9(2 1@10open)2"},
		{"another's end", one(enter(1, 0, 1), exit(9, 2, 1)), "+1@1(0 1@2lost)0 1@9lone)2"},
		{"deeper than known", one(points(1)[0], enter(2, 0, 7), enter(3, 2, 8), exit(4, 2, 8), exit(5, 0, 7), exit(6, 2, 3)),
			"+1@1.1 1@2(0 1@3(2 1@4)2 1@5)0 1@6lone)2"},
		{"over a gap", one(enter(1, 0, 1), gap, exit(60, 0, 1), enter(70, 0, 1), exit(80, 0, 1)), "+1@1(0 0@30gap 1@2lost)0 1@60lone)0 1@70(0 1@80)0"},
		{"beside a gap", []profiletest.Records{{Records: []profiletest.Record{gap, points(90)[0]}}, {Shard: 1, Records: []profiletest.Record{
			on(2, enter(29, 0, 1)), on(2, enter(35, 2, 2)), on(2, exit(45, 2, 2)), on(2, enter(51, 2, 2)), on(2, exit(60, 2, 2)), on(2, exit(70, 0, 1))}}},
			"+2@29(0 0@30gap 2@30lost)0 2@35lone(2 2@45lone)2 2@51(2 2@60)2 2@70lone)0 +1@90.1"},
		{"nothing after a gap", one(enter(1, 0, 1), enter(2, 2, 2), on(4, enter(3, 0, 1)), gap), "+1@1(0 1@2(2 +4@3(0 0@30gap 1@3lost)2 1@3lost)0 4@4lost)0"},
		{"overwritten", []profiletest.Records{{Room: 4, Records: []profiletest.Record{enter(1, 0, 1), enter(2, 2, 2), points(3)[0], exit(4, 2, 2), exit(5, 0, 1)}}},
			"0@0gap +1@3.1 1@4lone)2 1@5lone)0"},
		{"time goes back", one(enter(10, 0, 1), enter(8, 2, 2), exit(9, 2, 2), exit(20, 0, 1)), "+1@10(0 1@10(2 1@11)2 1@20)0"},
		{"no level", one(enter(1, 0, 0), exit(2, 0, 0), left(3, 0, 0)), "+1@1lone(0 1@2lone)0 1@3loneleft)0"},
		{"stopwatches", one(starts(1, 2), enter(2, 0, 1), on(3, starts(3, 3)), stops(4, 2), exit(5, 0, 1), starts(6, 2), stops(7, 3)),
			"+1@1[2#1 1@2(0 +3@3[3#2 1@4]2#1 1@5)0 1@6[2#3 1@7]3#2 1@7lost]2#3"},
		{"a stopwatch over a gap", one(stops(1, 2), starts(2, 2), starts(3, 2), gap, starts(40, 2), starts(45, 3), stops(60, 2), starts(70, 2), stops(80, 2), stops(90, 3)),
			"+1@1]2 1@2[2#1 1@2lost]2#1 1@3[2#2 1@3lost]2#2 0@30gap 1@40[2 1@45[3 1@60]2 1@70[2#3 1@80]2#3 1@90]3"},
		{"taken", one(at(1, 1, trace.RecordTaken, 0, 0), enter(2, 99, 1), exit(3, 99, 1)), "+1@1taken0 1@2( 1@3)"},
	} {
		tr := readTrace(t, profiletest.Traced(tt.records...).File())
		if got := steps(t, tr); got != tt.want {
			t.Errorf("%s:\n %s\nwant\n %s", tt.name, got, tt.want)
		}
	}
}

// Of 300,000 goroutines with one call each, only those with an open scope are remembered.
func TestStepsForgetGoroutines(t *testing.T) {
	list := []profiletest.Record{enter(1, 0, 1)}
	for g := range uint64(300_000) {
		list = append(list, on(g+2, enter(10+2*g, 2, 1)), on(g+2, exit(11+2*g, 2, 1)))
	}
	list = append(list, exit(1_000_000, 0, 1))
	tr := readTrace(t, profiletest.Traced(profiletest.Records{Records: list}).File())
	kinds, fresh := map[uint8]int{}, 0
	if _, err := tr.Steps(func(s *trace.Step) {
		kinds[s.Kind]++
		if s.New {
			fresh++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if kinds[trace.StepBegin] != 300_001 || kinds[trace.StepEnd] != 300_001 || len(kinds) != 2 || fresh != 300_001 {
		t.Errorf("%v, %d new", kinds, fresh)
	}
}

// If more than a million scopes are open, those of the least recently active goroutines end.
func TestStepsGivenUp(t *testing.T) {
	const goroutines = 1<<20 + 10
	list := make([]profiletest.Record, 0, goroutines+2)
	for g := range uint64(goroutines) {
		list = append(list, on(g+1, enter(10+g, 0, 1)))
	}
	list = append(list, on(1, exit(1<<30, 0, 1)), on(goroutines, exit(1<<30+1, 0, 1)))
	tr := readTrace(t, profiletest.Traced(profiletest.Records{Records: list}).File())
	kinds := map[uint8]int{}
	givenUp, err := tr.Steps(func(s *trace.Step) { kinds[s.Kind]++ })
	if err != nil {
		t.Fatal(err)
	}
	if givenUp < 1<<18 || int(givenUp) != kinds[trace.StepLost] || kinds[trace.StepEnd] != 1 || kinds[trace.StepLoneEnd] != 1 {
		t.Errorf("%d given up, %v", givenUp, kinds)
	}
}

// checkSteps checks the invariants of steps: each end has a begin on its goroutine, in order, and
// every record has one step.
func checkSteps(t *testing.T, tr *trace.File) {
	type scope struct {
		marker int32
		begin  uint64
	}
	open := map[uint64][]scope{}
	last := map[uint64]uint64{}
	records, told := uint64(0), uint64(0)
	if err := tr.Each(func(*trace.Record) { records++ }); err != nil {
		return // truncated
	}
	_, err := tr.Steps(func(s *trace.Step) {
		if s.Record != nil {
			told++
		}
		if s.Kind == trace.StepGap {
			return
		}
		g := s.Goroutine
		if s.Tick < last[g] {
			t.Errorf("goroutine %d goes back from %d to %d", g, last[g], s.Tick)
		}
		last[g] = s.Tick
		switch s.Kind {
		case trace.StepBegin:
			open[g] = append(open[g], scope{s.Marker, s.Tick})
		case trace.StepEnd, trace.StepLeft, trace.StepLost, trace.StepOpen:
			k := len(open[g]) - 1
			if k < 0 || open[g][k].marker != s.Marker || open[g][k].begin >= s.Tick {
				t.Fatalf("goroutine %d ends a scope of %d, and open are %v", g, s.Marker, open[g])
			}
			open[g] = open[g][:k]
		}
	})
	if err != nil || told != records {
		t.Errorf("%v; of %d records %d became steps", err, records, told)
	}
	for g, scopes := range open {
		if len(scopes) > 0 {
			t.Errorf("goroutine %d never ends %v", g, scopes)
		}
	}
}

// Steps nest for any program, and wherever records are lost.
func TestStepsNest(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		stacks := map[uint64][]int{}
		shards := make([]profiletest.Records, 1+rnd.IntN(3))
		for i := range shards {
			shards[i].Shard = uint32(i)
			if rnd.IntN(2) == 0 {
				shards[i].Room = 10 + rnd.IntN(60)
			}
		}
		for tick := range uint64(200) {
			g := uint64(1 + rnd.IntN(3))
			s := &shards[rnd.IntN(len(shards))]
			var r profiletest.Record
			switch n := len(stacks[g]); {
			case rnd.IntN(5) == 0:
				r = at(tick, g, trace.RecordPoint, 1, 0)
			case n > 0 && rnd.IntN(2) == 0:
				kind := uint8(trace.RecordExit)
				if rnd.IntN(4) == 0 {
					kind = trace.RecordLeft
				}
				r = at(tick, g, kind, stacks[g][n-1], uint32(n))
				stacks[g] = stacks[g][:n-1]
			default:
				stacks[g] = append(stacks[g], []int{0, 2, 3}[rnd.IntN(3)])
				r = at(tick, g, trace.RecordEnter, stacks[g][n], uint32(n+1))
			}
			if rnd.IntN(40) != 0 { // lost without notice
				s.Records = append(s.Records, r)
			}
		}
		checkSteps(t, readTrace(t, profiletest.Traced(shards...).File()))
	}
}
