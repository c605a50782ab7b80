package main

import (
	"context"
	"fmt"
)

// deep measures the cost of a deep build: a scope against one of an ordinary build, code that only
// allocates against a plain build, and scopes with the collectors that need a deep build.
func (b *bench) deep(ctx context.Context) error {
	ordinary, err := b.compileProgram(ctx, "scope", "ordinary", b.markedTest())
	if err != nil {
		return err
	}
	deep, err := b.compileProgram(ctx, "scope", "deep", b.markedTest("-deep"))
	if err != nil {
		return err
	}
	sides := []testBinary{
		ordinary.as("ordinary", 1, inMemory),
		deep.as("deep", 1, inMemory),
		ordinary.as("process", 1, inMemory+",collect=alloc"),
		deep.as("alloc", 1, inMemory+",collect=alloc"),
		deep.as("wait", 1, inMemory+",collect=wait"),
	}
	best, err := b.inWindows(ctx, "deep", "scope.", sides, ".")
	if err != nil {
		return err
	}
	var all []timing
	for _, s := range selfScopes {
		t := timing{"scope", s.about, []float64{best[0][s.name], best[1][s.name]}}
		all = append(all, t)
		b.record(s.about, bar{}, t.ratio(1, 0), fmt.Sprintf("%.1f ns, ordinary %.1f", t.ns[1], t.ns[0]))
	}
	b.record("all of these", atMost(1.1), geoMean(all, 1, 0), "geometric mean")
	for i, about := range []string{"alloc, of the process", "alloc", "wait"} {
		side := best[i+2]
		b.record("a function, collect="+about, bar{}, side["Functions"]/side["FunctionReads"],
			fmt.Sprintf("%.1f ns, nested %.1f, two reads %.1f", side["Functions"], side["FunctionsNested"], side["FunctionReads"]))
	}
	return b.deepAllocation(ctx)
}

// deepAllocation measures allocation, which a deep build counts even if nothing is collected.
func (b *bench) deepAllocation(ctx context.Context) error {
	plain, err := b.compileProgram(ctx, "alloc", "plain", plainTest())
	if err != nil {
		return err
	}
	deep, err := b.compileProgram(ctx, "alloc", "deep", b.markedTest("-deep"))
	if err != nil {
		return err
	}
	best, err := b.inWindows(ctx, "deep", "alloc.", []testBinary{plain, deep}, ".")
	if err != nil {
		return err
	}
	var all []timing
	for name, ns := range best[0] {
		all = append(all, timing{"alloc", name, []float64{ns, best[1][name]}})
	}
	for _, t := range bySlowdown(all, 1, 0) {
		b.record("allocation, "+t.name, bar{}, t.ratio(1, 0), fmt.Sprintf("%s ns, plain %s", short(t.ns[1]), short(t.ns[0])))
	}
	b.record("allocation, all of these", atMost(1.05), geoMean(all, 1, 0), fmt.Sprintf("geometric mean of %d benchmarks", len(all)))
	return nil
}
