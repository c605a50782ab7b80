package main

import (
	"context"
	"fmt"
)

// collectors are the values of MARKGEN's key collect that are measured, and their names in the table of
// figures.
var collectors = []struct{ collect, about string }{
	{"time", "time alone"},
	{"empty", "a collector of the program's own that reads nothing"},
	{"io", "io"},
	{"hw", "hw, as much as the machine has"},
	{"empty+io+hw", "all three"},
}

// collect measures the time of a marked function with each of the collectors against that of two clock
// reads.
func (b *bench) collect(ctx context.Context) error {
	marked, err := b.compileProgram(ctx, "scope", "marked", b.markedTest())
	if err != nil {
		return err
	}
	var sides []testBinary
	for _, c := range collectors {
		sides = append(sides, marked.as(c.collect, 1, inMemory+",collect="+c.collect))
	}
	best, err := b.inWindows(ctx, "collect", "", sides, "^Benchmark(FunctionReads|Functions|FunctionsNested)$")
	if err != nil {
		return err
	}
	for i, c := range collectors {
		reads := best[i]["FunctionReads"]
		b.record(c.about, bar{}, best[i]["Functions"]/reads,
			fmt.Sprintf("%.4g ns, nested %.4g, two reads %.1f", best[i]["Functions"], best[i]["FunctionsNested"], reads))
	}
	return nil
}
