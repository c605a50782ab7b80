package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Indexes of the sides compared in this file.
const (
	countCover  = iota // go test -cover
	countMarked        // markgen test -cover: every block counted, nothing timed
	countPlain
)

// countSides builds a package's tests with go's counters, with markgen's, and without any.
func (b *bench) countSides(ctx context.Context, dir, pkg, mode string) ([]testBinary, error) {
	cover, err := b.compile(ctx, dir, pkg, mode, plainTest("-cover", "-covermode="+mode))
	if err != nil {
		return nil, err
	}
	marked, err := b.compile(ctx, dir, pkg, "counted", b.markedTest("-cover", "-covermode="+mode))
	if err != nil {
		return nil, err
	}
	plain, err := b.compile(ctx, dir, pkg, "plain", plainTest())
	marked.environ = []string{b.inFile("count")}
	return []testBinary{countCover: cover, countMarked: marked, countPlain: plain}, err
}

// count measures block counting in the benchmarks of standard packages.
func (b *bench) count(ctx context.Context) error {
	for _, procs := range uniqueProcs() {
		var all []timing
		for _, pkg := range standardPackages {
			dir, err := standardDir(ctx, pkg)
			if err != nil {
				return err
			}
			some, err := b.countPackage(ctx, fmt.Sprintf("count/procs-%d", procs), dir, pkg, "count", ".", procs)
			if err != nil {
				return err
			}
			b.recordCount(fmt.Sprintf("%s, %s", processors(procs), pkg), bar{}, some)
			all = append(all, some...)
		}
		about := processors(procs) + ", "
		b.recordCount(about+"all of these packages", atMost(1), all)
		worst := bySlowdown(all, countMarked, countCover)[0]
		b.record(about+"the slowest against cover", atMost(1), worst.ratio(countMarked, countCover),
			fmt.Sprintf("%s.%s; %d of %d slower, %d by more than 5 %%", worst.pkg, worst.name, slower(all, 1), len(all), slower(all, 1.05)))
		ours, covers := geoMean(all, countMarked, countPlain), geoMean(all, countCover, countPlain)
		b.record(about+"added to plain, over what cover adds", bar{limit: 0.5}, (ours-1)/(covers-1),
			fmt.Sprintf("a stretch; over plain %.3g, cover %.3g", ours, covers))
		printSlowest(processors(procs)+", the ten slowest against cover", all, countMarked, countCover)
	}
	return nil
}

// countParallel measures block counting where all processors execute the same blocks at once: in
// small functions, and in those benchmarks of standard packages that are parallel.
func (b *bench) countParallel(ctx context.Context) error {
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	all, err := b.countPackage(ctx, "countpar", dir, "./programs/parallel", "atomic", ".", cores())
	if err != nil {
		return err
	}
	b.recordCount("small functions", bar{}, all)
	for _, pkg := range standardPackages {
		dir, err := standardDir(ctx, pkg)
		if err != nil {
			return err
		}
		names, err := parallelBenchmarks(dir)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			continue
		}
		some, err := b.countPackage(ctx, "countpar", dir, pkg, "atomic", "^("+strings.Join(names, "|")+")$", cores())
		if err != nil {
			return err
		}
		b.recordCount(pkg, bar{}, some)
		all = append(all, some...)
	}
	b.recordCount("all of these on "+processors(cores()), atMost(0.7), all)
	printSlowest("the ten slowest against cover -covermode=atomic", all, countMarked, countCover)
	return nil
}

// countPackage measures the matching benchmarks of a package.
func (b *bench) countPackage(ctx context.Context, folder, dir, pkg, mode, pattern string, procs int) ([]timing, error) {
	sides, err := b.countSides(ctx, dir, pkg, mode)
	if err != nil {
		return nil, err
	}
	for i := range sides {
		sides[i].procs = procs
	}
	all, err := b.timings(ctx, folder, pkg, pattern, sides)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("no benchmark")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pkg, err)
	}
	return all, nil
}

// recordCount reports the cost of markgen's counters relative to go's.
func (b *bench) recordCount(name string, bar bar, all []timing) {
	b.record(name, bar, geoMean(all, countMarked, countCover), fmt.Sprintf("geometric mean of %d benchmarks; over plain %.3g, cover %.3g",
		len(all), geoMean(all, countMarked, countPlain), geoMean(all, countCover, countPlain)))
}

// slower returns the number of benchmarks that take more than limit times as long with markgen's
// counters as with go's.
func slower(all []timing, limit float64) (n int) {
	for _, t := range all {
		if t.ratio(countMarked, countCover) > limit {
			n++
		}
	}
	return n
}

// parallelBenchmarks returns the names of a directory's benchmarks that call RunParallel.
func parallelBenchmarks(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(fn.Name.Name, "Benchmark") {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "RunParallel" {
					names = append(names, fn.Name.Name)
				}
				return true
			})
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
