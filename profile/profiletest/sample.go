package profiletest

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/markgen/markgen/runtime/layout"
)

// DemoText is a table with every kind of record.
const DemoText = "p\texample.com/demo [example.com/demo.test]\n" +
	"f\tdemo.go\n" +
	"f\tparse/lex.go\n" +
	"m\t00000000000000a1\tfunc\t0\t12\t1\t0\t-\t-\t1\texample.com/demo.main\n" +
	"m\t00000000000000a2\tloop\t1\t40\t2\t1\tz\tio\t1\texample.com/demo.(*Parser).Expr:for#1\n" +
	"m\t00000000000000a3\tpoint\t1\t44\t2\t1\t-\t-\t1\texample.com/demo.eof reached\n" +
	"m\t00000000000000a4\tbranch\t1\t48\t2\t1\tc\t-\t8\texample.com/demo.(*Parser).Expr:if#1.then\n" +
	"m\t00000000000000a5\tfunc\t1\t60\t1\t4\t\t-\t1\texample.com/demo.never\n" +
	"c\t00000000000000a6\tblock\t0\t5\t3\texample.com/demo.helper:block#1\n" +
	"b\t1\t3\t14\t5\t2\t1\n" +
	"b\t0\t7\t2\t9\t3\t2\n" +
	"x\tof a kind to come\n"

// Demo returns a run with every feature of data files.
func Demo() Run {
	return Run{
		App:       "demo",
		PID:       4711,
		StartWall: 1763711763123456789, // 2025-11-21 07:56:03
		Span:      2_410_000_000,
		Tables: []Table{{
			Text:     DemoText,
			Times:    map[int][]uint64{0: {2_400_000_000}, 1: {100, 120, 130, 150, 90, 4000, 812, 0, 1, 12345}},
			Passes:   map[int]uint64{2: 1234567, 3: 89},
			Early:    map[int][]uint64{1: {5, 6, 7}},
			Counters: []uint64{77, 3, 0},
		}},
	}
}

// DemoProfile returns Demo with its loop demoted, and a CPU profile in which it runs in the first marker.
func DemoProfile() Run {
	run := Demo()
	run.Used = 400_000_000
	table := &run.Tables[0]
	table.Text += "l\t0\t9\t0\t3\t0\t0\t0\t0\t0\t0\n"
	table.Words, table.Demoted = true, []int{1}
	run.Profile = "f\texample.com/demo.(*Parser).Expr\t41\t/src/parse/lex.go\nf\texample.com/demo.main\t13\t/src/demo.go\nf\tmarkgen/perf.Begin\t1\t/src/open.go\n" +
		"s\t60\t0\t1\ns\t30\t1\ns\t10\t2\t0\t0\t1\n"
	return run
}

// DemoRead returns Demo with collectors other than time.
func DemoRead() Run {
	run := Demo()
	run.Values = []string{"io\twrite_bytes", "io\tread_bytes", "cache\tmisses"}
	run.Tables[0].Read = map[int]Read{
		0: {Scopes: [][2]uint64{{1, 0}, {1, 0}}, Values: [][3]uint64{{1000, 400, 0}, {77, 0, 0}, {5, 5, 0}}},
		1: {Scopes: [][2]uint64{{10, 2}, {9, 3}}, Values: [][3]uint64{{600, 100, 60}, {77, 77, 7}, {0, 0, 0}}},
	}
	return run
}

// DemoSpread returns Demo with a collector that has buckets. Each scope occurs twice, on two
// processors.
func DemoSpread() Run {
	run := Demo()
	run.Values = []string{"alloc\tbytes", "alloc\tobjects"}
	const most = 1<<62 + 12345
	run.Tables[0].Read = map[int]Read{
		0: {Scopes: [][2]uint64{{3, 0}}, Values: [][3]uint64{{1040, 16, 0}, {3, 1, 0}}, Spread: map[int][2][]uint64{
			0: {{0, 16, 1024}, {0, 16, 0}},
			1: {{0, 1, 2}, {0, 1, 0}},
		}},
		1: {Scopes: [][2]uint64{{1, 0}}, Values: [][3]uint64{{most, most, 0}, {255, 255, 0}}, Spread: map[int][2][]uint64{
			0: {{most}, {most}},
			1: {{255}, {255}},
		}},
	}
	return run
}

// DemoPairs returns a run with pairs: its first marker inside itself, and the second inside the
// first, once under the number 0 that it had before registration. The table's numbers start at 1.
func DemoPairs() Run {
	r := Demo()
	r.Flags |= layout.FlagPairs
	r.Pairs = [][2]uint64{{1, 1}, {1, 2}, {0, 1}}
	return r
}

// WildText is the table of DemoWild: two functions, and a loop in the first.
const WildText = "p\tm\nf\tf.go\n" +
	"m\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tm.F\n" +
	"m\t0000000000000002\tloop\t0\t2\t1\t0\t-\t-\t1\tm.F:for#1\n" +
	"m\t0000000000000003\tfunc\t0\t3\t1\t-\t-\t-\t1\tm.G\n"

// Half is the limit of a function without earlier runs that is picked with probability 1/2: ln 2,
// in 32.32.
const Half = 2977044471

// DemoWild returns a run that picked F with probability 1/2, after recording at G.
func DemoWild() Run {
	return Run{
		App: "wild", PID: 1, StartWall: 1763711763_000000000, Span: 1e9,
		Wild:   &Wild{Of: 2, Picked: [][3]uint64{{0, Half, 0}}},
		Tables: []Table{{Text: WildText, Times: map[int][]uint64{0: {10, 20, 30}, 2: {5}}}},
	}
}

// TwoUnits returns the file of a run with two units, so that damage to one spares the other.
func TwoUnits() []byte {
	text := func(pkg string, id int) string {
		return fmt.Sprintf("p\t%s\nf\t%[1]s.go\nm\t%016x\tfunc\t0\t1\t1\t0\t-\t-\t1\t%[1]s.F\nb\t0\t1\t1\t2\t2\t1\n", pkg, id)
	}
	return Run{Tables: []Table{
		{Text: text("a", 1), Times: map[int][]uint64{0: {10}}, Counters: []uint64{5}},
		{Text: text("b", 2), Times: map[int][]uint64{0: {20}}, Counters: []uint64{6}},
	}}.File()
}

// RandomRun returns a run of a program that changes between runs: its markers, their names, places
// and data differ.
func RandomRun(rnd *rand.Rand) Run {
	text := fmt.Sprintf("p\tm\nf\tf%d.go\n", rnd.IntN(2))
	times := map[int][]uint64{}
	passes := map[int]uint64{}
	early := map[int][]uint64{}
	n := 0
	for id := 1; id <= 6; id++ {
		if rnd.IntN(4) == 0 {
			continue
		}
		text += fmt.Sprintf("m\t%016x\tfunc\t0\t%d\t1\t0\t%s\t-\t%d\tm.F%d\n", id, rnd.IntN(3)+1, []string{"-", "c"}[rnd.IntN(5)/4], rnd.IntN(2)+1, rnd.IntN(3))
		for range rnd.IntN(8) {
			times[n] = append(times[n], rnd.Uint64()>>rnd.IntN(64)>>20)
		}
		for range rnd.IntN(3) {
			early[n] = append(early[n], rnd.Uint64()>>rnd.IntN(64)>>20)
		}
		if rnd.IntN(2) == 0 {
			passes[n] = rnd.Uint64N(1000)
		}
		n++
	}
	var counters []uint64
	for i := range rnd.IntN(4) {
		text += fmt.Sprintf("b\t0\t%d\t1\t9\t9\t%d\n", i+1, rnd.IntN(2)+1)
		counters = append(counters, rnd.Uint64N(100))
	}
	return Run{
		Wild:      randomWild(rnd, n),
		App:       []string{"one", "two"}[rnd.IntN(2)],
		PID:       rnd.Uint64N(100),
		StartWall: 1763711763_000000000 + rnd.Uint64N(3), // often equal
		Span:      rnd.Uint64N(1e10),
		Killed:    rnd.IntN(4) == 0,
		TrueHz:    2e9 + rnd.Uint64N(2),
		Clock:     []uint64{layout.ClockTSC, layout.ClockCNTVCT}[rnd.IntN(5)/4],
		Lost:      rnd.Uint64N(2),
		Flags:     []uint64{0, layout.FlagNoSelf}[rnd.IntN(5)/4],
		Tables:    []Table{{Text: text, Times: times, Passes: passes, Early: early, Counters: counters}},
	}
}

// randomWild returns a random pick among n markers.
func randomWild(rnd *rand.Rand, n int) *Wild {
	if rnd.IntN(2) == 0 {
		return nil
	}
	w := &Wild{Of: uint64(n)}
	for i := range n {
		if rnd.IntN(2) == 0 {
			w.Picked = append(w.Picked, [3]uint64{uint64(i), rnd.Uint64N(1 << 34), rnd.Uint64N(9)})
		}
	}
	return w
}

// Packed returns the text of a table in packed form.
func Packed(text string) string {
	b := bytes.NewBuffer(binary.LittleEndian.AppendUint32([]byte{layout.PackedText}, uint32(len(text))))
	w, err := flate.NewWriter(b, flate.BestCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

const TracedText = "p\tb\nf\tb.go\nm\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tb.outer\n" +
	"m\t0000000000000002\tpoint\t0\t2\t1\t0\t-\t-\t1\tb.outer:point\nm\t0000000000000003\tfunc\t0\t3\t1\t2\t-\t-\t1\tb.inner\n" +
	"m\t0000000000000004\tfunc\t0\t4\t1\t2\t-\t-\t1\tb.(*T).inner\n"

// Traced returns a run with these trace records.
func Traced(list ...Records) Run {
	return Run{Flags: layout.FlagTraced | layout.FlagUntimed, Hz: 1e9, Tables: []Table{{Text: TracedText}}, Trace: list}
}
