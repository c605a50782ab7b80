package main

import (
	"context"
	"fmt"
)

// scopeBars limit the cost of a scope relative to two clock reads, without and with self time.
var scopeBars = [2]bar{atMost(1.35).orBetter(1.2), atMost(1.6).orBetter(1.4)}

// noSelfScopes and selfScopes are the benchmarks of programs/scope that execute scopes, each with
// the benchmark that makes two clock reads instead.
var (
	noSelfScopes = []scopeBenchmark{
		{"a region", "Regions", "Reads"},
		{"a function", "Functions", "FunctionReads"},
	}
	selfScopes = []scopeBenchmark{
		{"a region, outermost", "Regions", "Reads"},
		{"a region, nested", "RegionsNested", "Reads"},
		{"a function, outermost", "Functions", "FunctionReads"},
		{"a function, nested", "FunctionsNested", "FunctionReads"},
	}
)

type scopeBenchmark struct{ about, name, reads string }

// scope measures a timed scope against the two clock reads it cannot do without: in marked code,
// and with direct calls of the runtime.
func (b *bench) scope(ctx context.Context) error {
	marked, err := b.compileProgram(ctx, "scope", "marked", b.markedTest())
	if err != nil {
		return err
	}
	sides := []testBinary{marked.as("noself", 1, inMemoryNoSelf), marked.as("self", 1, inMemory)}
	best, err := b.inWindows(ctx, "scope", "", sides, ".")
	if err != nil {
		return err
	}
	for side, scopes := range [][]scopeBenchmark{noSelfScopes, selfScopes} {
		for _, s := range scopes {
			b.recordScope(sides[side].side+", "+s.about, scopeBars[side], best[side][s.name], best[side][s.reads])
		}
	}
	return b.scopeCalls(ctx)
}

// recordScope reports the cost of a scope relative to two clock reads, both in ns.
func (b *bench) recordScope(about string, bar bar, scope, reads float64) {
	b.record(about, bar, scope/reads, fmt.Sprintf("%.1f ns, two reads %.1f", scope, reads))
}

// scopeCalls measures the runtime calls of a scope alone, with the runtime's own benchmarks.
func (b *bench) scopeCalls(ctx context.Context) error {
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	calls, err := b.compile(ctx, dir, "github.com/markgen/markgen/runtime/perf", "calls", plainTest("-tags=markgen_virtual"))
	if err != nil {
		return err
	}
	best, err := b.inWindows(ctx, "scope", "", []testBinary{calls}, "^BenchmarkScope$")
	if err != nil {
		return err
	}
	reads := best[0]["Scope/reads"]
	for _, s := range []struct {
		about, name string
		bar         bar
	}{
		{"noself", "Scope/noself", scopeBars[0]},
		{"self, outermost", "Scope/self/outermost", scopeBars[1]},
		{"self, nested", "Scope/self/nested", scopeBars[1]},
		{"noself, of two buckets in no order", "Scope/mixed/noself", bar{}},
		{"self, of two buckets in no order", "Scope/mixed/self", bar{}},
	} {
		ns, ok := best[0][s.name]
		if !ok {
			return fmt.Errorf("the runtime has no benchmark %s", s.name)
		}
		b.recordScope("calls alone, "+s.about, s.bar, ns, reads)
	}
	return nil
}

// parallel measures the throughput of scopes on all processors at once, with a goroutine on each,
// relative to that of one processor times their number. The same is measured for bare clock reads
// and for additions, to show what the machine allows: virtual processors may share a core.
func (b *bench) parallel(ctx context.Context) error {
	if cores() == 1 {
		fmt.Println("parallel: there is one processor")
		return nil
	}
	marked, err := b.compileProgram(ctx, "scope", "marked", b.markedTest())
	if err != nil {
		return err
	}
	all := fmt.Sprintf("-%d", cores())
	sides := []testBinary{
		marked.as("noself-1", 1, inMemoryNoSelf), marked.as("noself"+all, cores(), inMemoryNoSelf),
		marked.as("self-1", 1, inMemory), marked.as("self"+all, cores(), inMemory),
	}
	best, err := b.inWindows(ctx, "parallel", "", sides, ".")
	if err != nil {
		return err
	}
	// Each goroutine makes all iterations, so with perfect scaling the times are equal.
	throughput := func(one, many int, name string) float64 { return best[one][name] / best[many][name] }
	control := throughput(0, 1, "Reads")
	b.record(fmt.Sprintf("clock reads alone on %d processors", cores()), bar{}, control, "the machine's own")
	b.record(fmt.Sprintf("additions alone on %d processors", cores()), bar{}, throughput(0, 1, "Adds"), "the machine's own")
	for kind, scopes := range [][]scopeBenchmark{noSelfScopes, selfScopes} {
		one, many := 2*kind, 2*kind+1
		for _, s := range scopes {
			v := throughput(one, many, s.name)
			b.record(fmt.Sprintf("%s, %s", []string{"noself", "self"}[kind], s.about), atLeast(0.95), v,
				fmt.Sprintf("%.1f ns, one processor %.1f; against clock reads %.3g", best[many][s.name], best[one][s.name], v/control))
		}
	}
	return nil
}

// mapped measures scopes with their data in a mapped file against scopes with their data in memory.
func (b *bench) mapped(ctx context.Context) error {
	marked, err := b.compileProgram(ctx, "scope", "marked", b.markedTest())
	if err != nil {
		return err
	}
	sides := []testBinary{marked.as("memory", 1, inMemory), marked.as("file", 1, b.inFile("mapped"))}
	best, err := b.inWindows(ctx, "mapped", "", sides, "Region|Functions")
	if err != nil {
		return err
	}
	passed, err := b.reported(ctx, b.dataFile("mapped"), "Regions:outermost")
	if err != nil {
		return err
	}
	if passed.Count == 0 {
		return fmt.Errorf("%s passed no scope: nothing was measured", marked.path)
	}
	var all []timing
	for _, s := range selfScopes {
		t := timing{"scope", s.about, []float64{best[0][s.name], best[1][s.name]}}
		all = append(all, t)
		b.record(s.about, bar{}, t.ratio(1, 0), fmt.Sprintf("%.1f ns, in memory %.1f", t.ns[1], t.ns[0]))
	}
	b.record("all of these", atMost(1.03), geoMean(all, 1, 0), "geometric mean")
	return nil
}
