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
)

// A bench is one run of the command.
type bench struct {
	markgen string // the command, absolute
	work    string // directory for everything that is made, removed at the end
	caches  string // directory where warm builds keep their caches
	rounds  int    // 0: each subject's own
	module  string // path@version
	main    string // package of it, relative to its root
	results *results
	figures []figure
}

// subjects in the order in which they are measured: the quickest first.
var subjects = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"rewrite", (*bench).rewriting},
	{"memory", (*bench).memory},
	{"off", (*bench).off},
	{"warm", (*bench).warmBuild},
	{"cold", (*bench).coldBuild},
}

func main() {
	b := &bench{}
	flag.StringVar(&b.markgen, "markgen", "../bin/markgen", "the markgen command to measure")
	out := flag.String("o", "", "directory for files that benchstat reads (default: none are kept)")
	work := flag.String("work", "", "directory for caches and copies, several gigabytes (default: a new temporary one)")
	flag.StringVar(&b.caches, "caches", "", "directory where warm builds find what an earlier run has compiled (default: none is kept)")
	run := flag.String("run", "", "measure only the subjects that match: rewrite, memory, off, warm, cold")
	flag.IntVar(&b.rounds, "rounds", 0, "rounds of each measurement (default: 7; cold builds 1)")
	flag.StringVar(&b.module, "module", "github.com/prometheus/prometheus@v0.315.0", "module to build")
	flag.StringVar(&b.main, "package", "./cmd/promtool", "package of -module to build")
	child := flag.Bool("rewrite-child", false, "measure rewriting in this process; what the command starts itself with")
	flag.Parse()
	if *child {
		if err := rewriteChild(os.Stdout); err != nil {
			fail(err)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.measure(ctx, *run, *out, *work); err != nil {
		stop()
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(2)
}

// measure runs the subjects whose names match a pattern.
func (b *bench) measure(ctx context.Context, pattern, out, work string) (err error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if b.markgen, err = filepath.Abs(b.markgen); err != nil {
		return err
	}
	if _, err := os.Stat(b.markgen); err != nil {
		return fmt.Errorf("%w; make build makes it", err)
	}
	b.results = newResults(out)
	defer func() { err = errors.Join(err, b.results.close()) }()
	if b.work, err = os.MkdirTemp(work, "markgen-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeAll(b.work)) }()
	if b.caches == "" {
		b.caches = filepath.Join(b.work, "warm")
	} else if b.caches, err = filepath.Abs(b.caches); err != nil {
		return err
	}
	b.results.machine(ctx)
	for _, s := range subjects {
		if !match.MatchString(s.name) {
			continue
		}
		if err := s.run(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	fmt.Println()
	return writeTable(os.Stdout, b.figures)
}

// roundsOr is how often something is measured.
func (b *bench) roundsOr(n int) int {
	if b.rounds > 0 {
		return b.rounds
	}
	return n
}

// A figure is one line of the table.
type figure struct {
	name   string
	bar    string // what is asked for, for people; "" for a figure without a bar
	value  string
	met    bool
	remark string // "" or what lies behind the value
}

// atMost appends a figure that has to be no more than limit; 0 is no bar.
func (b *bench) atMost(name string, limit, value float64, remark string) {
	f := figure{name: name, value: fmt.Sprintf("%.3g", value), remark: remark, met: value <= limit}
	if limit > 0 {
		f.bar = fmt.Sprintf("≤ %g", limit)
	}
	b.figures = append(b.figures, f)
}

// atLeast appends a figure in unit that has to be no less than limit.
func (b *bench) atLeast(name string, limit, value float64, unit, remark string) {
	b.figures = append(b.figures, figure{name: name, bar: fmt.Sprintf("≥ %g %s", limit, unit),
		value: fmt.Sprintf("%.3g %s", value, unit), met: value >= limit, remark: remark})
}

// fewest and median of a sample that is not empty.
func fewest(values []float64) float64 { return slices.Min(values) }

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// list writes a sample for people.
func list(values []float64, format string) string {
	var words []string
	for _, v := range values {
		words = append(words, fmt.Sprintf(format, v))
	}
	return strings.Join(words, " ")
}

// cores is how many processors the figures were measured on.
func cores() int { return runtime.NumCPU() }
