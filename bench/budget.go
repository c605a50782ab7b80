package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	pprof "github.com/google/pprof/profile"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
)

// budgetPrograms are the sharedPrograms that budget runs unless -programs chooses others.
var budgetPrograms = []string{"minify", "shfmt", "esbuild"}

// budget runs programs and servers under load with every function, loop and branch marked and
// MARKGEN=budget=1%, against the plain ones, those with markers off and those without a budget.
// Processor times are compared, since other load on the machine changes them less than the times on a
// clock.
func (b *bench) budget(ctx context.Context) error {
	all := b.programs.String() == ""
	for _, p := range sharedPrograms {
		if !b.programs.MatchString(p.name) || all && !slices.Contains(budgetPrograms, p.name) {
			continue
		}
		p.deep = false
		command := func(ctx context.Context, dir string, environ []string, words ...string) (process, error) {
			return runProcess(ctx, dir, environ, slices.Concat(b.exec, words)...)
		}
		if err := b.programBudget(ctx, p, command); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	for _, s := range budgetServers {
		if !b.programs.MatchString(s.name) {
			continue
		}
		if err := b.programBudget(ctx, s.sharedProgram, s.run); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// runner is the type of runProcess.
type runner func(ctx context.Context, dir string, environ []string, words ...string) (process, error)

// programBudget measures a program, which run runs.
func (b *bench) programBudget(ctx context.Context, p sharedProgram, run runner) error {
	built, err := b.buildShared(ctx, p)
	if err != nil {
		return err
	}
	budgetData, allData, profiled := b.dataFile(p.name), b.dataFile(p.name+"-all"), filepath.Join(b.work, p.name+".pprof")
	sides := []struct {
		environ string
		words   []string
	}{
		{"", []string{built.plain}},
		{"", []string{built.marked}},
		{"MARKGEN=budget=1%,file=" + budgetData, []string{built.marked}},
		{"", []string{b.markgen, "exec", "-report", "none", "-o", allData, built.marked}},
		{profileVariable + "=" + profiled, []string{built.plain}},
	}
	cpu := make([][]float64, len(sides)) // s
	var held, said []float64
	off := 0
	for round := range b.roundsOr(7) {
		for i := range sides {
			side := (i + round) % len(sides)
			ran, err := run(ctx, built.dir, []string{sides[side].environ}, slices.Concat(sides[side].words, built.args)...)
			if err != nil {
				return err
			}
			cpu[side] = append(cpu[side], ran.cpu)
		}
		kept, err := runfile.Read(budgetData)
		if err != nil {
			return err
		}
		all, err := runfile.Read(allData)
		if err != nil {
			return err
		}
		samples, err := readProfile(profiled)
		if err != nil {
			return err
		}
		if all.Cost == nil {
			return fmt.Errorf("the data have no processor time")
		}
		part, n := heldBy(kept, samples, built.main)
		held, off = append(held, part), max(off, n)
		said = append(said, float64(all.Cost.MarkersNS)/1e9)
		cpu[3][round] = float64(all.Cost.CPUNS) / 1e9 // without markgen exec
	}
	fmt.Printf("%s: processor time, s: plain %s, off %s, budget %s, all %s\n", p.name,
		list(cpu[0], "%.2f"), list(cpu[1], "%.2f"), list(cpu[2], "%.2f"), list(cpu[3], "%.2f"))
	plain := median(cpu[0])
	b.record(p.name+", 1 %", atMost(1.04), median(cpu[2])/plain, fmt.Sprintf("plain %.2f s of processor time", plain))
	b.record(p.name+", off", bar{}, median(cpu[1])/plain, "what markers cost that record nothing")
	b.record(p.name+", held", atLeast(95).in("%"), 100*median(held), fmt.Sprintf("time in functions that were never off; %d markers were off for a part", off))
	added, cost := median(cpu[3])-plain, median(said)
	b.record(p.name+", -cost", atMost(1.5), max(cost/added, added/cost), fmt.Sprintf("without a budget: %.2f s said, %.2f s measured", cost, added))
	return nil
}

// heldBy returns the part of the program's own time, by CPU profile of the plain program, that is in
// totals of functions that the budget never had off: of the time that all marked functions hold. Totals
// of those that it only counted are estimates. It also returns how many markers were off for a part of
// the run.
func heldBy(run *profile.Profile, samples *pprof.Profile, main string) (part float64, off int) {
	marked, remain := map[string]bool{}, map[string]bool{}
	for i := range run.Markers {
		m := &run.Markers[i]
		if m.Levels.OffNS > 0 {
			off++
		}
		if m.Kind == "func" {
			marked[m.Name] = true
			remain[m.Name] = m.Levels.OffNS == 0 && !m.CountOnly
		}
	}
	return profiledShares(samples, remain, main).samples / profiledShares(samples, marked, main).samples, off
}

// budgetBuild builds the benchmarks of standard packages for a budget of 1 %, from data of the same
// benchmarks, each of which is a work of its own, and measures them off and collecting. All
// benchmarks of a package run in one process after the other, since starting a process for each, as
// timings does, takes longer than what is measured.
func (b *bench) budgetBuild(ctx context.Context) error {
	var all []timing
	for _, pkg := range standardPackages {
		if !b.programs.MatchString(pkg) {
			continue
		}
		some, err := b.packageBudget(ctx, pkg)
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		b.record(pkg+", collecting", bar{}, geoMean(some, 2, 0), fmt.Sprintf("geometric mean of %d benchmarks, off %.3f", len(some), geoMean(some, 1, 0)))
		all = append(all, some...)
	}
	worst := bySlowdown(all, 2, 0)[0]
	b.record("all of these packages, collecting", atMost(1.03), geoMean(all, 2, 0), fmt.Sprintf("geometric mean of %d benchmarks", len(all)))
	b.record("the slowest of these", atMost(1.1), worst.ratio(2, 0), worst.pkg+" "+worst.name)
	b.record("all of these packages, off", atMost(1.01), geoMean(all, 1, 0), "")
	printSlowest("the ten that are slowed down most", all, 2, 0)
	return nil
}

// packageBudget measures a package: plain, built for the budget and off, and that collecting. Each is
// built in several layouts, of which the quickest counts: in some, benchmarks of 30 ns take half as
// long again with the same code. Of some hundred benchmarks, a few seem slow in so few rounds by chance
// alone, whatever they execute: those that take more than budgetSuspect times as long as plain are
// measured in more rounds.
func (b *bench) packageBudget(ctx context.Context, pkg string) (all []timing, err error) {
	dir, err := standardDir(ctx, pkg)
	if err != nil {
		return nil, err
	}
	marked, err := b.compile(ctx, dir, pkg, "marked", b.markedTest("-all", "-markpkg", pkg))
	if err != nil {
		return nil, err
	}
	from, skip, err := b.recordBenchmarks(ctx, marked)
	if err != nil {
		return nil, err
	}
	words := []string{"-all", "-markpkg", pkg, "-budget", "1%"}
	for _, data := range from {
		words = append(words, "-from", data)
	}
	best := []map[string]float64{{}, {}, {}} // by side
	measure := func(sides []testBinary, pattern string, rounds int) error {
		some, err := b.quickest(ctx, "budgetbuild", pkg+".", sides, pattern, "2ms", rounds, skip)
		for side := range some {
			for name, ns := range some[side] {
				if was, ok := best[side][name]; !ok || ns < was {
					best[side][name] = ns
				}
			}
		}
		return err
	}
	var built [][]testBinary // by layout
	for _, layout := range layouts {
		flag := fmt.Sprintf("-ldflags=-randlayout=%d", layout)
		plain, err := b.compile(ctx, dir, pkg, fmt.Sprintf("plain-%d", layout), plainTest(flag))
		if err != nil {
			return nil, err
		}
		cheap, err := b.compile(ctx, dir, pkg, fmt.Sprintf("budget-%d", layout), b.markedTest(append(words, flag)...))
		if err != nil {
			return nil, err
		}
		sides := []testBinary{plain, cheap, cheap.as("collecting", 1, inMemory)}
		built = append(built, sides)
		if err := measure(sides, ".", 4); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(best[0])) {
		if max(best[1][name], best[2][name]) <= budgetSuspect*best[0][name] {
			continue
		}
		for _, sides := range built {
			if err := measure(sides, benchmarkRun{name: name}.pattern(), 15); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(best[0])) {
		t := timing{pkg: pkg, name: name}
		for side := range best {
			t.ns = append(t.ns, best[side][name])
		}
		if !slices.Contains(t.ns, 0) {
			all = append(all, t)
		}
	}
	return all, nil
}

// recordBenchmarks runs each benchmark of a marked test binary for a while, collecting as markgen test
// does: with all scopes timed, the program itself may be a hundredth of what runs, and its time is not
// known well enough for a budget. It returns the data files, and the flag that skips the benchmarks that
// are not measured.
func (b *bench) recordBenchmarks(ctx context.Context, marked testBinary) (files []string, skip string, err error) {
	skip = "-test.skip=" + skipped
	chosen, err := marked.run(ctx, ".", "1x", skip)
	if err != nil {
		return nil, "", err
	}
	dir, err := os.MkdirTemp(b.work, "data")
	if err != nil {
		return nil, "", err
	}
	for i, c := range chosen {
		if c.ns > budgetSlowest {
			skip += "|" + c.pattern()
			continue
		}
		data := filepath.Join(dir, fmt.Sprintf("%03d.markgen", i))
		recording := marked.as("recording", 1, "MARKGEN=demote,report=none,file="+data)
		if _, err := recording.run(ctx, c.pattern(), recordTime); err != nil {
			return nil, "", err
		}
		run, err := runfile.Read(data)
		if err != nil {
			return nil, "", err
		}
		if run.Cost != nil {
			files = append(files, data)
		}
	}
	if len(files) == 0 {
		return nil, "", fmt.Errorf("no data of %s", marked.path)
	}
	return files, skip, nil
}

const (
	// recordTime is for how long each benchmark is recorded: long against the start of its process,
	// whose processor time would otherwise count as the benchmark's.
	recordTime = "300ms"

	// budgetSuspect is the ratio from which a benchmark is measured longer: less than its bar.
	budgetSuspect = 1.08

	// budgetSlowest is the maximum time in ns of an iteration, with every scope timed, of a benchmark
	// that is measured.
	budgetSlowest = 5e6
)
