package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/isolate"
	"github.com/markgen/markgen/isolate/exercise"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/rewrite"
)

// mostTries is the maximum number of attempts to make up calls, each without the calls that failed
// before. In each attempt, one call that ends the process is found per package.
const mostTries = 10

// exercise calls the functions that the result lacks, measures them, and adds them to it.
func (w *isolateWork) exercise(ctx context.Context, r *isolate.Result, shown *runProgress) error {
	unreached := r.Unreached()
	if len(unreached) == 0 {
		return nil
	}
	shown.show("making calls of what was not reached", 0)
	defer shown.clear()
	o := exercise.Options{
		Dir: w.env.Path(w.command.Dir), Environ: w.env.Environ, Patterns: w.packages,
		BuildFlags: w.command.BuildFlags(), Functions: unreached, Without: map[string]string{},
	}
	for try := 1; ; try++ {
		plan, err := exercise.Make(ctx, o)
		if err != nil {
			return err
		}
		r.Exercise(nil, nil, plan.Refused)
		if len(plan.Functions) == 0 {
			return nil
		}
		x, err := w.exerciser(ctx, plan, try)
		if err != nil {
			return err
		}
		pass, err := x.scenario.Run(ctx, "collect=time", nil) // to find the calls that return
		if err != nil {
			return err
		}
		outcomes := exercise.ParseOutcomes(pass.Output)
		hung := slices.ContainsFunc(outcomes, func(out exercise.Outcome) bool { return out.Hung })
		useless := false
		for _, out := range outcomes {
			if out.Died && hung {
				continue // an abandoned call of another function may have ended the process
			}
			if why := out.Useless(); why != "" {
				useless, o.Without[out.Name] = true, why
			}
		}
		switch {
		case pass.TimedOut:
			return fmt.Errorf("calls that were made up take longer than %v", w.own.timeout)
		case useless && try == mostTries:
			return fmt.Errorf("calls that were made up do not return, end the process or panic, in each of %d tries without those that did", mostTries)
		case useless:
			continue
		case pass.Code != cli.OK:
			_, _ = w.env.Stderr.Write(pass.Output)
			return fmt.Errorf("the tests that make calls end with exit code %d", pass.Code)
		}
		return w.measure(ctx, r, x, plan, outcomes, shown)
	}
}

// exerciser returns an isolateWork whose scenario makes the calls of a plan.
func (w *isolateWork) exerciser(ctx context.Context, plan *exercise.Plan, try int) (*isolateWork, error) {
	own := *w.own
	own.out = ""
	x := &isolateWork{env: w.env, own: &own, keys: w.keys, packages: plan.Packages, command: w.command, dir: filepath.Join(w.dir, "exercise"+strconv.Itoa(try))}
	if w.own.deep {
		x.collect = withAlloc("")
	}
	if err := os.Mkdir(x.dir, 0o700); err != nil {
		return nil, err
	}
	overlayFile, err := w.withFiles(x.dir, plan.Files)
	if err != nil {
		return nil, err
	}
	args := []string{"-vet=off", "-timeout=0", "-count=1", "-run=^" + exercise.Test + "$", "-overlay=" + overlayFile}
	if w.command.Dir != "" {
		args = append([]string{"-C=" + w.command.Dir}, args...)
	}
	args = append(append(args, w.command.Without("overlay").BuildFlags()...), plan.Packages...)
	called := map[string]bool{}
	for _, name := range plan.Functions {
		called[name] = true
	}
	flags := w.ownFlags()
	flags.keep = func(p *rewrite.Point) bool { return called[p.Name] && w.keeps(p) }
	flags.keepWhat = fmt.Sprintf("isolate exercise %q", plan.Functions)
	if _, ok := x.tests(ctx, flags, args); !ok {
		return nil, errBuild
	}
	return x, nil
}

// withFiles writes files to a directory, and returns an overlay that maps them to their paths,
// including the user's own overlay.
func (w *isolateWork) withFiles(dir string, files map[string][]byte) (string, error) {
	var o struct{ Replace map[string]string }
	if name, ok := w.command.Flag("overlay"); ok {
		text, err := fileread.File(filepath.Join(w.env.Path(w.command.Dir), name))
		if filepath.IsAbs(name) {
			text, err = fileread.File(name)
		}
		if err == nil {
			err = json.Unmarshal(text, &o)
		}
		if err != nil {
			return "", fmt.Errorf("-overlay %s: %w", name, err)
		}
	}
	if o.Replace == nil {
		o.Replace = map[string]string{}
	}
	n := 0
	for path, text := range files {
		n++
		name := filepath.Join(dir, strconv.Itoa(n)+".go")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return "", err
		}
		o.Replace[path] = name
	}
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

// measure measures the calls in separate passes, and adds the data to the result.
func (w *isolateWork) measure(ctx context.Context, r *isolate.Result, x *isolateWork, plan *exercise.Plan, outcomes []exercise.Outcome, shown *runProgress) error {
	// The calls depend on what the passes reached, and the build depends on the calls.
	folder := filepath.Join(w.env.Path(w.folder), "exercise-"+x.build[:8])
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	store, err := isolate.OpenStore(folder, x.build)
	if err != nil {
		return err
	}
	called := map[string]bool{}
	for _, name := range plan.Functions {
		called[name] = true
	}
	measured, err := isolate.Run(ctx, x.scenario, isolate.Options{
		Collect: x.collect, API: func(m *profile.Marker) bool { return called[m.Name] }, Exact: w.own.exact, Runs: w.own.runs, Store: store,
		Begin: func(p isolate.Progress) { shown.show(fmt.Sprintf("exercise, pass %d, %s", p.Pass, p.Name), p.Left) },
	})
	if err != nil {
		return err
	}
	r.Exercise(measured, outcomes, plan.Refused)
	return nil
}
