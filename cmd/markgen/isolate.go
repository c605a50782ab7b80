package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/isolate"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/runtime/config"
)

var cmdIsolate = &cli.Command{
	Name:  "isolate",
	Short: "what each exported function costs, timed without the cost of timing others",
	Long: `
usage: markgen isolate [own flags] [go test's flags] [packages] [-- command [arguments]]

Isolate makes an API performance profile of packages. A scenario is run once to see which functions run, and which
of them are ever on one call stack. Then the functions are put into as few groups as can be in which no two share
a stack, and the scenario is run again for each group, with no other function measured. So the time of a function
includes no other marker's overhead, however many cheap calls the function makes.

The scenario are the packages' own tests and examples. Go's flags -run, -short … choose among them, and -bench adds
benchmarks, of ten iterations each unless -benchtime says otherwise. Or it is a command: go test or go run with
arguments, which are built with markers in the packages, or a program built by markgen build, or something that
starts one. It is built once, and runs once, then once for each group; a deterministic scenario gives equal
counts.

The table on standard output has the exported functions, and exported methods of exported types: outermost
calls (a call of a function from itself is part of the outer one), times, what collectors read in a call, and what
differed between passes. Functions that are inlined and shorter than a clock read are counted only.
Then come those that the scenario never reached.

Markgen's own flags:
  -all          all functions that have a declaration, not only exported ones
  -exact        time each function in a pass of its own
  -deep         make the first pass with a deep build (see markgen help build): what a call allocates is in the
                table, to the byte and the object; the times are of ordinary builds
  -sizes        relate times to the sizes of arguments: with -o, markgen report -shapes and the page show how
                they grow
  -paths        show the call paths between the functions, too; with the times of the first pass, in which all are
                measured; with -o, markgen report has them in every format
  -exercise     call functions that the scenario never reached, with arguments made from their types; these calls
                are timed in passes of their own; none is called that may touch files, the network or other processes,
                by the call graph. What can't be called is listed with the reason
  -onebuild     build once, and turn off the markers of other groups, instead of building once a group. That saves
                the builds; a marker that is off costs a test, some 0.5 ns, in the functions around it. Commands
                that markgen does not build always run like this
  -runs N       run the scenario N times for each group
  -timeout D    end a pass of the scenario that takes longer than D (default 10m)
  -o DIR        keep the passes and the profile in DIR, which markgen report, diff and merge read; the same command with the same DIR resumes an interrupted
                profile
  -json         JSON instead of the table
  -config F     read F instead of the .markgen.yaml at the module root

MARKGEN may have the keys only and skip, which choose functions, clock, and collect, for the first pass: values
of io, hw or a collector of the program are in the table and in the JSON.

The exit code is 1 if a pass failed, or if -exercise could not call a function; the table has what ran.

examples:
  markgen isolate .
  markgen isolate -o work -runs 5 -short ./...
  markgen isolate -exercise ./parse
  markgen isolate -bench=Encode -run='^$' encoding/json
  markgen isolate ./parser -- go run ./cmd/demo -n 10
  MARKGEN=collect=io markgen isolate -json ./store -- ./demo -n 10`,
	Run: runIsolate,
}

// isolateFlags are the flags of isolate.
type isolateFlags struct {
	all, exact, json bool
	exercise         bool
	deep             bool // the first pass uses a deep build
	sizes            bool // relate times to the sizes of arguments
	paths            bool // record call paths in the first pass
	onebuild         bool // use one build for all passes, with other markers off
	runs             int
	timeout          time.Duration
	out, config      string
}

func runIsolate(ctx context.Context, env *cli.Env, args []string) int {
	interrupt.IgnoreSIGPIPE()
	var own isolateFlags
	fs := env.Flags()
	fs.BoolVar(&own.all, "all", false, "")
	fs.BoolVar(&own.exact, "exact", false, "")
	fs.BoolVar(&own.json, "json", false, "")
	fs.BoolVar(&own.deep, "deep", false, "")
	fs.BoolVar(&own.sizes, "sizes", false, "")
	fs.BoolVar(&own.paths, "paths", false, "")
	fs.BoolVar(&own.exercise, "exercise", false, "")
	fs.BoolVar(&own.onebuild, "onebuild", false, "")
	fs.IntVar(&own.runs, "runs", 1, "")
	fs.DurationVar(&own.timeout, "timeout", 10*time.Minute, "")
	fs.StringVar(&own.out, "o", "", "")
	fs.StringVar(&own.config, "config", "", "")
	args, code, done := parseFirst(env, fs, args)
	if done {
		return code
	}
	switch {
	case own.runs < 1:
		return env.Wrong("-runs %d: give a number of runs, 1 or more", own.runs)
	case own.timeout <= 0:
		return env.Wrong("-timeout %v: give a time, such as 30s or 10m", own.timeout)
	}
	keys, collect, err := ownKeys(env)
	if err != nil {
		return env.Wrong("%v", err)
	}
	if own.deep && own.onebuild {
		return env.Wrong("-deep needs a build of its own; leave out -onebuild")
	}
	if own.deep {
		collect = withAlloc(collect)
	}
	var words []string
	if i := slices.Index(args, "--"); i >= 0 {
		if args, words = args[:i], args[i+1:]; len(words) == 0 {
			return env.Wrong("no command behind --")
		}
	}
	for _, arg := range args {
		if arg == "-args" || arg == "--args" {
			break // the rest are arguments of the tests
		}
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && name != "json" && name != "o" && name != "timeout" && fs.Lookup(name) != nil {
			return env.Wrong("-%s is a flag of markgen's; write it before go's flags and the packages", name)
		}
	}
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	w := &isolateWork{env: env, own: &own, keys: keys, collect: collect}
	defer w.close()
	if code, ok := w.open(ctx, args, words); !ok {
		return code
	}
	return w.run(ctx)
}

// ownKeys returns the keys of MARKGEN that a command keeps which chooses itself what is recorded, and
// the collectors.
func ownKeys(e *cli.Env) (keys []string, collect string, err error) {
	for item, rest := config.Next(e.Getenv("MARKGEN")); item.Text != ""; item, rest = config.Next(rest) {
		switch item.Key {
		case "keeper", "file", "report":
		case "only", "skip", "clock":
			keys = append(keys, item.Text)
		case "collect":
			if config.Has(item.Value, "trace") {
				return nil, "", fmt.Errorf("MARKGEN asks for a trace, and %s adds times up; leave trace out of collect", e.Command())
			}
			collect = item.Value
			if !config.Has(collect, "time") {
				collect = "time+" + collect
			}
		default:
			return nil, "", fmt.Errorf("MARKGEN says %s, and %s chooses what is recorded itself; leave all but only, skip, clock and collect out", item.Key, e.Command())
		}
	}
	return keys, collect, nil
}

// withAlloc adds the collector alloc to collect.
func withAlloc(collect string) string {
	if config.Has(collect, "alloc") {
		return collect
	}
	return cmp.Or(collect, "time") + "+alloc"
}

// isolateWork is one run of the command.
type isolateWork struct {
	env      *cli.Env
	own      *isolateFlags
	keys     []string             // of MARKGEN, for all passes
	collect  string               // collectors of the first pass; "" means time
	work     *overlay.WorkDir     // nil if owned by another isolateWork
	dir      string               // directory for built programs
	patterns []string             // package patterns
	packages []string             // import paths
	command  *overlay.CommandLine // go's flags and the packages
	scenario isolate.Scenario
	build    string // identifies the program, its arguments and what is measured
	store    *isolate.Store
	folder   string // directory of the store, as shown to the user
	again    bool   // keep the folder: it is the user's, or allows to resume
}

// api returns the predicate for the markers in the table.
func (w *isolateWork) api() func(*profile.Marker) bool {
	if w.own.all {
		return isolate.Declared(w.packages)
	}
	return isolate.Exported(w.packages)
}

// keeps reports whether a point becomes a marker: functions in the table do.
func (w *isolateWork) keeps(p *rewrite.Point) bool {
	if p.Kind != rewrite.KindFunc {
		return false
	}
	m := &profile.Marker{Kind: p.Kind, Name: p.Name, Package: p.Package}
	if w.own.all {
		return isolate.Declared([]string{p.Package})(m)
	}
	return isolate.Exported([]string{p.Package})(m)
}

// openStore opens the directory for the passes, with those it already contains.
func (w *isolateWork) openStore() (err error) {
	w.folder, w.again = w.own.out, true
	if w.own.out == "" {
		w.again = false
		if w.folder, err = os.MkdirTemp(tempDir(w.env), "markgen-isolate-"); err != nil {
			return fmt.Errorf("no directory for the passes: %w; set TMPDIR to one that can be written to, or name one by -o", err)
		}
	} else if err := os.MkdirAll(w.env.Path(w.folder), 0o777); err != nil {
		return fmt.Errorf("%w; name a directory for the passes with -o", err)
	}
	w.store, err = isolate.OpenStore(w.env.Path(w.folder), w.build)
	return err
}

// close removes files that are no longer needed.
func (w *isolateWork) close() {
	_ = w.work.Close()
	if w.folder != "" && !w.again {
		_ = os.RemoveAll(w.folder)
	}
}

// run makes the passes and shows the result.
func (w *isolateWork) run(ctx context.Context) int {
	e := w.env
	shown := newProgress(e, 0)
	if n := w.store.Done(); n > 0 {
		fmt.Fprintf(e.Stderr, "markgen isolate: %s in %s already\n", passes(n, ""), w.folder)
	}
	r, err := isolate.Run(ctx, w.scenario, isolate.Options{
		API: w.api(), Exact: w.own.exact, Runs: w.own.runs, Collect: w.collect, Paths: w.own.paths, Store: w.store,
		Begin: func(p isolate.Progress) {
			doing := fmt.Sprintf("pass %d, %s", p.Pass, p.Name)
			if p.Total > 0 {
				doing = fmt.Sprintf("pass %d of %d, %s", p.Pass, p.Total, p.Name)
			}
			shown.show(doing, p.Left)
		},
		Failed: func(name string, p *isolate.Pass) {
			shown.clear()
			_, _ = e.Stderr.Write(p.Output)
			e.Warn(fmt.Sprintf("the scenario failed in the %s (%s); what later passes that fail print is not shown", name, p.How()))
		},
	})
	shown.clear()
	var nothing *isolate.NoDataError
	switch {
	case ctx.Err() != nil:
		return w.interrupted(ctx)
	case errors.As(err, &nothing):
		if nothing.Pass.Code == 0 {
			_, _ = e.Stderr.Write(nothing.Pass.Output)
		}
		return e.Fail(fmt.Errorf("no data: %s", noData))
	case err != nil:
		return e.Fail(err)
	}
	code := cli.OK
	if w.own.exercise {
		if err := w.exercise(ctx, r, shown); ctx.Err() != nil {
			return w.interrupted(ctx)
		} else if err != nil {
			if errors.Is(err, errBuild) {
				err = errors.New("the calls that were made up can't be built; see above")
			}
			e.Warn(fmt.Sprintf("what the scenario did not reach has no times: %v", err))
			code = cli.Failure
		}
	}
	return max(code, w.show(r))
}

// show writes the result and warnings about it.
func (w *isolateWork) show(r *isolate.Result) int {
	e := w.env
	for _, caution := range r.Profile.Cautions() {
		e.Warn(caution)
	}
	if len(r.Functions) == 0 {
		what := "exported functions"
		if w.own.all {
			what = "functions"
		}
		e.Warn(fmt.Sprintf("no %s of %s are in what ran%s", what, strings.Join(w.packages, ", "), andAll(w.own.all)))
	}
	if len(r.Functions) > 0 && !slices.ContainsFunc(r.Functions, (*isolate.Function).Reached) {
		note(e, "the scenario reached no function; -bench=. runs benchmarks besides tests, -exercise calls what is not reached")
	}
	var err error
	if w.own.json {
		err = r.WriteJSON(e.Stdout)
	} else {
		var o report.Options
		o.Width, o.Color = e.Terminal(e.Stdout)
		err = r.WriteText(e.Stdout, o)
		if err == nil && r.Profile.Paths != nil {
			_, err = fmt.Fprintf(e.Stdout, "\nby call path, in the first pass\n%s\n", strings.Join(report.PathLines(r.Profile, o.Width), "\n"))
		}
	}
	if err == nil && w.own.out != "" {
		if err = codec.Write(w.store.ResultFile(), r.Profile); err == nil {
			fmt.Fprintf(e.Stderr, "markgen isolate: the profile is in %s\n", filepath.Join(w.folder, filepath.Base(w.store.ResultFile())))
		}
	}
	if err != nil {
		return e.Fail(err)
	}
	if len(r.Failures) > 0 {
		return cli.Failure
	}
	return cli.OK
}

func andAll(all bool) string {
	if all {
		return ""
	}
	return "; -all measures those that are not exported, too"
}

// interrupted prints which passes exist after a signal, and returns the exit code of a program
// killed by that signal.
func (w *isolateWork) interrupted(ctx context.Context) int {
	var by interrupt.Error
	errors.As(context.Cause(ctx), &by)
	n := w.store.Done()
	if n == 0 {
		fmt.Fprintf(w.env.Stderr, "markgen isolate: %v; no pass is complete\n", by)
		return by.ExitCode()
	}
	w.again = true
	fmt.Fprintf(w.env.Stderr, "markgen isolate: %v; %s in %s; the same command with -o %s goes on from there\n",
		by, passes(n, "complete "), w.folder, shellWord(w.folder))
	return by.ExitCode()
}

// passes formats a number of passes with a verb.
func passes(n int, which string) string {
	if n == 1 {
		return "1 " + which + "pass is"
	}
	return fmt.Sprintf("%d %spasses are", n, which)
}
