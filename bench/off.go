package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// offPackages are the packages whose benchmarks are run. Most of strconv is in
// internal/strconv, which cannot be marked: the runtime of marked programs is
// built from it.
var offPackages = []string{"sort", "strconv", "encoding/json", "regexp"}

// offSkipped are the benchmarks that are not run: this one makes up a million
// types before it measures anything, which takes minutes and gigabytes.
const offSkipped = "^BenchmarkTypeFieldsCache$"

// slowest is what an iteration may take; what takes longer would take most of
// the time and be one benchmark of many. Nanoseconds.
const slowest = 50e6

// A slowdown is how much longer a benchmark takes with markers that are off.
type slowdown struct {
	pkg, name    string
	plain, ratio float64 // plain: ns
}

// off runs the benchmarks of standard packages, plain and with every point of
// the package marked, nothing being collected. A benchmark has the iterations
// that take about 10 ms in the plain binary; the two are run in turn and each
// counts with its quickest run, since whatever else the machine does can only
// make a run longer.
func (b *bench) off(ctx context.Context) error {
	root, err := goRoot(ctx)
	if err != nil {
		return err
	}
	var all []slowdown
	for _, pkg := range offPackages {
		some, err := b.offPackage(ctx, pkg, filepath.Join(root, "src", filepath.FromSlash(pkg)))
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		b.atMost("off: "+pkg, 1.25, geoMean(some), fmt.Sprintf("geometric mean of %d benchmarks", len(some)))
		all = append(all, some...)
	}
	b.atMost("off: all of these packages", 1.25, geoMean(all), fmt.Sprintf("geometric mean of %d benchmarks", len(all)))
	slices.SortFunc(all, func(x, y slowdown) int {
		if x.ratio > y.ratio {
			return -1
		}
		return 1
	})
	fmt.Println("\nthe ten that markers slow down most while they are off:")
	for _, s := range all[:min(10, len(all))] {
		fmt.Printf("%6.2f  %-18s %s, %s ns plain\n", s.ratio, s.pkg, s.name, strconv.FormatFloat(s.plain, 'g', 4, 64))
	}
	return nil
}

// offPackage measures the benchmarks of one package.
func (b *bench) offPackage(ctx context.Context, pkg, dir string) ([]slowdown, error) {
	base := filepath.Join(b.work, "off", strings.ReplaceAll(pkg, "/", "-"))
	binaries := [2]string{base + ".plain.test", base + ".marked.test"}
	if _, err := start(ctx, dir, nil, "go", "test", "-c", "-o", binaries[0], pkg); err != nil {
		return nil, err
	}
	cache := "MARKGENCACHE=" + filepath.Join(b.work, "off", "cache")
	if _, err := start(ctx, dir, []string{cache}, b.markgen, "test", "-all", "-markpkg", pkg, "-c", "-o", binaries[1], pkg); err != nil {
		return nil, err
	}
	chosen, err := runBenchmarks(ctx, dir, binaries[0], ".", "10ms", "-test.skip="+offSkipped)
	if err != nil {
		return nil, err
	}
	var some []slowdown
	for _, c := range chosen {
		if c.ns > slowest {
			fmt.Printf("left out: %s.%s, %.1f s an iteration\n", pkg, c.name, c.ns/1e9)
			continue
		}
		quickest := [2]float64{math.Inf(1), math.Inf(1)}
		for round := range b.roundsOr(7) {
			for i := range binaries {
				side := (i + round) % 2
				got, err := runBenchmarks(ctx, dir, binaries[side], c.pattern(), strconv.Itoa(c.iterations)+"x")
				if err != nil {
					return nil, err
				}
				if len(got) != 1 {
					return nil, fmt.Errorf("%s ran %d benchmarks, not one", c.name, len(got))
				}
				quickest[side] = min(quickest[side], got[0].ns)
				err = b.results.add("off/"+[]string{"plain.txt", "marked.txt"}[side], pkg+"."+c.name, c.iterations,
					benchfmt.Value{Value: got[0].ns / 1e9, Unit: "sec/op", OrigValue: got[0].ns, OrigUnit: "ns/op"})
				if err != nil {
					return nil, err
				}
			}
		}
		if quickest[0] > 0 {
			some = append(some, slowdown{pkg, c.name, quickest[0], quickest[1] / quickest[0]})
		}
	}
	return some, nil
}

// A benchmarkRun is one line that a test binary printed.
type benchmarkRun struct {
	name       string
	iterations int
	ns         float64
}

// pattern is the -test.bench that matches this benchmark alone.
func (r benchmarkRun) pattern() string {
	var parts []string
	for part := range strings.SplitSeq("Benchmark"+r.name, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.Join(parts, "/")
}

// runBenchmarks runs those that match on one processor.
func runBenchmarks(ctx context.Context, dir, binary, pattern, benchtime string, more ...string) ([]benchmarkRun, error) {
	words := []string{binary, "-test.run=^$", "-test.bench=" + pattern, "-test.benchtime=" + benchtime, "-test.cpu=1"}
	text, err := output(ctx, dir, nil, append(words, more...)...)
	if err != nil {
		return nil, err
	}
	var runs []benchmarkRun
	r := benchfmt.NewReader(bytes.NewReader(text), binary)
	for r.Scan() {
		if res, ok := r.Result().(*benchfmt.Result); ok {
			if v, ok := res.Value("sec/op"); ok {
				runs = append(runs, benchmarkRun{res.Name.String(), res.Iters, v * 1e9})
			}
		}
	}
	return runs, r.Err()
}

// geoMean is the geometric mean of the ratios.
func geoMean(some []slowdown) float64 {
	sum := 0.0
	for _, s := range some {
		sum += math.Log(s.ratio)
	}
	return math.Exp(sum / float64(len(some)))
}
