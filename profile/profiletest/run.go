// Package profiletest writes data files like the runtime of a marked program, for tests that need a
// file with known contents:
//
//	file := profiletest.Run{Tables: []profiletest.Table{{
//		Text:  "p\texample.com/demo\nf\tdemo.go\nm\t…",
//		Times: map[int][]uint64{0: {100, 200}},
//	}}}.File()
//
// It also has sample runs (Demo), and reads and checks data files (Load, Check). Only tests may
// import it.
package profiletest

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/markgen/markgen/runtime/layout"
)

// Run describes a run. The zero value is an empty run that ended normally.
type Run struct {
	App       string
	PID       uint64
	StartWall uint64 // ns since 1970
	Span      uint64 // ns by the monotonic clock, to the end of the run or of the latest scope
	Killed    bool   // true if the run has no end
	Used      uint64 // processor time, ns; 0 if unknown
	State     uint64 // state of a killed run; 0 for profiling
	Since     uint64 // ns from the start of the run to its latest change of state
	Clock     uint64 // 0 for TSC
	Hz        uint64 // as in the header; 0 for 2 GHz
	TrueHz    uint64 // actual rate of the clock; 0 for Hz
	Flags     uint64
	Config    string // value of MARKGEN
	CPU       string
	Main      string // import path of package main
	Version   string // version of its module
	Lost      uint64
	Big       bool     // true for big-endian
	Values    []string // values of collectors other than time: COLLECTOR<tab>VALUE
	Tables    []Table
	Pairs     [][2]uint64 // global indexes; requires layout.FlagPairs
	Labels    []string    // of Paths, numbered from 2
	Paths     []PathNode  // requires layout.FlagPaths
	Profile   string      // text of the CPU profile; "" for none
	Wild      *Wild       // random picks; nil if all functions are collected
	Trace     []Records   // requires layout.FlagTraced
}

// Table is a table registered by one unit, and the data recorded at its markers.
type Table struct {
	Text     string
	Stored   string           // text in the file, such as Text packed; "" for Text
	Times    map[int][]uint64 // by marker, ns; distributed over two shards
	Passes   map[int]uint64   // by marker, number of calls without a time
	Early    map[int][]uint64 // by marker, ns, before registration; [0] is the first call in the process
	Unnamed  []uint64         // ns, of a marker that is never registered
	Counters []uint64
	Off      []uint64     // bits of counters that are off; nil if none is
	Words    bool         // true if the markers have words for steering
	Demoted  []int        // markers that are demoted; requires Words
	Read     map[int]Read // by marker; written on two shards each
}

// Read is what collectors other than time read at a marker.
type Read struct {
	Scopes [][2]uint64 // by collector: scopes read, scopes dropped
	Values [][3]uint64 // sum, self, nested

	// Spread has, by number of the value, its increase in each of some scopes, with and without the
	// scopes inside.
	Spread map[int][2][]uint64
}

// Wild is the random pick of a process.
type Wild struct {
	Refused uint64 // layout.Wild…
	Of      uint64
	Picked  [][3]uint64 // global index of the marker, its limit, and number of earlier runs
}

// File returns the bytes of the run's data file.
func (r Run) File() []byte {
	w := &writer{run: r, order: binary.LittleEndian}
	if r.Big {
		w.order = binary.BigEndian
	}
	w.header()
	w.readings()
	w.wild()
	w.profile()
	next := uint64(0) // global marker index
	for number, t := range r.Tables {
		early := map[int]uint64{}
		for i := range lines(t.Text, "m\t") {
			if len(t.Early[i]) > 0 {
				early[i] = next
				w.cell(0, next, t.Early[i], 0)
				next++
			}
		}
		if len(t.Unnamed) > 0 {
			w.cell(0, next, t.Unnamed, 0)
			next++
		}
		first := next
		next += uint64(lines(t.Text, "m\t"))
		w.table(uint64(number), first, t)
		if t.Words {
			w.words(uint64(number), lines(t.Text, "m\t"), t.Demoted)
		}
		for i := range lines(t.Text, "m\t") {
			if from, ok := early[i]; ok {
				w.alias(from, first+uint64(i), t.Early[i][0])
			}
		}
		for i := range lines(t.Text, "m\t") {
			var shards [2][]uint64
			for k, ns := range t.Times[i] {
				shards[k%2] = append(shards[k%2], ns)
			}
			for s, times := range shards {
				passes := uint64(0)
				if s == 0 {
					passes = t.Passes[i]
				}
				if len(times) > 0 || passes > 0 {
					w.cell(uint32(s), first+uint64(i), times, passes)
				}
				if read, ok := t.Read[i]; ok {
					w.read(uint32(s), first+uint64(i), read)
				}
			}
		}
	}
	w.pairs()
	w.paths()
	for _, t := range r.Trace {
		w.records(t)
	}
	w.order.PutUint64(w.file[layout.OffUsed:], uint64(len(w.file)))
	return w.file
}

func lines(text, prefix string) int {
	n := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

type writer struct {
	run   Run
	order binary.ByteOrder
	file  []byte
}

const startTick, startMono = 1 << 40, 1 << 30

func (w *writer) header() {
	r := w.run
	w.file = make([]byte, layout.HeaderSize)
	text := func(offset, size int, s string) { copy(w.file[offset:offset+size-1], s) }
	word := func(offset int, v uint64) { w.order.PutUint64(w.file[offset:], v) }
	hz, true := w.rates()
	copy(w.file, layout.Magic)
	w.order.PutUint32(w.file[layout.OffVersion:], layout.Version)
	w.order.PutUint32(w.file[layout.OffHeaderSize:], layout.HeaderSize)
	word(layout.OffPID, r.PID)
	word(layout.OffStartWall, r.StartWall)
	word(layout.OffStartMono, startMono)
	word(layout.OffStartTick, startTick)
	word(layout.OffClock, max(r.Clock, layout.ClockTSC))
	word(layout.OffHz, hz)
	word(layout.OffQuantum, 950)
	word(layout.OffRead, 9_900)
	word(layout.OffScopeInside, 10_100)
	word(layout.OffScopeCost, 27_200)
	word(layout.OffCPUTime, r.Used)
	word(layout.OffCount, 4_100)
	word(layout.OffLost, r.Lost)
	word(layout.OffFlags, r.Flags)
	word(layout.OffProcs, 2)
	text(layout.OffApp, layout.SizeApp, r.App)
	text(layout.OffGo, layout.SizeGo, "go1.26.0")
	text(layout.OffGOOS, layout.SizeGOOS, "linux")
	text(layout.OffGOARCH, layout.SizeGOARCH, "amd64")
	text(layout.OffCPU, layout.SizeCPU, w.run.CPU)
	text(layout.OffMain, layout.SizeMain, w.run.Main)
	text(layout.OffBuild, layout.SizeBuild, w.run.Version)
	text(layout.OffConfig, layout.SizeConfig, r.Config)
	if r.Killed {
		word(layout.OffState, max(r.State, layout.StateProfiling))
		word(layout.OffSince, startTick+scale(r.Since, true))
		return
	}
	word(layout.OffState, layout.StateStopped)
	word(layout.OffEndWall, r.StartWall+r.Span)
	word(layout.OffEndMono, startMono+r.Span)
	word(layout.OffEndTick, startTick+scale(r.Span, true))
}

func (w *writer) rates() (hz, real uint64) {
	hz, real = w.run.Hz, w.run.TrueHz
	if hz == 0 {
		hz = 2e9
	}
	if real == 0 {
		real = hz
	}
	return hz, real
}

// scale converts ns to ticks.
func scale(ns, hz uint64) uint64 {
	hi, lo := bits.Mul64(ns, hz)
	q, _ := bits.Div64(hi, lo, 1e9)
	return q
}

// block appends a block of size bytes, rounded up, and returns it.
func (w *writer) block(kind, shard uint32, size int) []byte {
	size = (size + layout.BlockAlign - 1) / layout.BlockAlign * layout.BlockAlign
	w.file = append(w.file, make([]byte, size)...)
	b := w.file[len(w.file)-size:]
	w.order.PutUint32(b[layout.OffBlockType:], kind)
	w.order.PutUint32(b[layout.OffBlockShard:], shard)
	w.order.PutUint64(b[layout.OffBlockSize:], uint64(size))
	return b
}

func (w *writer) table(number, first uint64, t Table) {
	text := cmp.Or(t.Stored, t.Text)
	b := w.block(layout.BlockTable, 0, layout.OffTableText+len(text))
	counters := lines(t.Text, "c\t") + lines(t.Text, "b\t")
	w.order.PutUint64(b[layout.OffTableNumber:], number)
	w.order.PutUint64(b[layout.OffTableFirst:], first)
	w.order.PutUint64(b[layout.OffTableMarkers:], uint64(lines(t.Text, "m\t")))
	w.order.PutUint64(b[layout.OffTableCounters:], uint64(counters))
	w.order.PutUint64(b[layout.OffTableLen:], uint64(len(text)))
	copy(b[layout.OffTableText:], text)
	SumTable(b, w.order)
	if counters == 0 {
		return
	}
	b = w.block(layout.BlockCounters, 0, layout.OffCountersData+8*(counters+len(t.Off)))
	w.order.PutUint64(b[layout.OffCountersTable:], number)
	w.order.PutUint64(b[layout.OffCountersLen:], uint64(counters))
	for i, n := range t.Counters {
		w.order.PutUint64(b[layout.OffCountersData+8*i:], n)
	}
	for i, bits := range t.Off {
		w.order.PutUint64(b[layout.OffCountersOff:], uint64(layout.OffCountersData+8*counters))
		w.order.PutUint64(b[layout.OffCountersData+8*(counters+i):], bits)
	}
}

// SumTable updates the checksum of a table block after a change.
func SumTable(b []byte, order binary.ByteOrder) {
	text := b[layout.OffTableText:][:order.Uint64(b[layout.OffTableLen:])]
	order.PutUint64(b[layout.OffTableSum:], layout.Checksum(layout.SumHead(b[:layout.OffTableText], layout.OffTableSum), text))
}

// Seal appends the checksums of all blocks, as the runtime does on Linux when a run ends. On other
// systems it leaves them out.
func Seal(file []byte, order binary.ByteOrder) []byte {
	var sums []uint64
	for at := layout.HeaderSize; at < len(file); {
		kind, size := order.Uint32(file[at:]), order.Uint64(file[at+layout.OffBlockSize:])
		sums = append(sums, layout.SumBlock(kind, file[at:][:layout.Summed(kind, size)]))
		at += int(size)
	}
	w := &writer{order: order, file: slices.Clone(file)}
	b := w.block(layout.BlockSums, 0, layout.OffSumsData+8*len(sums))
	order.PutUint64(b[layout.OffSumsLen:], uint64(len(sums)))
	order.PutUint64(b[layout.OffSumsBytes:], uint64(len(file)-layout.HeaderSize))
	order.PutUint64(b[layout.OffSumsHeader:], layout.SumHeader(w.file))
	for i, sum := range sums {
		order.PutUint64(b[layout.OffSumsData+8*i:], sum)
	}
	order.PutUint64(b[layout.OffSumsOwn:], layout.SumHead(b, layout.OffSumsOwn))
	order.PutUint64(w.file[layout.OffUsed:], uint64(len(w.file)))
	order.PutUint64(w.file[layout.OffSums:], uint64(len(b)))
	return w.file
}

// wordsAt is the offset of the first word in its block.
const wordsAt = 128

func (w *writer) words(number uint64, markers int, demoted []int) {
	b := w.block(layout.BlockMarkers, 0, wordsAt+markers*layout.MarkerSize)
	w.order.PutUint64(b[layout.OffMarkersTable:], number)
	w.order.PutUint64(b[layout.OffMarkersLen:], uint64(markers))
	w.order.PutUint64(b[layout.OffMarkersData:], wordsAt)
	for _, i := range demoted {
		w.order.PutUint32(b[wordsAt+i*layout.MarkerSize+layout.MarkerOff:], layout.OffDemoted)
	}
}

func (w *writer) profile() {
	text := w.run.Profile
	if text == "" {
		return
	}
	b := w.block(layout.BlockProfile, 0, layout.OffProfileText+len(text))
	w.order.PutUint64(b[layout.OffProfileLen:], uint64(len(text)))
	copy(b[layout.OffProfileText:], text)
}

func (w *writer) wild() {
	wild := w.run.Wild
	if wild == nil {
		return
	}
	b := w.block(layout.BlockWild, 0, layout.OffWildData+len(wild.Picked)*layout.WildSize)
	w.order.PutUint64(b[layout.OffWildRefused:], wild.Refused)
	w.order.PutUint64(b[layout.OffWildPick:], uint64(len(wild.Picked)))
	w.order.PutUint64(b[layout.OffWildOf:], wild.Of)
	w.order.PutUint64(b[layout.OffWildLen:], uint64(len(wild.Picked)))
	w.order.PutUint64(b[layout.OffWildLoad:], layout.NoLoad)
	for i, p := range wild.Picked {
		entry := b[layout.OffWildData+i*layout.WildSize:]
		w.order.PutUint64(entry[layout.WildMarker:], p[0])
		w.order.PutUint64(entry[layout.WildLimit:], p[1])
		w.order.PutUint64(entry[layout.WildRuns:], p[2])
	}
}

func (w *writer) readings() {
	if len(w.run.Values) == 0 {
		return
	}
	collectors, last := uint64(0), ""
	for _, v := range w.run.Values {
		if name, _, _ := strings.Cut(v, "\t"); name != last {
			collectors, last = collectors+1, name
		}
	}
	text := strings.Join(w.run.Values, "\n") + "\n"
	b := w.block(layout.BlockReadings, 0, layout.OffReadingsText+len(text))
	w.order.PutUint64(b[layout.OffReadingsCollectors:], collectors)
	w.order.PutUint64(b[layout.OffReadingsValues:], uint64(len(w.run.Values)))
	w.order.PutUint64(b[layout.OffReadingsLen:], uint64(len(text)))
	copy(b[layout.OffReadingsText:], text)
}

func (w *writer) read(shard uint32, index uint64, r Read) {
	b := w.block(layout.BlockRead, shard, layout.OffReadData+len(r.Scopes)*layout.ReadSize+len(r.Values)*layout.ReadValueSize)
	w.order.PutUint64(b[layout.OffReadMarker:], index)
	w.order.PutUint64(b[layout.OffReadCollectors:], uint64(len(r.Scopes)))
	w.order.PutUint64(b[layout.OffReadValues:], uint64(len(r.Values)))
	at := layout.OffReadData
	put := func(words []uint64) {
		for _, word := range words {
			w.order.PutUint64(b[at:], word)
			at += 8
		}
	}
	for _, s := range r.Scopes {
		put(s[:])
	}
	for _, v := range r.Values {
		put(v[:])
	}
	for value := range r.Values {
		for self, amounts := range r.Spread[value] {
			w.spread(shard, index, uint64(value)+uint64(self)*layout.SpreadSelf, amounts)
		}
	}
}

func (w *writer) spread(shard uint32, index, value uint64, amounts []uint64) {
	var groups [layout.NumBuckets / layout.GroupBuckets]int // file offset of each group
	for _, d := range amounts {
		k := bits.Len64(d)
		g := &groups[k/layout.GroupBuckets]
		if *g == 0 {
			b := w.block(layout.BlockSpread, shard, layout.SpreadSize)
			w.order.PutUint64(b[layout.OffSpreadMarker:], index)
			w.order.PutUint64(b[layout.OffSpreadValue:], value)
			w.order.PutUint64(b[layout.OffSpreadFirst:], uint64(k/layout.GroupBuckets*layout.GroupBuckets))
			*g = len(w.file) - len(b)
		}
		bucket := w.file[*g+layout.OffSpreadData+k%layout.GroupBuckets*layout.BucketSize:]
		hi, lo := bits.Mul64(d, d)
		lo, carry := bits.Add64(w.order.Uint64(bucket[layout.BucketSqLo:]), lo, 0)
		w.order.PutUint64(bucket[layout.BucketCount:], w.order.Uint64(bucket[layout.BucketCount:])+1)
		w.order.PutUint64(bucket[layout.BucketSum:], w.order.Uint64(bucket[layout.BucketSum:])+d)
		w.order.PutUint64(bucket[layout.BucketSqLo:], lo)
		w.order.PutUint64(bucket[layout.BucketSqHi:], w.order.Uint64(bucket[layout.BucketSqHi:])+hi+carry)
	}
}

func (w *writer) pairs() {
	rows := map[uint64][]byte{}
	for _, p := range w.run.Pairs {
		a, b := max(p[0], p[1]), min(p[0], p[1])
		if rows[a] == nil {
			rows[a] = make([]byte, (a+64)/64*8)
		}
		at := rows[a][b/64*8:]
		w.order.PutUint64(at, w.order.Uint64(at)|1<<(b%64))
	}
	for _, index := range slices.Sorted(maps.Keys(rows)) {
		b := w.block(layout.BlockPairs, 0, layout.OffPairsData+len(rows[index]))
		w.order.PutUint64(b[layout.OffPairsMarker:], index)
		w.order.PutUint64(b[layout.OffPairsLen:], index+1)
		copy(b[layout.OffPairsData:], rows[index])
	}
}

func (w *writer) alias(from, to, first uint64) {
	b := w.block(layout.BlockAlias, 0, layout.BlockAlign)
	w.order.PutUint64(b[layout.OffAliasFrom:], from)
	w.order.PutUint64(b[layout.OffAliasTo:], to)
	w.order.PutUint64(b[layout.OffAliasFirst:], first+1)
}

func (w *writer) cell(shard uint32, index uint64, times []uint64, passes uint64) {
	b := w.block(layout.BlockCell, shard, layout.CellSize)
	at := len(w.file) - len(b) // the file moves when it grows
	hz, _ := w.rates()
	least, most, self, ticks := ^uint64(0), uint64(0), uint64(0), uint64(0)
	var groups [layout.NumBuckets / layout.GroupBuckets]int
	for _, ns := range times {
		k := bits.Len64(ns|1) - 1
		g := &groups[k/layout.GroupBuckets]
		if *g == 0 {
			b := w.block(layout.BlockBuckets, shard, layout.BucketsSize)
			w.order.PutUint64(b[layout.OffBucketsMarker:], index)
			w.order.PutUint64(b[layout.OffBucketsFirst:], uint64(k/layout.GroupBuckets*layout.GroupBuckets))
			*g = len(w.file) - len(b)
		}
		b := w.file[*g+layout.OffBucketsData+k%layout.GroupBuckets*layout.BucketSize:]
		add := func(offset int, n uint64) {
			w.order.PutUint64(b[offset:], w.order.Uint64(b[offset:])+n)
		}
		add(layout.BucketCount, 1)
		add(layout.BucketSum, ns)
		hi, lo := bits.Mul64(ns, ns)
		sum, carry := bits.Add64(w.order.Uint64(b[layout.BucketSqLo:]), lo, 0)
		w.order.PutUint64(b[layout.BucketSqLo:], sum)
		add(layout.BucketSqHi, hi+carry)
		self += ns - ns/4 // a quarter of every scope is spent in scopes inside
		ticks += scale(ns, hz)
		least, most = min(least, ns), max(most, ns)
	}
	b = w.file[at:]
	w.order.PutUint64(b[layout.CellMarker:], index)
	w.order.PutUint64(b[layout.CellPasses:], passes)
	w.order.PutUint64(b[layout.CellSelf:], self)
	w.order.PutUint64(b[layout.CellTicks:], ticks)
	w.order.PutUint64(b[layout.CellMin:], least)
	w.order.PutUint64(b[layout.CellMax:], most)
	if len(times) > 0 {
		w.order.PutUint64(b[layout.CellLast:], startTick+scale(w.run.Span, hz))
	}
}
