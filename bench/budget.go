package main

import (
	"context"
	"fmt"
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
// same benchmarks, each of which is a work of its own, and measures them off and collecting.
func (b *bench) budgetBuild(ctx context.Context) error {
	var all []timing
	for _, pkg := range standardPackages {
		dir, err := standardDir(ctx, pkg)
		if err != nil {
			return err
		}
		sides, err := b.plainAndMarked(ctx, dir, pkg)
		if err != nil {
			return err
		}
		from, err := b.recordBenchmarks(ctx, sides[1])
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		words := []string{"-all", "-markpkg", pkg, "-budget", "1%"}
		for _, data := range from {
			words = append(words, "-from", data)
		}
		cheap, err := b.compile(ctx, dir, pkg, "budget", b.markedTest(words...))
		if err != nil {
			return err
		}
		some, err := b.timings(ctx, "budgetbuild", pkg, ".", []testBinary{sides[0], cheap, cheap.as("collecting", 1, inMemory)})
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

// recordBenchmarks runs each benchmark of a marked test binary for a while, with every scope timed,
// and returns the data files.
func (b *bench) recordBenchmarks(ctx context.Context, marked testBinary) (files []string, err error) {
	chosen, err := marked.run(ctx, ".", "1x", "-test.skip="+skipped)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(b.work, "data")
	if err != nil {
		return nil, err
	}
	for i, c := range chosen {
		if c.ns > slowest {
			continue
		}
		data := filepath.Join(dir, fmt.Sprintf("%03d.markgen", i))
		recording := marked.as("recording", 1, "MARKGEN=report=none,file="+data)
		if _, err := recording.run(ctx, c.pattern(), recordTime); err != nil {
			return nil, err
		}
		run, err := runfile.Read(data)
		if err != nil {
			return nil, err
		}
		if run.Cost != nil {
			files = append(files, data)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no data of %s", marked.path)
	}
	return files, nil
}

// recordTime is for how long each benchmark is recorded.
const recordTime = "100ms"
