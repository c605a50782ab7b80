package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
)

// budgetPrograms are the sharedPrograms that budget runs unless -programs chooses others.
var budgetPrograms = []string{"minify", "shfmt", "esbuild"}

// budget runs programs with every function, loop and branch marked and MARKGEN=budget=1%, against the
// plain programs and those with markers off. Processor times are compared, since other load on the
// machine changes them less than the times on a clock.
func (b *bench) budget(ctx context.Context) error {
	for _, p := range sharedPrograms {
		if !b.programs.MatchString(p.name) || b.programs.String() == "" && !slices.Contains(budgetPrograms, p.name) {
			continue
		}
		p.deep = false
		if err := b.programBudget(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (b *bench) programBudget(ctx context.Context, p sharedProgram) error {
	built, err := b.buildShared(ctx, p)
	if err != nil {
		return err
	}
	data := b.dataFile(p.name)
	sides := []struct {
		program string
		environ []string
	}{{built.plain, nil}, {built.marked, nil}, {built.marked, []string{"MARKGEN=budget=1%,file=" + data}}}
	var took [3][]float64
	var held []float64
	off := 0
	for round := range b.roundsOr(7) {
		for i := range sides {
			side := (i + round) % len(sides)
			ran, err := runProcess(ctx, built.dir, sides[side].environ, slices.Concat(b.exec, []string{sides[side].program}, built.args)...)
			if err != nil {
				return err
			}
			took[side] = append(took[side], ran.cpu)
		}
		run, err := runfile.Read(data)
		if err != nil {
			return err
		}
		part, n := heldBy(run)
		held, off = append(held, part), max(off, n)
	}
	plain := fewest(took[0])
	b.record(p.name+", collecting with 1 %", atMost(1.04), fewest(took[2])/plain, fmt.Sprintf("plain %.2f s of processor time", plain))
	b.record(p.name+", off", bar{}, fewest(took[1])/plain, "what markers cost that record nothing")
	b.record(p.name+", time held by the markers that remain", atLeast(95).in("%"), 100*fewest(held), fmt.Sprintf("%d were off for a part", off))
	return nil
}

// heldBy returns the part of a run's time that is within a timed marker that the budget never had off,
// and how many it had off. Times of demoted markers, which are estimates, do not count.
func heldBy(run *profile.Profile) (part float64, off int) {
	remain := 0.0
	for i := range run.Markers {
		m := &run.Markers[i]
		switch {
		case m.Levels.OffNS > 0:
			off++
		case !m.Demoted():
			remain = max(remain, float64(m.TotalNS()))
		}
	}
	return min(1, remain/float64(run.ElapsedNS)), off
}

// budgetBuild builds the benchmarks of standard packages for a budget of 1 %, from exact data of the
// same benchmarks, each of which is a work of its own, and measures them off and collecting. All
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
// long again with the same code.
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
	best := make([]map[string]float64, 3) // by side
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
		some, err := b.quickest(ctx, "budgetbuild", pkg+".", []testBinary{plain, cheap, cheap.as("collecting", 1, inMemory)}, ".", "2ms", 4, skip)
		if err != nil {
			return nil, err
		}
		for side := range some {
			if best[side] == nil {
				best[side] = some[side]
			}
			for name, ns := range some[side] {
				best[side][name] = min(best[side][name], ns)
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

// recordBenchmarks runs each benchmark of a marked test binary for a while, with every scope timed,
// and returns the data files, and the flag that skips the benchmarks that are not measured.
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
		recording := marked.as("recording", 1, "MARKGEN=report=none,file="+data)
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

	// budgetSlowest is the maximum time in ns of an iteration, with every scope timed, of a benchmark
	// that is measured.
	budgetSlowest = 5e6
)
