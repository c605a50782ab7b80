package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/report"
)

var cmdDiff = &cli.Command{
	Name:  "diff",
	Sides: true,
	Short: "what got slower or faster between two sets of runs; fails if something got slower",
	Long: `
usage: markgen diff [-threshold 5%] [-counts | [-alpha 0.05] [-metric M] [-all]] [-format F] OLD… -- NEW…

Diff compares runs of a program from before a change with runs from after it, marker by marker, and says what
got worse, what got better, and what may be chance. OLD and NEW are data files, folders of them or patterns, as for
report; each file is one run. Without --, the first is OLD and the second NEW; a folder alone that -runs has written
with -old is both. Make ten runs a side where you can, old and new in turn: with fewer than four, any difference may be
chance.

What was renamed, moved or edited between the versions of run -old and test -old is compared with what it most likely
was. The table marks guesses, which never fail the comparison.

A marker is worse if the change is certain and may be as large as the threshold: the chance that any marker at
all is reported though nothing changed is below -alpha, whatever the number of markers, and the upper end of the
change's confidence interval reaches -threshold. The exit code is 1 then, also when there are too few runs to tell
and a figure is larger by -threshold or more, or when there is nothing to compare. The time of a scope is compared
at its quantiles p5, p25, p50, p90 and p99, by its mean, and by the mean of the slowest hundredth, p99+; the table
shows where the change is surest.

Numbers that are the same in all runs of a side, two or more, are compared exactly beside the times: scopes and,
with collect=alloc in deep builds, the objects and bytes that scopes allocate. One that grew by -threshold or more
is worse, however busy the machine was. Where a loop was edited, all loops of its function are added up. Numbers
that vary from run to run are named. What runs on one side only is listed. Runs that were killed and markers that
were sampled or turned off take no part.

  -threshold 5%  the change that matters
  -counts        compares only numbers that do not vary from run to run, and no times. One run a side will do if the
                 program is deterministic. -counts=false compares times alone
  -alpha 0.05    the chance of a false alarm, of the whole comparison
  -metric M      time; or one figure alone: mean, p50, p90, p99, max, self (the time of a scope
                 without scopes within), total, count (of scopes), or COLLECTOR.VALUE, such as io.read_bytes,
                 for what a collector read in a scope
  -all           lists the markers, too, that did not change
  -format F      text (default); json (or -json): an object for programs, with every marker and every figure;
                 markdown: for a comment on a pull request, what got worse and better and the text collapsed

Exit codes: 0 nothing got worse, 1 something did, or it can't be told: too few runs for what has changed, nothing to
compare, a file that can't be read; 2 wrong usage.

examples:
  markgen test -runs 10 -o perf -old main ./... && markgen diff perf/old -- perf/new
  markgen diff -threshold 10% 'main/*.markgen' -- 'branch/*.markgen'
  markgen test -runs 2 -o perf -old main ./... && markgen diff -counts perf/old -- perf/new
  markgen diff -metric count old -- new
  markgen diff -counts -format markdown old new | gh pr comment -F -
  markgen diff -json old new | jq '.markers[] | select(.verdict == "worse" and (.guess | not))'`,
	Run: runDiff,
}

// A percentage is a flag such as 5% or 0.05.
type percentage float64

func (p *percentage) String() string { return strconv.FormatFloat(100*float64(*p), 'g', -1, 64) + "%" }

func (p *percentage) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	switch {
	case err != nil || !(v >= 0) || v > 1e6:
		return fmt.Errorf("give a part of the old value such as 5%% or 0.05")
	case v > 1 && !percent:
		return fmt.Errorf("%[1]s is a multiple of the old value; write %[1]s%%, or %[2]g%% if that is meant", number, 100*v)
	}
	*p = percentage(v)
	return nil
}

// A countsFlag is the flag -counts, a compare.Counts: left out, set or -counts=false.
type countsFlag compare.Counts

func (c *countsFlag) String() string { return "" }

func (c *countsFlag) IsBoolFlag() bool { return true }

func (c *countsFlag) Set(text string) error {
	v, err := strconv.ParseBool(text)
	if *c = countsFlag(compare.CountsOff); v {
		*c = countsFlag(compare.CountsOnly)
	}
	return err
}

func runDiff(_ context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	o := compare.Options{Alpha: compare.DefaultAlpha}
	threshold := percentage(compare.DefaultThreshold)
	fs.Var(&threshold, "threshold", "")
	fs.Float64Var(&o.Alpha, "alpha", compare.DefaultAlpha, "")
	fs.StringVar(&o.Metric, "metric", "time", "")
	var counts countsFlag
	fs.Var(&counts, "counts", "")
	all := fs.Bool("all", false, "")
	format := fs.String("format", "text", "")
	fs.BoolFunc("json", "", func(string) error { *format = "json"; return nil })
	if code, done := env.Parse(fs, args); done {
		return code
	}
	o.Threshold, o.Counts = float64(threshold), compare.Counts(counts)
	fs.Visit(func(f *flag.Flag) {
		if f.Name == "metric" && counts == countsFlag(compare.CountsBeside) {
			o.Counts = compare.CountsOff // that metric alone was asked for
		}
	})
	given := fs.Args()
	if slices.Contains(args, "--") && !slices.Contains(given, "--") { // nothing precedes it, so it was parsed as the end of the flags
		given = append([]string{"--"}, given...)
	}
	if old, fresh := pair(env, given); old != "" {
		given = []string{old, fresh}
	}
	old, fresh, wrong := sides(given)
	if wrong != "" {
		return env.Wrong("%s", wrong)
	}
	if o.Counts == compare.CountsOnly && o.Metric != "time" {
		return env.Wrong("-counts and -metric exclude each other: numbers that are the same in every run, or the statistics of one figure")
	}
	if !slices.Contains(report.DiffFormats(), *format) {
		return env.Wrong("-format %s; the formats are %s", *format, strings.Join(report.DiffFormats(), ", "))
	}
	if !(o.Alpha > 0 && o.Alpha < 1) { // 0 selects the default of package compare
		return env.Wrong("-alpha %v; it is a probability between 0 and 1, such as 0.05", o.Alpha)
	}
	c, err := compare.NewComparison(o)
	if err != nil {
		return env.Wrong("%v", err)
	}
	code := cli.OK
	places := newPlacer(env, "")
	for label, args := range [][]string{old, fresh} {
		n := 0
		for file := range findRuns(env, args, &code) {
			p, err := runfile.Read(file)
			if err == nil {
				for i, warning := range p.Warnings {
					p.Warnings[i] = strings.TrimPrefix(warning, env.Dir+string(filepath.Separator))
				}
				if p.Damaged {
					code = cli.Failure
				}
				places.place(p)
				err = c.Add(compare.Label(label), p)
			}
			if err != nil {
				code = env.Fail(relative(env, err))
				continue
			}
			n++
		}
		if n == 0 {
			return cli.Failure // the reason was reported
		}
	}
	r := c.Result()
	d := report.Diff{Format: *format, All: *all}
	d.Width, d.Color = env.Terminal(env.Stdout)
	if err := d.Write(env.Stdout, r); err != nil {
		return env.Fail(err)
	}
	switch {
	case o.Counts == compare.CountsOnly && r.Compared() == 0:
		return env.Fail(errors.New("no numbers could be compared; see that both sides are runs of the same program that ended, without sample=, and do the same work each time"))
	case r.Worse() > 0 && !r.Enough:
		return cli.Finding
	case o.Counts == compare.CountsOnly:
		return code
	case len(r.Markers) == 0:
		return env.Fail(fmt.Errorf("nothing could be compared; see that both sides are runs of the same program, with the metric %s", r.Metric))
	case r.Certain() == 0:
		return env.Fail(errors.New("every marker that both sides reached is matched by a guess, so nothing could be compared; give what matters a name that stays, //perf:mark NAME"))
	case !r.Enough && !r.Grown():
		fmt.Fprintf(env.Stderr, "markgen diff: no figure is larger by %s or more; but these are too few runs to tell a change from chance, it takes %d on each side\n", threshold.String(), r.Need)
		return code
	case !r.Enough:
		return env.Fail(fmt.Errorf("too few runs to tell a change from chance; make %d on each side, or better ten, old and new in turn", r.Need))
	case r.Worse() > 0:
		return cli.Finding
	}
	return code
}

// pair returns the folders of the old and the new runs in the only folder given, as -runs writes
// them with -old; otherwise "".
func pair(env *cli.Env, args []string) (old, fresh string) {
	if len(args) != 1 || !env.IsFolder(args[0]) {
		return "", ""
	}
	if _, err := runfile.Find(env.Dir, args[0]); err == nil {
		return "", "" // it has data itself
	}
	old, fresh = filepath.Join(args[0], "old"), filepath.Join(args[0], "new")
	for _, folder := range []string{old, fresh} {
		if _, err := runfile.Find(env.Dir, folder); err != nil {
			return "", ""
		}
	}
	return old, fresh
}

// sides splits the arguments into the two sides; wrong is an error message or "".
func sides(args []string) (old, fresh []string, wrong string) {
	if i := slices.Index(args, "--"); i >= 0 {
		old, fresh = args[:i], args[i+1:]
	} else if len(args) == 2 {
		old, fresh = args[:1], args[1:]
	} else if len(args) > 0 {
		return nil, nil, "a -- between the old runs and the new is missing"
	}
	switch {
	case len(old) == 0 && len(fresh) == 0:
		return nil, nil, "old runs and new are expected: markgen diff OLD… -- NEW…"
	case len(old) == 0:
		return nil, nil, "no old run is given"
	case len(fresh) == 0:
		return nil, nil, "no new run is given"
	case slices.Contains(fresh, "--"):
		return nil, nil, "a second --; there are two sides"
	}
	return old, fresh, ""
}
