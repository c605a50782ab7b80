package runfile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// counts returns the counts of the markers and blocks that could be read of twoUnits.
func counts(p *profile.Profile) string {
	var list []string
	for _, m := range p.Markers {
		list = append(list, fmt.Sprint(m.Name, " ", m.Count))
	}
	for _, b := range p.Blocks {
		list = append(list, fmt.Sprint(b.File, " ", b.Count))
	}
	return strings.Join(list, ", ")
}

// Damage is named with its offset, and everything else is read.
func TestDamage(t *testing.T) {
	const bucket3 = layout.CellSize + layout.OffBucketsData + 3*layout.BucketSize // 8 to 15 ns, in the block behind the cell of a.F
	sound := profiletest.TwoUnits()
	size := len(sound)
	table, counters, cell := profiletest.BlockAt(t, sound, layout.BlockTable, 0), profiletest.BlockAt(t, sound, layout.BlockCounters, 0), profiletest.BlockAt(t, sound, layout.BlockCell, 0)
	table2, counters2 := profiletest.BlockAt(t, sound, layout.BlockTable, 1), profiletest.BlockAt(t, sound, layout.BlockCounters, 1)
	const (
		all         = "a.F 1, b.F 1, a/a.go 5, b/b.go 6"
		onlyA       = "a.F 1, a/a.go 5"
		onlyB       = "b.F 1, b/b.go 6"
		aNotTimed   = "a.F 0, b.F 1, a/a.go 5, b/b.go 6"
		aNotCounted = "a.F 1, b.F 1, a/a.go 0, b/b.go 6"
		unnamed     = "1 scope of 1 marker that no table in the file names; they are left out"
	)
	at := func(offset int, format string, args ...any) string {
		return fmt.Sprintf("offset %d: %s", offset, fmt.Sprintf(format, args...))
	}
	cellWrong := at(cell, "a cell of marker number 0 whose figures contradict each other; it is left out")
	bucketsWrong := at(cell+layout.CellSize, "buckets of marker number 0 whose figures contradict each other; they are left out")
	for _, tt := range []struct {
		name string
		at   int    // offset of the word to change; 0 for none
		word uint64 // new value of the word
		cut  int    // new length of the file; 0 to keep it
		left string
		want []string
	}{
		{"nothing", 0, 0, 0, all, nil},
		{"cut between blocks", 0, 0, table2, onlyA, []string{
			at(24, "%d bytes in use, and the file has %d; it was cut off", size, table2),
		}},
		{"cut in a block", 0, 0, table2 + 100, onlyA, []string{
			at(24, "%d bytes in use, and the file has %d; it was cut off", size, table2+100),
			at(table2, "a block of 192 bytes where 100 are left; what follows is lost"),
		}},
		{"cut in the header of a block", 0, 0, table2 + 8, onlyA, []string{
			at(24, "%d bytes in use, and the file has %d; it was cut off", size, table2+8),
			at(table2, "8 bytes are left, too few for a block; what follows is lost"),
		}},
		{"used is nothing", layout.OffUsed, 17, 0, "", []string{
			at(24, "17 bytes in use can't be; no markers can be read"),
		}},
		{"used is far too much", layout.OffUsed, 1 << 63, 0, all, []string{
			at(24, "9223372036854775808 bytes in use, and the file has %d; it was cut off", size),
		}},
		{"block without size", table + layout.OffBlockSize, 0, 0, "", []string{
			at(table, "a block of 0 bytes can't be; what follows is lost"),
		}},
		{"block of odd size", table + layout.OffBlockSize, 129, 0, "", []string{
			at(table, "a block of 129 bytes can't be; what follows is lost"),
		}},
		{"block too large", table + layout.OffBlockSize, 1 << 40, 0, "", []string{
			at(table, "a block of 1099511627776 bytes where %d are left; what follows is lost", size-table),
		}},
		{"block size wraps round", table + layout.OffBlockSize, ^uint64(7), 0, "", []string{
			at(table, "a block of 18446744073709551608 bytes where %d are left; what follows is lost", size-table),
		}},
		{"block too small for its type", cell + layout.OffBlockSize, 64, 0, "a.F 0, a/a.go 5", []string{
			at(cell, "a block of 64 bytes that should have %d; it is left out", layout.CellSize),
			at(cell+64, "a block of 0 bytes can't be; what follows is lost"),
		}},
		{"text too long", table + layout.OffTableLen, 1 << 60, 0, onlyB, []string{
			at(table, "a table with 1152921504606846976 bytes of text in a block of 192; it is left out"),
			at(counters, "counters of table 0, which is not in the file; they are left out"),
			unnamed,
		}},
		{"more markers than named", table + layout.OffTableMarkers, 7, 0, all, []string{
			at(table, "a table of 7 markers that names 1"),
		}},
		{"first marker wraps round", table + layout.OffTableFirst, ^uint64(0), 0, onlyB, []string{
			at(table, "a table whose markers begin at number 18446744073709551615; it is left out"),
			at(counters, "counters of table 0, which is not in the file; they are left out"),
			unnamed,
		}},
		{"two tables of one number", table2 + layout.OffTableNumber, 0, 0, onlyA, []string{
			at(table2, "a second table with the number 0; it is left out"),
			at(counters2, "counters of table 1, which is not in the file; they are left out"),
			unnamed,
		}},
		{"line of the table", table + layout.OffTableText + len("p\ta\nf\ta.go\nm\t"), 0x20202020_20202020, 0, "b.F 1, a/a.go 5, b/b.go 6", []string{
			at(table, `line 3 of the table: "m\t        00000001\tfunc\t0\t1\t1\t0\t-\t-\t1\ta.F" can't be read; what it names is left out`),
		}},
		{"two blocks of counters", counters2 + layout.OffCountersTable, 0, 0, "a.F 1, b.F 1, a/a.go 5, b/b.go 0", []string{
			at(counters2, "a second block with the counters of table 0; it is left out"),
		}},
		{"counters of no table", counters + layout.OffCountersTable, 77, 0, aNotCounted, []string{
			at(counters, "counters of table 77, which is not in the file; they are left out"),
		}},
		{"more counters than there is room for", counters + layout.OffCountersLen, 1 << 61, 0, aNotCounted, []string{
			at(counters, "2305843009213693952 counters in a block of 128 bytes; they are left out"),
		}},
		{"more counters than named", counters + layout.OffCountersLen, 3, 0, all, []string{
			at(counters, "3 counters for a table that names 1"),
		}},
		{"fewer counters than named", counters + layout.OffCountersLen, 0, 0, aNotCounted, []string{
			at(counters, "0 counters for a table that names 1"),
		}},
		{"bits of counters beyond the block", counters + layout.OffCountersOff, 1 << 61, 0, all, []string{
			at(counters, "bits of 1 counters at 2305843009213693952 in a block of 128 bytes; which of them are off is not known"),
		}},
		{"bits of counters among them", counters + layout.OffCountersOff, 64, 0, all, []string{
			at(counters, "bits of 1 counters at 64 in a block of 128 bytes; which of them are off is not known"),
		}},
		{"count and sum disagree", cell + bucket3 + layout.BucketCount, 1000, 0, aNotTimed, []string{bucketsWrong}},
		{"count past all bounds", cell + bucket3 + layout.BucketCount, ^uint64(0), 0, aNotTimed, []string{bucketsWrong}},
		{"sum past all bounds", cell + bucket3 + layout.BucketSum, ^uint64(0), 0, aNotTimed, []string{bucketsWrong}},
		{"squares past all bounds", cell + bucket3 + layout.BucketSqHi, 1, 0, aNotTimed, []string{bucketsWrong}},
		{"scopes past all bounds", cell + layout.CellPasses, ^uint64(0), 0, aNotTimed, []string{cellWrong}},
		{"self time past all bounds", cell + layout.CellSelf, 1 << 50, 0, aNotTimed, []string{cellWrong}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := bytes.Clone(sound)
			if tt.at > 0 {
				binary.LittleEndian.PutUint64(file[tt.at:], tt.word)
			}
			for _, at := range []int{table, table2} { // with correct checksums, as an attacker would write them
				if tt.at >= at+layout.OffTableNumber && tt.at < at+layout.OffTableText+64 && tt.at != at+layout.OffTableLen {
					profiletest.SumTable(file[at:], binary.LittleEndian)
				}
			}
			if tt.cut > 0 {
				file = file[:tt.cut]
			}
			p := profiletest.Load(t, file)
			if got := counts(p); got != tt.left {
				t.Errorf("left is %s\nwant    %s", got, tt.left)
			}
			for i, w := range p.Warnings {
				p.Warnings[i] = strings.TrimPrefix(w, "demo.markgen: ")
			}
			if diff := cmp.Diff(tt.want, p.Warnings); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
			if damaged := len(tt.want) > 0; p.Damaged != damaged || p.Complete == damaged {
				t.Errorf("damaged %v, complete %v", p.Damaged, p.Complete)
			}
		})
	}
}

// Unknown kinds of blocks and records are skipped silently.
func TestUnknownBlock(t *testing.T) {
	file := profiletest.TwoUnits()
	cell := profiletest.BlockAt(t, file, layout.BlockCell, 0)
	binary.LittleEndian.PutUint32(file[cell:], 99)
	binary.LittleEndian.PutUint32(file[cell+layout.CellSize:], 99) // its buckets
	p := profiletest.Load(t, file)
	if got := counts(p); got != "a.F 0, b.F 1, a/a.go 5, b/b.go 6" || len(p.Warnings) > 0 {
		t.Errorf("%s, warnings %q", got, p.Warnings)
	}
}

// A process that is killed while it records a scope leaves some words of that scope unwritten. The
// runtime writes them in this order: count, sum, low and high word of the squares, self, ticks,
// last, min, max.
func TestTorn(t *testing.T) {
	const bucket3 = layout.CellSize + layout.OffBucketsData + 3*layout.BucketSize
	run := profiletest.Run{Killed: true, Tables: []profiletest.Table{{
		Text:  "p\ta\nf\ta.go\nm\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\ta.F\n",
		Times: map[int][]uint64{0: {12, 9, 15}}, // 12 and 15 in one cell
	}}}
	fresh := run
	fresh.Tables = []profiletest.Table{run.Tables[0]}
	fresh.Tables[0].Times = map[int][]uint64{0: {12}}
	before, after := fresh.File(), run.File()
	cell := profiletest.BlockAt(t, after, layout.BlockCell, 0)
	copy(before[cell:cell+layout.CellPasses], after[cell:]) // same block header and marker
	written := []int{
		bucket3 + layout.BucketCount, bucket3 + layout.BucketSum, bucket3 + layout.BucketSqLo, bucket3 + layout.BucketSqHi,
		layout.CellSelf, layout.CellTicks, layout.CellLast, layout.CellMin, layout.CellMax,
	}
	for n := range len(written) + 1 {
		file := bytes.Clone(after)
		for _, word := range written[n:] { // not written yet
			copy(file[cell+word:cell+word+8], before[cell+word:])
		}
		p := profiletest.Load(t, file)
		m := p.Markers[0]
		if want := uint64(2 + min(n, 1)); m.Count != want || p.Damaged {
			t.Errorf("%d words written: count %d, want %d, damaged %v", n, m.Count, want, p.Damaged)
		}
		if mean := m.MeanNS(); mean < 8 || mean > 15 || m.MinNS < 8 || m.MaxNS > 15 || m.MinNS > m.MaxNS || m.SelfNS > m.TotalNS() {
			t.Errorf("%d words written: mean %v, min %d, max %d, self %d of %d", n, mean, m.MinNS, m.MaxNS, m.SelfNS, m.TotalNS())
		}
	}
}

// If a file could not grow, its contents are still used: cells in the file go on counting, while
// new buckets are in memory only.
func TestPartial(t *testing.T) {
	run := profiletest.Run{Flags: layout.FlagPartial, Tables: []profiletest.Table{{
		Text:  "p\ta\nf\ta.go\nm\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\ta.F\n",
		Early: map[int][]uint64{0: {500_000_000, 100, 110, 120}},
	}}}
	for _, killed := range []bool{false, true} {
		run.Killed = killed
		file := run.File()
		binary.LittleEndian.PutUint32(file[profiletest.BlockAt(t, file, layout.BlockBuckets, 0):], layout.BlockPad)
		p := profiletest.Load(t, file)
		m := profiletest.Named(t, p, "a.F")
		if m.Count != 3 || m.TotalNS() != 330 || m.SelfNS != 330 || m.MinNS != 100 || m.MaxNS != 127 {
			t.Errorf("killed %v: %d scopes of %d ns, %d of them self, from %d to %d ns", killed, m.Count, m.TotalNS(), m.SelfNS, m.MinNS, m.MaxNS)
		}
		if m.First.Count() != 0 || p.Damaged {
			t.Errorf("killed %v: %d first scopes, damaged %v: %q", killed, m.First.Count(), p.Damaged, p.Warnings)
		}
	}
}

// With any changes to a file, reading terminates and uses memory in proportion to the file, not to
// lengths in it.
func TestBounded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	seeds := [][]byte{profiletest.Demo().File(), profiletest.TwoUnits(), garbageTable()}
	var before, after runtime.MemStats
	for i := range 900 {
		file := bytes.Clone(seeds[i%len(seeds)])
		for range rnd.IntN(4) {
			at := rnd.IntN(len(file)/8) * 8
			if rnd.IntN(2) == 0 {
				at = layout.OffUsed + rnd.IntN(2)*(layout.HeaderSize-layout.OffUsed)
			}
			binary.LittleEndian.PutUint64(file[at:], []uint64{0, 1, 1 << 20, 1 << 40, 1 << 63, ^uint64(0), rnd.Uint64()}[rnd.IntN(7)])
		}
		runtime.ReadMemStats(&before)
		runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
		runtime.ReadMemStats(&after)
		if took, most := after.TotalAlloc-before.TotalAlloc, uint64(40*len(file)+100_000); took > most {
			t.Fatalf("%d bytes for a file of %d", took, len(file))
		}
	}
	// A wrong size of the file does not cause a large allocation.
	file := profiletest.Demo().File()
	runtime.ReadMemStats(&before)
	if _, err := runfile.ReadFrom(bytes.NewReader(file), 1<<60, "x"); err != nil {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("%d bytes for a file that says to be of 2^60", took)
	}
}

// garbageTable returns a file with a table of unparseable lines.
func garbageTable() []byte {
	return profiletest.Run{Tables: []profiletest.Table{{Text: strings.Repeat("m\tnot a marker, is it\nb\tnor a block\n", 20_000)}}}.File()
}

func TestMuchDamage(t *testing.T) {
	p := profiletest.Load(t, garbageTable())
	if n := len(p.Warnings); n != 21 || p.Warnings[20] != "demo.markgen: damaged besides: 39,980 places" {
		t.Errorf("%d warnings, the last %q", n, p.Warnings[n-1])
	}
}
