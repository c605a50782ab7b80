package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/spelling"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/rewrite"
)

// ownFlags are markgen's own flags of build, run, test and exec; they come before go's.
type ownFlags struct {
	all     bool
	mark    string // -markpkg
	config  string
	form    string
	deep    bool
	sizes   bool
	dual    bool           // of build
	kinds   []string       // -kinds and -funcs; nil for all
	exact   bool           // -exact, of run, test and exec
	paths   bool           // -paths, of run, test and exec
	out     string         // -o, of run, test and exec
	report  string         // of run, test and exec
	shown   report.Options // -sort and -top, of run, test and exec
	runs    string         // -runs, of run, test and exec
	old     string         // -old, of run, test and exec
	verbose bool
	leaveFlags

	// settings returns the directory whose .markgen.yaml applies to the module in root; if nil, it
	// is root itself.
	settings func(root string) string

	// keep selects markers, in addition to the configuration; nil selects all. keepWhat identifies
	// keep in cache keys.
	keep     func(*rewrite.Point) bool
	keepWhat string

	// earlier returns a registry whose markers keep their IDs in the module in root; may be nil.
	earlier func(root string) []byte
}

// ownFlagsText is the help for the flags that build, run and test share.
const ownFlagsText = `
  -all          mark every function, loop and branch outside of test files, not only what directives ask for
  -funcs        mark every function, but only the loops and branches that a directive names
  -kinds K,…    mark everything of these kinds (func, loop, branch), and of others what a directive names
  -markpkg P,…  the packages to mark, as for go test -coverpkg: import paths, patterns with ..., std;
                also dependencies (default: those of the main module or of the workspace)
  -config F     read F instead of the .markgen.yaml at the module root
  -form NAME    use the form NAME where possible: open (a test at each way in and out), twin (a second body) or
                guarded (a deferred call); markgen list -v prints the default and its reason
  -deep         compile a package runtime that accounts for each goroutine: run and test then separate running
                from waiting, and allocation is exact to the byte (MARKGEN=collect=alloc); the first such
                build takes half a minute
  -sizes        relate the times of functions to the sizes of their arguments: the sum of the lengths of slices,
                strings and maps, where no size= says what the size is. Such functions are not inlined
  -v            go's -v; markgen also says what it marked`

// leaveText is the help for leaveFlags.
const leaveText = `
  -min N        mark no function of fewer than N nodes of the syntax tree and without a loop, unless a directive
                asks for it
  -budget P     leave out markers, the most expensive in -from first, until the others are forecast to cost at most
                P, such as 1%: a part of the processor time that the program itself takes. With a function
                goes all that is in it; regions and points stay. markgen list -v with the same flags prints what
                is left out and why
  -from DATA    earlier runs for -budget: a file, a folder or a pattern, whose runs are added up. May be repeated, for
                other work of the program: the budget holds in each. What these demoted, or a budget of MARKGEN
                had off, is forecast to be timed throughout`

// ownDataText is the help for the flags of run, test and exec.
const ownDataText = `
  -o FILE       keep the data in FILE; several processes write FILE, FILE.2, FILE.3 …, and %a, %p and %t in
                FILE stand for the program, the process and the start, as in MARKGEN. With -runs: a folder
  -report R     where the report goes: text (default): its first 30 markers to standard error; none: nowhere;
                anything else: the whole report to a file of that name
  -exact        time all scopes. By default a marker whose first 1,000 scopes average less self time than 20 times
                the overhead is demoted: its scopes are counted, exactly, and its times are estimates, on
                Linux from a CPU profile
  -paths        record figures of paths, too: the whole chain of markers that are open in one another (MARKGEN=paths);
                it times all scopes, as -exact does
  -sort K       sort the report by self (default; with -deep running), waiting, total, count, mean, max, name or place
  -top N        report only the first N markers; a line below sums up the others`

// parseOwn parses markgen's own flags at the start of args and returns the rest, which begins with
// the first unknown flag: it is go's. data says whether the flags of run, test and exec are
// accepted.
func parseOwn(e *cli.Env, args []string, data, markers bool) (own *ownFlags, rest []string, code int, done bool) {
	own = new(ownFlags)
	fs := e.Flags()
	if markers {
		own.markFlags(fs)
		fs.BoolVar(&own.dual, "dual", false, "")
		own.leaveFlags.add(fs)
	}
	if data {
		fs.BoolVar(&own.exact, "exact", false, "")
		fs.BoolVar(&own.paths, "paths", false, "")
		fs.StringVar(&own.out, "o", "", "")
		fs.StringVar(&own.report, "report", "", "")
		fs.StringVar(&own.shown.Sort, "sort", "", "")
		fs.IntVar(&own.shown.Top, "top", 0, "")
		for name, value := range map[string]*string{"runs": &own.runs, "old": &own.old} {
			fs.Func(name, "", func(text string) error {
				if *value = text; text == "" {
					return errors.New("it is empty; give a value, or leave the flag out")
				}
				return nil
			})
		}
	}
	if args, code, done = parseFirst(e, fs, args); done {
		return nil, nil, code, true
	}
	if own.dual && data {
		return nil, nil, e.Wrong("-dual is for markgen build: here the program runs once, with MARKGEN set; leave it out"), true
	}
	if code, done = own.leaveFlags.read(e); done {
		return nil, nil, code, true
	}
	if own.verbose {
		args = overlay.AddFlags(args, "-v")
	}
	if err := own.shown.Check(); err != nil {
		return nil, nil, e.Wrong("%v", err), true
	}
	if own.report == "none" && (own.shown.Sort != "" || own.shown.Top > 0) {
		return nil, nil, e.Wrong("-sort and -top are for the report, which -report none does not make; leave one of them out"), true
	}
	if !knownForm(own.form) {
		return nil, nil, e.Wrong("-form %s: the forms are %s", own.form, strings.Join(rewrite.Forms, ", ")), true
	}
	return own, args, cli.OK, false
}

// markFlags adds the flags of ownFlagsText.
func (own *ownFlags) markFlags(fs *flag.FlagSet) {
	fs.BoolVar(&own.all, "all", false, "")
	fs.StringVar(&own.mark, "markpkg", "", "")
	fs.StringVar(&own.config, "config", "", "")
	fs.StringVar(&own.form, "form", "", "")
	fs.BoolVar(&own.deep, "deep", false, "")
	fs.BoolVar(&own.sizes, "sizes", false, "")
	fs.BoolFunc("funcs", "", func(string) error { own.all, own.kinds = true, []string{"func"}; return nil })
	fs.Func("kinds", "", func(text string) error { return own.setKinds(text) })
	fs.BoolVar(&own.verbose, "v", false, "")
}

// setKinds sets the kinds of marker that are planted besides those named by directives.
func (own *ownFlags) setKinds(text string) error {
	own.all, own.kinds = true, strings.Split(text, ",")
	for _, kind := range own.kinds {
		switch kind {
		case rewrite.KindFunc, rewrite.KindLoop, rewrite.KindBranch:
		default:
			return fmt.Errorf("%q is no kind of marker that -all plants; give some of func,loop,branch", kind)
		}
	}
	return nil
}

// parseFirst parses flags of fs at the start of args and returns the rest, which begins with the
// first flag unknown to fs. If go does not know that flag either, it takes what follows for arguments of
// the tests, also packages, unless the flag has the form -flag=value. So it is an error if a flag of fs has
// nearly the same name.
func parseFirst(e *cli.Env, fs *flag.FlagSet, args []string) (rest []string, code int, done bool) {
	for len(args) > 0 {
		name, _, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-"), "=")
		help := name == "h" || name == "help"
		if !strings.HasPrefix(args[0], "-") || fs.Lookup(name) == nil && !help {
			break
		}
		n := 1
		if f := fs.Lookup(name); f != nil && !hasValue && !isBool(f) {
			n = min(2, len(args))
		}
		if code, done := e.Parse(fs, args[:n]); done {
			return nil, code, true
		}
		args = args[n:]
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-") && !strings.Contains(args[0], "=") && !overlay.IsGoFlag(args[0]) {
		var own []string
		fs.VisitAll(func(f *flag.Flag) { own = append(own, f.Name) })
		if near := spelling.Nearest(strings.TrimLeft(args[0], "-"), own); near != "" {
			return nil, e.Wrong("unknown flag %s, did you mean -%s? A flag of the tests or the program goes after the packages", args[0], near), true
		}
	}
	return args, cli.OK, false
}

func knownForm(name string) bool { return name == "" || slices.Contains(rewrite.Forms, name) }

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// prepare parses the rest of the command line as go would and marks the packages.
func prepare(ctx context.Context, e *cli.Env, verb string, own *ownFlags, args []string) (build *overlay.Build, code int) {
	command, err := overlay.ParseCommandLine(verb, args)
	if err == nil && verb == "test" {
		err = command.CheckOutput()
	}
	if err != nil {
		return nil, e.Wrong("%v", err)
	}
	for _, arg := range command.Args() {
		if arg == "-args" || arg == "--args" || arg == "--" || verb != "test" {
			break
		}
		switch name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); {
		case !strings.HasPrefix(arg, "-"):
		case slices.Contains([]string{"all", "markpkg", "config", "form", "deep", "sizes", "dual", "min", "budget", "from", "funcs", "kinds", "exact", "paths", "report", "sort", "top", "runs", "old"}, name):
			return nil, e.Wrong("-%s is a flag of markgen's; write it before go's flags and the packages, or after -args if it is for the tests", name)
		}
	}
	o := overlay.Options{
		Command:   command,
		Dir:       e.Dir,
		Environ:   e.Environ,
		Configure: func(root string) (overlay.Marking, error) { return markingOf(e, root, own) },
		Deep:      own.deep,
		Progress:  showProgress(e, "marking", "packages"),
		Stdin:     e.Stdin,
		Stdout:    e.Stdout,
		Stderr:    e.Stderr,
	}
	if own.mark != "" {
		o.MarkPackages = strings.Split(own.mark, ",")
	}
	build, err = overlay.Prepare(ctx, o)
	if err != nil {
		return nil, failGo(e, err)
	}
	if own.budget != nil {
		if err := own.budget.check(build.Stats.Paths); err != nil {
			return nil, e.Fail(err)
		}
		if own.unmarked(build) == "" {
			own.budget.tell(e)
		}
	}
	for _, note := range build.Notes {
		fmt.Fprintf(e.Stderr, "markgen: %s\n", note)
	}
	if command.Bool("v") {
		fmt.Fprintf(e.Stderr, "markgen: %s\n", build.Stats.String())
	}
	return build, cli.OK
}

// unmarked returns a hint if a build has no markers because nothing asks for any; otherwise "".
func (own *ownFlags) unmarked(build *overlay.Build) string {
	if own.all || !build.Stats.Unmarked() {
		return ""
	}
	if own.budget != nil {
		return own.budget.nothing()
	}
	return "nothing is marked: no //perf: directive in the packages of this build; mark every function, loop and branch with -all, or put //perf:mark above a function or loop"
}

// note prints information that is not a warning.
func note(e *cli.Env, text string) {
	if text != "" {
		fmt.Fprintf(e.Stderr, "markgen %s: %s\n", e.Command(), text)
	}
}

// markingOf returns the marking of the module in root, from its configuration and the flags.
func markingOf(e *cli.Env, root string, own *ownFlags) (overlay.Marking, error) {
	var earlier []byte
	if own.earlier != nil {
		earlier = own.earlier(root)
	}
	if own.settings != nil {
		root = own.settings(root)
	}
	c, err := readConfig(e, root, own.config)
	if err != nil {
		return overlay.Marking{}, err
	}
	m := overlay.Marking{Key: fmt.Sprintf("%#v", *c), Earlier: earlier}
	if len(earlier) > 0 {
		m.Key += fmt.Sprintf(" %x", sha256.Sum256(earlier))
	}
	keep := c.Keep
	if own.keep != nil {
		keep = func(p *rewrite.Point) bool { return own.keep(p) && c.Keep(p) }
		m.Key += " " + own.keepWhat
	}
	if kept := keep; own.kinds != nil {
		keep = func(p *rewrite.Point) bool {
			return (p.Explicit || slices.Contains(own.kinds, p.Kind)) && (kept == nil || kept(p))
		}
		m.Key += " kinds " + strings.Join(own.kinds, ",")
	}
	m.Form, m.Sizes, m.Min = own.form, own.sizes, own.min
	if own.budget != nil {
		m.Leave = own.budget.leave
		m.Key += " without " + own.budget.key()
	}
	// Generated code is marked, too: it runs, and no file is changed.
	m.All, m.Generated, m.Keep, m.Adjust = own.all, true, keep, c.Adjust
	return m, nil
}

// failGo reports an error; errors of go are printed as go prints them.
func failGo(e *cli.Env, err error) int {
	if failure := (*overlay.GoError)(nil); errors.As(err, &failure) {
		fmt.Fprintln(e.Stderr, failure)
		return failure.Code
	}
	return e.Fail(err)
}
