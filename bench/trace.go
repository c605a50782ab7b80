package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/runtime/layout"
)

// traceBar limits the cost of a scope's two records relative to two clock reads.
var traceBar = atMost(1.6)

// trace measures the records of a scope against the two clock reads it cannot do without: in marked
// code, with the rings in a mapped file, and with direct calls of the runtime.
func (b *bench) trace(ctx context.Context) error {
	marked, err := b.compileProgram(ctx, "scope", "marked", b.markedTest())
	if err != nil {
		return err
	}
	sides := []testBinary{marked.as("trace", 1, "MARKGEN=collect=trace,file="+b.dataFile("trace")),
		marked.as("timetrace", 1, "MARKGEN=collect=time+trace,file="+b.dataFile("timetrace"))}
	best, err := b.inWindows(ctx, "trace", "", sides, ".")
	if err != nil {
		return err
	}
	for _, s := range selfScopes {
		for side, bar := range []bar{traceBar, {}} {
			ns, reads := best[side][s.name], best[side][s.reads]
			b.record([]string{"", "timed, "}[side]+s.about, bar, ns/reads, fmt.Sprintf("%.1f ns, two reads %.1f", ns, reads))
		}
	}
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	calls, err := b.compile(ctx, dir, "github.com/markgen/markgen/runtime/perf", "calls", plainTest("-tags=markgen_virtual"))
	if err != nil {
		return err
	}
	best, err = b.inWindows(ctx, "trace", "", []testBinary{calls}, "^BenchmarkTrace$")
	if err != nil {
		return err
	}
	// Begin and End are called by compiled-in code with the runtime compiled with it: those are the
	// regions above.
	ns, ok := best[0]["Trace/scope"]
	if !ok {
		return fmt.Errorf("the runtime has no benchmark Trace/scope")
	}
	reads := best[0]["Trace/reads"]
	b.record("calls alone, a Scope", traceBar, ns/reads, fmt.Sprintf("%.1f ns, two reads %.1f", ns, reads))
	return nil
}

// betweenRecords is the number of records that markgen between reads.
const betweenRecords = 100_000_000

// between measures how fast markgen between reads a trace on one processor, and its memory for a
// long trace relative to a short one.
func (b *bench) between(ctx context.Context) error {
	peaks := map[int]float64{}
	var seconds []float64
	for _, n := range []int{betweenRecords / 100, betweenRecords} {
		file := filepath.Join(b.work, "between.markgen")
		if err := writeTrace(file, n); err != nil {
			return err
		}
		rounds := 1
		if n == betweenRecords {
			rounds = b.roundsOr(3)
		}
		for range rounds {
			p, err := runProcess(ctx, b.work, []string{"GOMAXPROCS=1"}, b.markgen, "between", "-json", "outer", "outer", file)
			if err != nil {
				return err
			}
			peaks[n] = max(peaks[n], p.peak)
			if n < betweenRecords {
				continue
			}
			seconds = append(seconds, p.wall)
			err = b.results.add("between/between.txt", "Between", 1, append(p.values(), benchfmt.Value{Value: float64(n) / p.wall, Unit: "records/s"})...)
			if err != nil {
				return err
			}
		}
		text, err := output(ctx, b.work, nil, b.markgen, "between", "-json", "outer", "outer", file)
		if err != nil {
			return err
		}
		var got struct{ Count, Unpaired int }
		if err := json.Unmarshal(text, &got); err != nil {
			return err
		}
		if got.Count != n/traceStep || got.Unpaired != 0 {
			return fmt.Errorf("markgen between found %d pairs and %d unpaired scopes in %d records", got.Count, got.Unpaired, n)
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	rate := betweenRecords / 1e6 / median(seconds)
	b.record("million records a second, one processor", atLeast(10).in("M/s"), rate, "wall seconds: "+list(seconds, "%.2f"))
	b.record("peak memory", bar{unit: "MiB"}, peaks[betweenRecords]/(1<<20), fmt.Sprintf("a hundredth of the records: %.1f", peaks[betweenRecords/100]/(1<<20)))
	return nil
}

// The trace that is written has a scope within a scope, with a point in between, on alternating
// goroutines, recorded by several processors.
const (
	traceStep       = 5    // records of one call of the outer function
	traceGoroutines = 1000 // used in rotation
	traceShards     = 4
	traceBlock      = 8000 // records in a block; a multiple of traceStep
	traceHz         = 2_500_000_000
	traceCost       = 40 // cost of a record in clock ticks
	traceText       = "p\tb\nf\tb.go\nm\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tb.outer\n" +
		"m\t0000000000000002\tpoint\t0\t2\t1\t0\t-\t-\t1\tb.outer:point\nm\t0000000000000003\tfunc\t0\t3\t1\t2\t-\t-\t1\tb.inner\n"
)

// writeTrace writes a data file with n records, in the layout that draining produces.
func writeTrace(name string, n int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	order := binary.NativeEndian
	w := bufio.NewWriterSize(f, 1<<20)

	table := make([]byte, (layout.OffTableText+len(traceText)+layout.BlockAlign-1)/layout.BlockAlign*layout.BlockAlign)
	order.PutUint32(table[layout.OffBlockType:], layout.BlockTable)
	order.PutUint64(table[layout.OffBlockSize:], uint64(len(table)))
	order.PutUint64(table[layout.OffTableMarkers:], 3)
	order.PutUint64(table[layout.OffTableLen:], uint64(len(traceText)))
	copy(table[layout.OffTableText:], traceText)
	order.PutUint64(table[layout.OffTableSum:], layout.Checksum(layout.SumHead(table[:layout.OffTableText], layout.OffTableSum), []byte(traceText)))

	blocks := (n + traceBlock - 1) / traceBlock
	header := make([]byte, layout.HeaderSize)
	copy(header, layout.Magic)
	order.PutUint32(header[layout.OffVersion:], layout.Version)
	order.PutUint32(header[layout.OffHeaderSize:], layout.HeaderSize)
	for offset, v := range map[int]uint64{
		layout.OffState:     layout.StateStopped,
		layout.OffUsed:      uint64(len(header) + len(table) + blocks*layout.TraceData + (n*layout.RecordSize+layout.BlockAlign-1)/layout.BlockAlign*layout.BlockAlign),
		layout.OffHz:        traceHz,
		layout.OffFlags:     layout.FlagTraced | layout.FlagUntimed,
		layout.OffClock:     layout.ClockTSC,
		layout.OffScopeCost: traceCost * 2 * 1e12 / traceHz,
	} {
		order.PutUint64(header[offset:], v)
	}
	w.Write(header)
	w.Write(table)

	steps := [traceStep]struct{ kind, marker, level uint32 }{{layout.RecordEnter, 0, 1}, {layout.RecordPoint, 1, 0},
		{layout.RecordEnter, 2, 2}, {layout.RecordExit, 2, 2}, {layout.RecordExit, 0, 1}}
	block := make([]byte, layout.TraceData+traceBlock*layout.RecordSize)
	var numbers [traceShards]uint64
	for at := 0; at < n; at += traceBlock {
		// Blocks of the processors alternate and cover the same time.
		k := at / traceBlock
		shard := k % traceShards
		count := min(traceBlock, n-at)
		size := layout.TraceData + (count*layout.RecordSize+layout.BlockAlign-1)/layout.BlockAlign*layout.BlockAlign
		clear(block[:layout.TraceData])
		order.PutUint32(block[layout.OffBlockType:], layout.BlockTrace)
		order.PutUint32(block[layout.OffBlockShard:], uint32(shard))
		order.PutUint64(block[layout.OffBlockSize:], uint64(size))
		order.PutUint64(block[layout.TraceFirst:], numbers[shard])
		order.PutUint64(block[layout.TraceLen:], uint64(count))
		order.PutUint64(block[layout.TraceSum:], layout.Checksum(layout.ChecksumStart, block[:layout.TraceSum]))
		for i := range count {
			s := steps[i%traceStep]
			r := block[layout.TraceData+i*layout.RecordSize:]
			scope := uint64(at+i) / traceStep
			tick := uint64(k/traceShards*traceBlock+i)*100*traceShards + uint64(shard)*50 + scope*2654435761%64
			order.PutUint64(r[layout.RecordTick:], tick)
			order.PutUint64(r[layout.RecordGoroutine:], scope%traceGoroutines*traceShards+uint64(shard))
			order.PutUint32(r[layout.RecordMarker:], s.kind<<layout.RecordKindShift|(s.marker+layout.StackFirst))
			order.PutUint32(r[layout.RecordLevel:], s.level)
			order.PutUint64(r[layout.RecordCost:], traceCost<<8|numbers[shard]<<layout.RecordCostBits)
			numbers[shard]++
		}
		w.Write(block[:size])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
