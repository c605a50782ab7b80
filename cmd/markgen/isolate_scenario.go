package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/isolate"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// open builds the scenario and opens the store. args are go's flags and the packages, words the
// user's command. If ok is false, the command exits with code.
func (w *isolateWork) open(ctx context.Context, args, words []string) (code int, ok bool) {
	e := w.env
	var err error
	if w.work, err = overlay.NewWorkDir(binaryDir(e)); err != nil {
		return e.Fail(fmt.Errorf("no directory for the build: %w; set GOTMPDIR to one that can be written to", err)), false
	}
	w.dir = w.work.Path
	verb := "test"
	if words != nil {
		verb = "build"
	}
	command, err := overlay.ParseCommandLine(verb, args)
	if err != nil {
		return e.Wrong("%v", err), false
	}
	if code, ok = w.supported(command); !ok {
		return code, false
	}
	w.command = command
	patterns := command.Packages()
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	list := overlay.ListOptions{Dir: e.Path(command.Dir), Environ: e.Environ, Patterns: patterns, BuildFlags: command.BuildFlags()}
	packages, err := overlay.List(ctx, list)
	if err != nil {
		return failBuild(ctx, e, cli.Failure, err), false
	}
	for _, p := range packages {
		if p.Error != nil {
			return e.Fail(p.Error), false
		}
		w.packages = append(w.packages, p.ImportPath)
	}
	if len(w.packages) == 0 {
		return e.Fail(fmt.Errorf("%s matches no packages; name some", strings.Join(patterns, " "))), false
	}
	w.patterns = patterns
	own := w.ownFlags()
	switch {
	case words == nil:
		if command, err = command.WithDefaults(ctx, list.Dir, list.Environ); err != nil {
			return e.Fail(err), false
		}
		code, ok = w.tests(ctx, own, testArgs(command, args))
	case words[0] == "go" && len(words) > 1 && words[1] == "test":
		c, err := overlay.ParseCommandLine("test", words[2:])
		if err != nil {
			return e.Wrong("%v", err), false
		}
		if code, ok = w.supported(c); !ok {
			return code, false
		}
		own.mark = w.marked(c)
		code, ok = w.tests(ctx, own, overlay.AddFlags(words[2:], "-vet=off", "-timeout=0", "-count=1"))
	case words[0] == "go" && len(words) > 1 && words[1] == "run":
		c, err := overlay.ParseCommandLine("run", words[2:])
		if err != nil {
			return e.Wrong("%v", err), false
		}
		own.mark = w.marked(c)
		code, ok = w.program(ctx, own, words[2:])
	case w.own.deep || w.own.sizes || w.own.config != "":
		return e.Wrong("-deep, -sizes and -config are for what isolate builds, and %s is there; build it with markgen build and these flags", words[0]), false
	default:
		w.ready(words)
		ok = true
	}
	if !ok {
		return code, false
	}
	if err := w.openStore(); err != nil {
		w.again = true // the folder is the user's
		return e.Fail(relative(e, err)), false
	}
	return cli.OK, true
}

// supported reports whether the flags of go test are supported.
func (w *isolateWork) supported(c *overlay.CommandLine) (code int, ok bool) {
	for _, flag := range []string{"o", "json", "c"} {
		if _, ok := c.Flag(flag); ok {
			return w.env.Wrong("-%s of go test is of no use here; markgen's own flags come before go's", flag), false
		}
	}
	return cli.OK, true
}

// marked returns the patterns of the packages to mark for a command: the user's, or the import
// paths if it is built in another directory.
func (w *isolateWork) marked(c *overlay.CommandLine) string {
	if c.Dir != w.command.Dir {
		return strings.Join(w.packages, ",")
	}
	return strings.Join(w.patterns, ",")
}

// ownFlags returns the flags for marking the packages.
func (w *isolateWork) ownFlags() *ownFlags {
	return &ownFlags{all: true, deep: w.own.deep, sizes: w.own.sizes, config: w.own.config, mark: strings.Join(w.patterns, ","), keep: w.keeps, keepWhat: fmt.Sprintf("isolate all=%t", w.own.all)}
}

// testArgs returns the arguments for go test. Benchmarks get a number of iterations instead of a
// time, so that all passes do the same work.
func testArgs(c *overlay.CommandLine, args []string) []string {
	flags := []string{"-vet=off", "-timeout=0", "-count=1"}
	if _, ok := c.Flag("benchtime"); !ok {
		flags = append(flags, "-benchtime=10x")
	}
	return overlay.AddFlags(args, flags...)
}

// identify sets the identity of the build: everything that the passes in one store have in common.
func (w *isolateWork) identify(words ...string) {
	words = append(words, fmt.Sprintf("%t %t %t %t %t", w.own.paths, w.own.all, w.own.exact, w.own.sizes, w.own.onebuild), strings.Join(w.keys, ","), cmp.Or(w.collect, "time"), strings.Join(w.packages, " "))
	h := sha256.New()
	for _, word := range words {
		fmt.Fprintf(h, "%d\n%s", len(word), word)
	}
	w.build = hex.EncodeToString(h.Sum(nil))
}

// tests makes the tests of the packages the scenario.
func (w *isolateWork) tests(ctx context.Context, own *ownFlags, args []string) (code int, ok bool) {
	type built = []*overlay.TestProcess
	b := &groupBuilds[built]{w: w, own: own, make: func(ctx context.Context, env *cli.Env, own *ownFlags, dir string) (built, int, error) {
		return buildTests(ctx, env, own, args, dir)
	}}
	processes, code, err := b.first(ctx)
	switch {
	case err != nil:
		return failBuild(ctx, w.env, code, err), false
	case len(processes) == 0:
		return w.env.Fail(fmt.Errorf("none of the packages has tests (%s); write some, or give a command that uses the packages behind --", strings.Join(w.packages, ", "))), false
	}
	var words []string
	for _, p := range processes {
		sum, err := fileread.Hash(p.Binary)
		if err != nil {
			return w.env.Fail(err), false
		}
		words = append(words, p.Package, sum, p.Dir, strings.Join(p.Args, " "))
	}
	w.identify(words...)
	w.scenario = &isolateScenario{w, func(ctx context.Context, only []*profile.Marker) (scenarioFunc, error) {
		processes, err := b.of(ctx, only)
		return runTests(processes), err
	}}
	return cli.OK, true
}

// program makes a program built by go the scenario.
func (w *isolateWork) program(ctx context.Context, own *ownFlags, args []string) (code int, ok bool) {
	b := &groupBuilds[*builtProgram]{w: w, own: own, make: func(ctx context.Context, env *cli.Env, own *ownFlags, dir string) (*builtProgram, int, error) {
		return buildProgram(ctx, env, own, args, dir)
	}}
	p, code, err := b.first(ctx)
	if err != nil {
		return failBuild(ctx, w.env, code, err), false
	}
	sum, err := fileread.Hash(p.path)
	if err != nil {
		return w.env.Fail(err), false
	}
	w.identify(append([]string{"run", sum}, p.argv[1:]...)...)
	stdin := newReplay(w.env.Stdin)
	w.scenario = &isolateScenario{w, func(ctx context.Context, only []*profile.Marker) (scenarioFunc, error) {
		p, err := b.of(ctx, only)
		if err != nil {
			return nil, err
		}
		return runCommand(w.env, p.argv, p.dir, stdin), nil
	}}
	return cli.OK, true
}

// ready makes the user's command the scenario.
func (w *isolateWork) ready(words []string) {
	identity := append([]string{"command"}, words...)
	if path, err := exec.LookPath(commandPath(w.env, words[0])); err == nil {
		if sum, err := fileread.Hash(path); err == nil {
			identity = append(identity, sum)
		}
	}
	w.own.onebuild = true // it is not built by markgen
	w.identify(identity...)
	run := runCommand(w.env, words, w.env.Dir, newReplay(w.env.Stdin))
	w.scenario = &isolateScenario{w, func(context.Context, []*profile.Marker) (scenarioFunc, error) { return run, nil }}
}

// commandPath returns the name of a program such that a process in another directory finds it.
func commandPath(e *cli.Env, name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return e.Path(name)
	}
	return name
}

// An isolateScenario is a Scenario that runs processes.
type isolateScenario struct {
	w     *isolateWork
	build func(ctx context.Context, only []*profile.Marker) (scenarioFunc, error) // build returns the function to run for a pass with the given markers
}

func (s *isolateScenario) Run(ctx context.Context, keys string, only []*profile.Marker) (*isolate.Pass, error) {
	run, err := s.build(ctx, only)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	environ := append(s.w.env.Environ[:len(s.w.env.Environ):len(s.w.env.Environ)], "MARKGEN="+strings.Join(append(s.w.keys[:len(s.w.keys):len(s.w.keys)], keys), ","))
	return onePass(ctx, environ, s.w.own.timeout, run, func(c *overlay.Collection) error {
		if only == nil {
			return nil
		}
		// All others are off: those of directives, which are in every build, and with -onebuild those
		// of other groups.
		ids := make([]registry.ID, len(only))
		for i, m := range only {
			ids[i] = m.ID
		}
		return c.Only(ids)
	})
}
