package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A bench is one run of the command.
type bench struct {
	markgen  string         // absolute path of the command
	work     string         // directory for the temporary files of one repetition of a subject
	caches   string         // directory of the caches of warm builds
	times    int            // repetitions of each subject
	rounds   int            // 0: each subject's default
	exec     []string       // command before the measured ones of shares, budget and budgetbuild
	programs *regexp.Regexp // of shares, budget, budgetbuild and sampling
	module   string         // path@version
	main     string         // package of module, relative to its root
	page     string         // whose table is updated; "" for none
	results  *results
	subject  string // that is being measured
	figures  []figure
}

// A subject is one of the things that -run selects.
type subject struct {
	name, about string
	run         func(*bench, context.Context) error
}

// subjects are in the order in which they are measured, the quickest first.
var subjects = []subject{
	{"scope", "a timed scope, with and without self time, against two clock reads", (*bench).scope},
	{"parallel", "the same on all processors at once against one", (*bench).parallel},
	{"mapped", "a scope with its data in a mapped file against in memory", (*bench).mapped},
	{"triggers", "scopes of other markers than a trigger is about, against without triggers", (*bench).triggers},
	{"trace", "the records of a scope against two clock reads", (*bench).trace},
	{"between", "how fast markgen between reads 100 million records", (*bench).between},
	{"formats", "how long a report of 100,000 markers takes in each format", (*bench).formats},
	{"merge", "how fast markgen merge adds up ten thousand files", (*bench).merge},
	{"store", "how many marker rows a second the catalogue takes, and how quickly it answers", (*bench).store},
	{"html", "how large the page of 20,000 markers is, and how long it takes to load and to sort", (*bench).html},
	{"flame", "how large the page of 50,000 call paths is, and how long its flame graph takes to draw and to zoom", (*bench).flame},
	{"pages", "search and pages of markgend with a million APIs, and the memory it takes", (*bench).pages},
	{"tracejson", "how fast markgen report writes 20 million records as a Chrome trace", (*bench).traceJSON},
	{"ingest", "how many markers a second markgend takes into SQLite and PostgreSQL, how long a batch takes, and its memory", (*bench).ingest},
	{"isolate", "the times of markgen isolate against benchmarks by hand, its groups against cliques, and what it takes", (*bench).isolate},
	{"offprogs", "small programs with markers that are off against unmarked", (*bench).offPrograms},
	{"dual", "the plain program of a dual build against go build's, and the start of the marked one", (*bench).dual},
	{"collect", "a scope that collectors read, io, hw and a program's own, against two clock reads", (*bench).collect},
	{"deep", "a scope, and allocation, in a deep build against an ordinary and a plain one", (*bench).deep},
	{"corrected", "the reported time of a caller of marked functions against its time unmarked", (*bench).corrected},
	{"routes", "the times of a web server's routes by label, against runs with one route each", (*bench).routes},
	{"paths", "the memory of 65,536 call paths on two processors, and the start, against a run without paths", (*bench).paths},
	{"shapes", "how often the shapes of twelve functions are recognised, and taken for others", (*bench).shapes},
	{"sampled", "how often a sample's mean is within two standard errors of the truth", (*bench).sampledMeans},
	{"estimates", "how far the counts of windows are from those of programs of several kinds", (*bench).estimates},
	{"peers", "a marked function against other ways to time it", (*bench).peers},
	{"start", "what 100,000 markers add to a program's start", (*bench).start},
	{"markers", "what 100,000 markers and 64 processors add to its memory", (*bench).markers},
	{"countpar", "block counting on all processors against go test -covermode=atomic", (*bench).countParallel},
	{"count", "block counting of standard packages against go test -covermode=count", (*bench).count},
	{"diffpower", "how often markgen diff finds 5 % more work of one function of 500, and how often it is wrong", (*bench).diffPower},
	{"countsgate", "which of ten changes of a program markgen diff -counts finds on a busy machine, against times alone", (*bench).countsGate},
	{"sampling", "the same benchmarks and fib(25) sampled, and paused, against unmarked", (*bench).sampling},
	{"off", "benchmarks of standard packages with markers that are off against unmarked", (*bench).off},
	{"floor", "the same with a test at the top of functions alone, and marked, in several layouts", (*bench).floor},
	{"rewrite", "how fast markers are planned and written", (*bench).rewriting},
	{"memory", "how much memory that takes", (*bench).memory},
	{"budget", "programs and servers with every point marked and MARKGEN=budget=1% against plain", (*bench).budget},
	{"budgetbuild", "benchmarks of standard packages built with -budget 1% against plain", (*bench).budgetBuild},
	{"shares", "shares of functions in reports of programs against their CPU profiles, and what it costs", (*bench).shares},
	{"warm", "markgen build against go build -cover after small changes", (*bench).warmBuild},
	{"cold", "the same with empty caches", (*bench).coldBuild},
}

func main() {
	b := &bench{}
	flag.StringVar(&b.markgen, "markgen", "../bin/markgen", "the markgen command to measure")
	out := flag.String("o", "", "directory for files that benchstat reads (default: none are kept)")
	work := flag.String("work", "", "directory for caches and copies, several gigabytes (default: a new temporary one)")
	flag.StringVar(&b.caches, "caches", "", "directory where warm builds find what an earlier run has compiled (default: none is kept)")
	run := flag.String("run", "", "measure only the subjects whose names match this regular expression, see below")
	flag.IntVar(&b.times, "times", 3, "repetitions of each subject; the table has their median, minimum and maximum")
	flag.IntVar(&b.rounds, "rounds", 0, "rounds of each measurement (default: 7; processes started 101, comparisons 100, cold builds 1)")
	programs := flag.String("programs", "", "programs that shares and budget measure, or packages of budgetbuild and sampling, a regular expression (default: all, and for budget minify, shfmt, esbuild and servers)")
	before := flag.String("exec", "", "command that runs the programs of shares and budget, but no servers, such as \"nice -n -20\" or \"chrt -f 10\" (default: none)")
	flag.StringVar(&b.module, "module", "github.com/prometheus/prometheus@v0.315.0", "module to build")
	flag.StringVar(&b.main, "package", "./cmd/promtool", "package of -module to build")
	flag.StringVar(&b.page, "page", "", "page to whose table the figures are written (default: none)")
	child := flag.Bool("rewrite-child", false, "measure rewriting in this process; what the command starts itself with")
	load := flag.String("load-child", "", "send this load, JSON, to a server; what the command starts itself with")
	storeURL := flag.String("store-child", "", "put load on the store at this URL; what the command starts itself with")
	flag.Usage = func() {
		w := flag.CommandLine.Output()
		fmt.Fprintln(w, "usage: bench [flags]")
		flag.PrintDefaults()
		fmt.Fprintln(w, "\nsubjects, in the order in which they are measured:")
		for _, s := range subjects {
			fmt.Fprintf(w, "  %-10s %s\n", s.name, s.about)
		}
	}
	flag.Parse()
	b.exec = strings.Fields(*before)
	if *child {
		if err := rewriteChild(os.Stdout); err != nil {
			fail(err)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *load != "" {
		if err := loadChild(ctx, *load, os.Stdout); err != nil {
			fail(err)
		}
		return
	}
	if *storeURL != "" {
		if err := storeChild(ctx, os.Stdout, *storeURL); err != nil {
			fail(err)
		}
		return
	}
	if err := b.measure(ctx, *run, *programs, *out, *work); err != nil {
		stop()
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(2)
}

// measure runs the subjects whose names match pattern.
func (b *bench) measure(ctx context.Context, pattern, programs, out, work string) (err error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if b.programs, err = regexp.Compile(programs); err != nil {
		return fmt.Errorf("-programs: %w", err)
	}
	if b.markgen, err = filepath.Abs(b.markgen); err != nil {
		return err
	}
	if _, err := os.Stat(b.markgen); err != nil {
		return fmt.Errorf("%w; make build makes it", err)
	}
	b.results = newResults(out)
	defer func() { err = errors.Join(err, b.results.close()) }()
	if b.times < 1 {
		return fmt.Errorf("-times %d: give 1 or more", b.times)
	}
	if b.page != "" && b.times < 3 {
		return fmt.Errorf("-times %d: the page promises a median; give 3 or more, or no -page", b.times)
	}
	root, err := os.MkdirTemp(work, "markgen-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeAll(root)) }()
	if b.caches == "" {
		b.caches = filepath.Join(root, "warm")
	} else if b.caches, err = filepath.Abs(b.caches); err != nil {
		return err
	}
	b.results.machine(ctx)
	for _, s := range subjects {
		if !match.MatchString(s.name) {
			continue
		}
		b.subject = s.name
		before, start := len(b.figures), time.Now()
		for range b.times {
			if err := b.repeat(ctx, root, s.run); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		fmt.Fprintf(os.Stderr, "%s: %d times in %v\n", s.name, b.times, time.Since(start).Round(time.Second))
		if b.page != "" { // after each subject, as a later one may fail after hours
			if err := updatePage(ctx, b.page, b.results.version, time.Now(), b.figures[before:]); err != nil {
				return err
			}
		}
	}
	fmt.Println()
	return writeTable(os.Stdout, b.figures)
}

// repeat measures a subject once, in a directory of its own below root.
func (b *bench) repeat(ctx context.Context, root string, run func(*bench, context.Context) error) (err error) {
	if b.work, err = os.MkdirTemp(root, ""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeAll(b.work)) }()
	return run(b, ctx)
}

// roundsOr returns -rounds, or n if that is not set.
func (b *bench) roundsOr(n int) int {
	if b.rounds > 0 {
		return b.rounds
	}
	return n
}

// A bar is the limit of a result; the zero bar is no limit.
type bar struct {
	limit   float64 // 0 if there is none
	stretch float64 // a stricter limit to aim for; 0 if there is none
	least   bool    // the limit is a minimum, not a maximum
	unit    string  // unit of the value; "" for a ratio
}

func atMost(limit float64) bar  { return bar{limit: limit} }
func atLeast(limit float64) bar { return bar{limit: limit, least: true} }

func (b bar) in(unit string) bar         { b.unit = unit; return b }
func (b bar) orBetter(limit float64) bar { b.stretch = limit; return b }

func (b bar) holds(value float64) bool {
	if b.least {
		return value >= b.limit
	}
	return value <= b.limit
}

func (b bar) String() string {
	if b.limit == 0 {
		return "none"
	}
	sign := "≤"
	if b.least {
		sign = "≥"
	}
	text := fmt.Sprintf("%s %g", sign, b.limit)
	if b.stretch != 0 {
		text += fmt.Sprintf(" (%g)", b.stretch)
	}
	return strings.TrimSpace(text + " " + b.unit)
}

// A figure is one row of the table.
type figure struct {
	name   string
	bar    bar
	values []float64 // by repetition, at least one
	remark string    // details of the last value, or ""
}

// value returns the median of the repetitions.
func (f figure) value() float64 { return median(f.values) }

// median returns the median as it is shown, with its unit.
func (f figure) median() string {
	return strings.TrimSpace(fmt.Sprintf("%.3g %s", f.value(), f.bar.unit))
}

// spread returns the minimum and maximum of the repetitions as they are shown.
func (f figure) spread() string {
	return fmt.Sprintf("%.3g–%.3g", slices.Min(f.values), slices.Max(f.values))
}

// met reports whether the bar is met, or "-" if there is none.
func (f figure) met() string {
	switch {
	case f.bar.limit == 0:
		return "-"
	case f.bar.holds(f.value()):
		return "yes"
	}
	return "no"
}

// record adds a value to the row of the subject that has this name, and the row to the table if there
// is none yet.
func (b *bench) record(name string, bar bar, value float64, remark string) {
	name = b.subject + ": " + name
	i := slices.IndexFunc(b.figures, func(f figure) bool { return f.name == name })
	if i < 0 {
		i = len(b.figures)
		b.figures = append(b.figures, figure{name: name, bar: bar})
	}
	f := &b.figures[i]
	f.values, f.remark = append(f.values, value), remark
}

// fewest returns the minimum of values, which must not be empty.
func fewest(values []float64) float64 { return slices.Min(values) }

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// list formats values, separated by spaces.
func list(values []float64, format string) string {
	var words []string
	for _, v := range values {
		words = append(words, fmt.Sprintf(format, v))
	}
	return strings.Join(words, " ")
}

// markgend returns the path of the central service's command, beside that of markgen.
func (b *bench) markgend() string { return filepath.Join(filepath.Dir(b.markgen), "markgend") }

func cores() int { return runtime.NumCPU() }
