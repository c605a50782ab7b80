package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// A testBinary is one side of a comparison: a compiled test binary and how to run its benchmarks.
type testBinary struct {
	side    string // side of the comparison; names the results file
	path    string
	dir     string // directory to run it in
	environ []string
	procs   int // GOMAXPROCS
}

// A builder is the command that builds a test binary, without -c, -o and the package.
type builder []string

func plainTest(flags ...string) builder { return append(builder{"go", "test"}, flags...) }

func (b *bench) markedTest(flags ...string) builder {
	return append(builder{b.markgen, "test"}, flags...)
}

// compile builds the test binary of a package, for one processor.
func (b *bench) compile(ctx context.Context, dir, pkg, side string, with builder) (testBinary, error) {
	t := testBinary{side: side, dir: dir, procs: 1,
		path: filepath.Join(b.work, "tests", strings.Trim(strings.ReplaceAll(pkg, "/", "-"), ".-")+"."+side+".test")}
	words := append(slices.Clone(with), "-c", "-o", t.path, pkg)
	_, err := runProcess(ctx, dir, []string{b.markgenCache()}, words...)
	return t, err
}

// compileProgram builds the test binary of a package below programs.
func (b *bench) compileProgram(ctx context.Context, name, side string, with builder) (testBinary, error) {
	dir, err := moduleDir(ctx)
	if err != nil {
		return testBinary{}, err
	}
	return b.compile(ctx, dir, "./programs/"+name, side, with)
}

// markgenCache returns the setting that keeps markgen's files out of the user's cache.
func (b *bench) markgenCache() string {
	return "MARKGENCACHE=" + filepath.Join(b.work, "cache")
}

// as returns the same binary as another side of a comparison.
func (t testBinary) as(side string, procs int, environ ...string) testBinary {
	t.side, t.procs, t.environ = side, procs, environ
	return t
}

// Values of MARKGEN. Without file= the data stay in memory, but only if there is a report: hence
// report=/dev/null.
const (
	inMemory       = "MARKGEN=report=/dev/null"
	inMemoryNoSelf = "MARKGEN=report=/dev/null,noself"
)

// inFile keeps the data in a mapped file, as markgen run and test do.
func (b *bench) inFile(name string) string {
	return "MARKGEN=report=none,file=" + b.dataFile(name)
}

func (b *bench) dataFile(name string) string { return filepath.Join(b.work, name+".markgen") }

// A benchmarkRun is one line that a test binary printed.
type benchmarkRun struct {
	name       string // without the Benchmark prefix and the GOMAXPROCS suffix
	iterations int
	ns         float64
}

// pattern returns the -test.bench pattern that matches this benchmark alone.
func (r benchmarkRun) pattern() string {
	var parts []string
	for part := range strings.SplitSeq("Benchmark"+r.name, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.Join(parts, "/")
}

// run runs the matching benchmarks.
func (t testBinary) run(ctx context.Context, pattern, benchtime string, more ...string) ([]benchmarkRun, error) {
	words := []string{t.path, "-test.run=^$", "-test.bench=" + pattern, "-test.benchtime=" + benchtime, "-test.cpu=" + strconv.Itoa(t.procs)}
	environ := append([]string{"GOMAXPROCS=" + strconv.Itoa(t.procs)}, t.environ...)
	text, err := output(ctx, t.dir, environ, append(words, more...)...)
	if err != nil {
		return nil, err
	}
	var runs []benchmarkRun
	r := benchfmt.NewReader(bytes.NewReader(text), t.path)
	for r.Scan() {
		if res, ok := r.Result().(*benchfmt.Result); ok {
			if v, ok := res.Value("sec/op"); ok {
				name := res.Name.String()
				if t.procs > 1 {
					name = strings.TrimSuffix(name, "-"+strconv.Itoa(t.procs))
				}
				runs = append(runs, benchmarkRun{name, res.Iters, math.Round(v*1e13) / 1e4}) // rounded as printed
			}
		}
	}
	return runs, r.Err()
}

// Code of a few ns is measured in many short windows and in many rounds: the shorter a window, the
// likelier it runs undisturbed by other work on the processor or its core (docs/explanation/performance.md,
// Scopes), and more rounds give more chances of that.
const (
	windowTime   = "1ms"
	windows      = "-test.count=20"
	windowRounds = 40
)

// inWindows is quickest for benchmarks of code that takes a few ns.
func (b *bench) inWindows(ctx context.Context, folder, prefix string, sides []testBinary, pattern string) ([]map[string]float64, error) {
	return b.quickest(ctx, folder, prefix, sides, pattern, windowTime, windowRounds, windows)
}

// quickest runs the matching benchmarks on all sides alternately, rounds times unless -rounds is
// set. It returns for each side the minimum ns/op by benchmark, since other load on the machine can
// only make a round slower. The results go to folder/SIDE.txt, with prefix before the names.
func (b *bench) quickest(ctx context.Context, folder, prefix string, sides []testBinary, pattern, benchtime string, rounds int, more ...string) ([]map[string]float64, error) {
	all, err := b.inTurn(ctx, folder, prefix, sides, pattern, benchtime, rounds, more...)
	if err != nil {
		return nil, err
	}
	best := make([]map[string]float64, len(sides))
	for i := range all {
		best[i] = map[string]float64{}
		for name, ns := range all[i] {
			best[i][name] = slices.Min(ns)
		}
	}
	return best, nil
}

// inTurn runs the matching benchmarks on all sides alternately, round after round, and returns for
// each side the ns/op of every run by benchmark.
func (b *bench) inTurn(ctx context.Context, folder, prefix string, sides []testBinary, pattern, benchtime string, rounds int, more ...string) ([]map[string][]float64, error) {
	all := make([]map[string][]float64, len(sides))
	for i := range all {
		all[i] = map[string][]float64{}
	}
	for round := range b.roundsOr(rounds) {
		for i := range sides {
			side := (i + round) % len(sides)
			runs, err := sides[side].run(ctx, pattern, benchtime, more...)
			if err != nil {
				return nil, err
			}
			if len(runs) == 0 {
				return nil, fmt.Errorf("%s: no benchmark matches %s", sides[side].path, pattern)
			}
			for _, r := range runs {
				all[side][r.name] = append(all[side][r.name], r.ns)
				err := b.results.add(folder+"/"+sides[side].side+".txt", prefix+r.name, r.iterations,
					benchfmt.Value{Value: r.ns / 1e9, Unit: "sec/op", OrigValue: r.ns, OrigUnit: "ns/op"})
				if err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// slowest is the maximum time in ns of an iteration of a standard package's benchmark. Slower
// benchmarks are left out: each would use most of the run time, and is one of many.
const slowest = 50e6

// leastIterations is the minimum number of iterations, also for slow benchmarks: costs of the first
// one, such as growing the heap, should not dominate.
const leastIterations = 3

// skipped matches the benchmarks that are not run: this one creates a million types before it
// measures anything, which takes minutes and gigabytes.
const skipped = "^BenchmarkTypeFieldsCache$"

// A timing is the time of one benchmark on each side of a comparison, in ns.
type timing struct {
	pkg, name string
	ns        []float64
}

// ratio returns the time of side divided by that of against.
func (t timing) ratio(side, against int) float64 { return t.ns[side] / t.ns[against] }

// In each round a benchmark is run as often as fits into roundTime, each run for runTime or
// leastIterations, whichever is longer. A processor changes its speed within milliseconds; of many
// short runs, some are undisturbed.
const (
	runTime   = time.Millisecond
	roundTime = 10 * time.Millisecond
)

// timings measures the matching benchmarks of a package.
func (b *bench) timings(ctx context.Context, folder, pkg, pattern string, sides []testBinary) ([]timing, error) {
	chosen, err := sides[0].run(ctx, pattern, runTime.String(), "-test.skip="+skipped)
	if err != nil {
		return nil, err
	}
	var all []timing
	for _, c := range chosen {
		if c.ns > slowest {
			fmt.Printf("left out: %s.%s, %.1f s an iteration\n", pkg, c.name, c.ns/1e9)
			continue
		}
		iterations := max(c.iterations, leastIterations)
		runs := max(1, int(float64(roundTime)/(float64(iterations)*c.ns)))
		best, err := b.quickest(ctx, folder, pkg+".", sides, c.pattern(), strconv.Itoa(iterations)+"x", 7, "-test.count="+strconv.Itoa(runs))
		if err != nil {
			return nil, err
		}
		t := timing{pkg: pkg, name: c.name}
		for side := range sides {
			ns, ok := best[side][c.name]
			if !ok || len(best[side]) != 1 {
				return nil, fmt.Errorf("%s: %s ran %d benchmarks, not that one", sides[side].path, c.pattern(), len(best[side]))
			}
			t.ns = append(t.ns, ns)
		}
		if !slices.Contains(t.ns, 0) {
			all = append(all, t)
		}
	}
	return all, nil
}

// geoMean returns the geometric mean of the time ratios of two sides.
func geoMean(all []timing, side, against int) float64 {
	sum := 0.0
	for _, t := range all {
		sum += math.Log(t.ratio(side, against))
	}
	return math.Exp(sum / float64(len(all)))
}

// bySlowdown returns all, sorted by decreasing ratio of side to against.
func bySlowdown(all []timing, side, against int) []timing {
	return slices.SortedFunc(slices.Values(all), func(x, y timing) int {
		return cmp.Compare(y.ratio(side, against), x.ratio(side, against))
	})
}

// printSlowest prints the ten benchmarks with the largest ratio of side to against.
func printSlowest(title string, all []timing, side, against int) {
	fmt.Printf("\n%s:\n", title)
	for _, t := range bySlowdown(all, side, against)[:min(10, len(all))] {
		fmt.Printf("%6.2f  %-18s %s, %s ns against %s\n", t.ratio(side, against), t.pkg, t.name, short(t.ns[side]), short(t.ns[against]))
	}
}

// short formats v with four significant digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
