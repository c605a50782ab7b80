package main

import (
	"context"
	"fmt"
)

// peerFunctions are the benchmarks of programs/peers, except those of markgen.
var peerFunctions = []struct{ name, about string }{
	{"Deferred", "time.Since, deferred, and an atomic add"},
	{"Region", "runtime/trace region, tracing on"},
	{"Span", "OpenTelemetry span, sampled"},
	{"Classic", "Prometheus timer, classic histogram"},
	{"Native", "Prometheus timer, native histogram"},
	{"Counted", "hrtime.TSC, deferred, and an atomic add"},
	{"Lap", "hrtime.StopwatchTSC lap"},
}

// peers measures a trivial marked function against the same function timed in other ways, all in
// one process, on one processor and on all.
func (b *bench) peers(ctx context.Context) error {
	marked, err := b.compileProgram(ctx, "peers", "marked", b.markedTest())
	if err != nil {
		return err
	}
	environ := b.inFile("peers")
	for _, procs := range uniqueProcs() {
		side := marked.as(fmt.Sprintf("procs-%d", procs), procs, environ)
		best, err := b.inWindows(ctx, "peers", "", []testBinary{side}, ".")
		if err != nil {
			return err
		}
		ours := best[0]["Marked"]
		for _, p := range peerFunctions {
			ns := best[0][p.name]
			b.record(fmt.Sprintf("%s, %s", processors(procs), p.about), atMost(0.5), ours/ns,
				fmt.Sprintf("marked %.1f ns, peer %.1f, untimed %.1f", ours, ns, best[0]["Unmarked"]))
		}
	}
	return nil
}

// uniqueProcs returns one processor and, if there are more, all of them.
func uniqueProcs() []int {
	if cores() == 1 {
		return []int{1}
	}
	return []int{1, cores()}
}

// processors formats a number of processors.
func processors(n int) string {
	if n == 1 {
		return "one processor"
	}
	return fmt.Sprintf("%d processors", n)
}
