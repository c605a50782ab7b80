package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/bisect"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/units"
)

var cmdBisect = &cli.Command{
	Name:  "bisect",
	Short: "the commit after which a marker's count, allocation or time changed",
	Long: `
usage: markgen bisect -old REV [-new REV] [-marker M] [own flags] [go test's flags] [packages]
       markgen bisect -old REV [-new REV] [-marker M] [own flags] -- command [arguments]

Bisect finds the commit after which a figure of a marker changed, in either direction. It compares the runs of two
revisions, chooses a marker, and measures commits between them until one is left, by git bisect. All of that is in
worktrees in the temporary folder; your checkout may be dirty, and is not touched. The search begins around commits that
change the code of the marker's function, or of what it uses or is used by.

What runs are the packages' tests and benchmarks, as go's flags -run and -bench choose; a benchmark has ten iterations
unless -benchtime says otherwise. Or it is a command, run in the worktree: go test or go run with arguments, which are
built with markers, or something that itself runs markgen build and the program; then renamed code is not followed.
A commit that does not build, or whose run fails, is skipped.

A count is compared after one run of a commit, if all runs of a revision agree; so is allocation. Times, and what
differs from run to run, take as many runs as the spread demands, in turn with runs of both revisions; the chance that
one of all the decisions is wrong is in the result. Code that was renamed, moved or edited is followed as by run -old.

  -old REV      an older revision; if it is no ancestor of the newer, the search begins where they part
  -new REV      the newer revision (default HEAD)
  -marker M     the marker: its name, the end of it, or its ID (default: that whose figure changed most, which is said)
  -metric M     what is compared: count, alloc (bytes that a scope allocates; -deep makes them exact), time (default), or
                any of markgen diff's
  -alpha 0.05   the chance of a wrong commit, of the whole search
  -runs N       the runs of each revision in the first comparison of what differs from run to run (default 10; at least 5)
  -timeout D    end a run that takes longer than D, and skip the commit (default 10m)

Markgen's own flags for builds are these; functions are marked, and what directives name, unless they say more:
` + ownFlagsText + `

The commit, the marker and the figure before and after are on standard output, progress is on standard error. Exit
codes: 0 found; 1 not found: the revisions do not differ, do not build, or commits that can't be built are in the way;
2 wrong usage.

examples:
  markgen bisect -old v1.2.0 -metric count ./...
  markgen bisect -old v1.2.0 -new v1.3.0 -marker parse -bench=Parse -run='^$' ./parse
  markgen bisect -old HEAD~50 -metric alloc -deep -marker '(*Server).handle' ./server
  markgen bisect -old v1.2.0 -all -metric count -- go run ./cmd/demo -n 10
  markgen bisect -old v1.2.0 -- sh -c 'markgen build -all -o demo ./cmd/demo && ./demo'`,
	Run: runBisect,
}

// bisectFlags are the flags of bisect besides those for builds.
type bisectFlags struct {
	old, new string
	marker   string
	metric   string
	alpha    float64
	runs     int
	timeout  time.Duration
}

func runBisect(ctx context.Context, env *cli.Env, args []string) int {
	interrupt.IgnoreSIGPIPE()
	b := &bisection{env: env, own: new(ownFlags)}
	fs := env.Flags()
	fs.StringVar(&b.old, "old", "", "")
	fs.StringVar(&b.new, "new", "HEAD", "")
	fs.StringVar(&b.marker, "marker", "", "")
	fs.StringVar(&b.metric, "metric", "time", "")
	fs.Float64Var(&b.alpha, "alpha", 0.05, "")
	fs.IntVar(&b.runs, "runs", 10, "")
	fs.DurationVar(&b.timeout, "timeout", 10*time.Minute, "")
	b.own.markFlags(fs)
	args, code, done := parseFirst(env, fs, args)
	if done {
		return code
	}
	if code := b.check(fs, args); code != cli.OK {
		return code
	}
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	defer b.close()
	err := b.find(ctx)
	var by interrupt.Error
	var failed *failedError
	switch {
	case errors.As(context.Cause(ctx), &by):
		fmt.Fprintf(env.Stderr, "markgen bisect: %v; the worktrees are removed\n", by)
		return by.ExitCode()
	case errors.As(err, &failed):
		_, _ = env.Stderr.Write(failed.output)
		return env.Fail(err)
	case err != nil:
		return failGo(env, err)
	}
	return cli.OK
}

// check checks the flags and the rest of the command line.
func (b *bisection) check(fs *flag.FlagSet, args []string) int {
	e := b.env
	switch {
	case b.old == "":
		return e.Wrong("-old is missing; name a revision that had the old figure")
	case b.runs < 5:
		return e.Wrong("-runs %d: give 5 or more; fewer can't tell a change from chance", b.runs)
	case b.timeout <= 0:
		return e.Wrong("-timeout %v: give a time, such as 30s or 10m", b.timeout)
	case !(b.alpha > 0 && b.alpha < 0.5):
		return e.Wrong("-alpha %v; it is a probability such as 0.05, and less than a half", b.alpha)
	case !knownForm(b.own.form):
		return e.Wrong("-form %s: there is no such form", b.own.form)
	}
	if !b.own.all {
		b.own.all, b.own.kinds = true, []string{"func"}
	}
	if b.own.config != "" {
		b.own.config = e.Path(b.own.config)
	}
	b.verb = "test"
	if i := slices.Index(args, "--"); i >= 0 {
		words := args[i+1:]
		switch {
		case i > 0:
			return e.Wrong("either packages or a command behind --, not both; -markpkg says what to mark")
		case len(words) == 0:
			return e.Wrong("no command behind --")
		case words[0] == "go" && len(words) > 1 && (words[1] == "test" || words[1] == "run"):
			b.verb, args = words[1], words[2:]
		default:
			b.verb, args = "", words
		}
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if b.verb != "test" || arg == "-args" || arg == "--args" {
			break // the rest are arguments of what runs
		}
		if strings.HasPrefix(arg, "-") && name != "timeout" && name != "v" && fs.Lookup(name) != nil {
			return e.Wrong("-%s is a flag of markgen's; write it before go's flags and the packages", name)
		}
	}
	b.args = args
	if b.verb != "" {
		var err error
		if b.command, err = overlay.ParseCommandLine(b.verb, args); err != nil {
			return e.Wrong("%v", err)
		}
		for _, p := range b.command.Packages() {
			if strings.HasPrefix(p, e.Dir) {
				return e.Wrong("%s is a place in this checkout, and commits are built elsewhere; name packages by relative paths or import paths", p)
			}
		}
	}
	collect := "time"
	if name, value, ok := strings.Cut(b.metric, "."); ok || b.metric == "alloc" {
		if !ok {
			value = "bytes"
		}
		collect += "+" + strings.TrimPrefix(name, "process_")
		if name == "alloc" && !b.own.deep {
			name = "process_alloc"
		}
		b.metric = name + "." + value
	}
	if _, _, err := compare.Value(b.metric, ""); err != nil {
		return e.Wrong("-metric: %v", err)
	}
	keys, asked, err := ownKeys(e)
	if err != nil {
		return e.Wrong("%v", err)
	}
	if asked != "" && collect == "time" {
		collect = asked
	}
	b.environ = append(slices.Clone(e.Environ), "MARKGEN="+strings.Join(append(keys, "collect="+collect), ","))
	return cli.OK
}

// find makes the search and prints the result.
func (b *bisection) find(ctx context.Context) error {
	if err := b.openEnds(ctx); err != nil {
		return err
	}
	if err := b.compareEnds(ctx); err != nil {
		return err
	}
	git := func(ctx context.Context, stdin string, args ...string) (string, error) {
		return runGitOn(ctx, b.env, b.tree.top, stdin, args...)
	}
	s, err := bisect.Start(ctx, git, b.ends[0].commit, b.ends[1].commit, functionsOf(b.subject.Name, b.subject.OldName))
	if err != nil {
		return err
	}
	b.between = s.Left()
	b.judge, err = bisect.NewJudge(b.values[0], b.values[1], b.alpha/float64(bisect.Steps(b.between)+spareDecisions))
	if err != nil {
		return fmt.Errorf("%s: %w", b.subject.Name, err)
	}
	b.sayPlan(s.Suspects())
	for {
		commit := s.Next()
		if commit == "" {
			return b.conclude(ctx, s.Found())
		}
		v, said, err := b.try(ctx, commit)
		if err != nil {
			return err
		}
		if err := s.Say(ctx, commit, v); err != nil {
			return err
		}
		b.shown.clear()
		fmt.Fprintf(b.env.Stderr, "markgen bisect: %.12s: %s; %s left\n", commit, said, units.Plural(s.Left(), "commit"))
	}
}

// spareDecisions is how many more decisions than by halving share the probability of an error: a
// suspect that is innocent costs two.
const spareDecisions = 2

// try measures a commit and decides about it; said describes the decision.
func (b *bisection) try(ctx context.Context, commit string) (v bisect.Verdict, said string, err error) {
	defer func() { _ = os.RemoveAll(filepath.Join(b.work.Path, commit)) }()
	p, err := b.at(ctx, commit)
	var value float64
	if err == nil {
		v, value, err = b.decide(ctx, p)
	}
	if skip := (*failedError)(nil); errors.As(err, &skip) && skip.commit == commit && ctx.Err() == nil {
		b.skipped++
		return bisect.Skip, "skipped: " + skip.brief(), nil
	}
	if err != nil {
		return v, "", err
	}
	b.known[commit] = value
	if v == bisect.Old {
		b.lastOld = commit
	}
	return v, fmt.Sprintf("%s, as %s", b.format(value), v), nil
}

// decide makes the runs of a commit that it takes to decide.
func (b *bisection) decide(ctx context.Context, p *builtCommit) (v bisect.Verdict, value float64, err error) {
	if b.judge.Exact {
		value, err = b.value(ctx, p)
		return b.judge.Certain(value), value, err
	}
	if _, err := b.value(ctx, p); err != nil { // the first run warms up
		return v, 0, err
	}
	t := b.judge.Trial()
	for i := 0; !t.Done(); i++ {
		b.shown.show(fmt.Sprintf("markgen bisect: %.12s, run %d of about %d", p.commit, i+1, b.judge.Blocks()))
		order := []*builtCommit{b.ends[0], p, b.ends[1]}
		if i%2 == 1 {
			slices.Reverse(order)
		}
		values := map[*builtCommit]float64{}
		for _, one := range order {
			if values[one], err = b.value(ctx, one); err != nil {
				return v, 0, err
			}
		}
		t.Add(values[b.ends[0]], values[p], values[b.ends[1]])
	}
	v, wrong := t.Verdict()
	b.wrong += wrong
	return v, t.Value(), nil
}

// value runs a commit and returns the figure of the marker.
func (b *bisection) value(ctx context.Context, p *builtCommit) (float64, error) {
	got, err := b.runOnce(ctx, p)
	if err != nil {
		return 0, err
	}
	m := markerOf(got, b.subject.ID)
	v := math.NaN()
	if m != nil {
		v = b.figure(m)
	}
	if math.IsNaN(v) {
		if b.metric == "count" {
			return 0, nil
		}
		return 0, &failedError{commit: p.commit, what: b.subject.Name + " has no such figure"}
	}
	return v, nil
}
