package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/report"
)

// ownRunsText is the help for -runs of run, test and exec.
const ownRunsText = `
  -runs N       make N runs to compare, each in new processes, with a file each in the folder -o. A warm-up run
                precedes them, whose output is shown and whose data are dropped. Of the N runs, only the output
                of those that fail is shown, and their data are dropped. An interrupt keeps complete runs`

// repeats reports whether -runs, or a flag that requires it, is given.
func (own *ownFlags) repeats() bool { return own.runs != "" || own.old != "" }

// A side is one of the builds whose runs are repeated.
type side struct {
	name   string // "old" or "new"; "" if there is one build
	shown  string // name for messages, including the program or revision
	folder string // directory for its runs, as the user wrote it

	// first builds the side and runs it once, with all output visible to the user.
	first func(context.Context, *overlay.Collection) (code int, err error)

	// again runs it once more. Only the output of a failing run is shown.
	again func(context.Context, *overlay.Collection) (code int, err error)

	held  heldOutput // output of first, for a side whose output is only shown on failure
	files []string   // complete runs

	unmarked string // as of ownFlags
}

// heldOutput is output that is shown only if necessary.
type heldOutput struct{ stdout, stderr bytes.Buffer }

func (h *heldOutput) show(e *cli.Env) {
	_, _ = h.stderr.WriteTo(e.Stderr)
	_, _ = h.stdout.WriteTo(e.Stdout)
}

// after returns the name after a comma, or "".
func after(name string) string {
	if name == "" {
		return ""
	}
	return ", " + name
}

// A repetition makes runs of one or two builds.
//
// With two builds, the order of runs is old, new, new, old, old, new …: each two pairs have the
// same mean of any slow drift, such as a processor getting warm, and neither build always follows
// the other. A random order would achieve that only on average, and there are few runs.
type repetition struct {
	env    *cli.Env
	runs   int
	folder string // value of -o
	report string // as in runData; the report covers all runs of the last side
	exact  bool   // time all scopes
	paths  bool   // record paths
	shown  report.Options
	budget *budget // as of ownFlags
	what   string  // what is run, for messages
	sides  []*side
	dir    *overlay.WorkDir // for the builds
	made   []string         // directories that were created, absolute, outer ones first
}

// repetitionOf returns the repetition for the flags, or nil if they are invalid, after reporting
// that.
func repetitionOf(e *cli.Env, own *ownFlags) (r *repetition, code int) {
	r = &repetition{env: e, folder: own.out, report: own.report, exact: own.exact, paths: own.paths, shown: own.shown, budget: own.budget}
	var err error
	switch r.runs, err = strconv.Atoi(own.runs); {
	case own.runs == "":
		return nil, e.Wrong("-old is for -runs; say how many runs to make of each, -runs 10")
	case err != nil || r.runs < 1:
		return nil, e.Wrong("-runs %s: give a number of runs, 1 or more", own.runs)
	case own.out == "":
		return nil, e.Wrong("-runs keeps its runs in a folder; name it with -o FOLDER")
	}
	if info, err := os.Stat(e.Path(own.out)); err == nil && !info.IsDir() {
		return nil, e.Wrong("-o %s is a file; with -runs, -o names a folder, which is made if it is missing", own.out)
	}
	for _, name := range sideNames(own) {
		folder := filepath.Join(own.out, name)
		if files, err := runfile.Find(e.Dir, folder); err == nil {
			return nil, e.Wrong("%s holds data already (%s%s), which would be taken for runs of this build; name another folder, or remove this one", folder, filepath.Base(files[0]), andMore(len(files)-1))
		}
		r.sides = append(r.sides, &side{name: name, shown: name, folder: folder})
	}
	return r, cli.OK
}

// sideNames returns the names of the sides, in the order of their first runs.
func sideNames(own *ownFlags) []string {
	if own.old == "" {
		return []string{""}
	}
	return []string{"old", "new"}
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// begin creates the directories.
func (r *repetition) begin() error {
	var err error
	if r.dir, err = overlay.NewWorkDir(binaryDir(r.env)); err != nil {
		return fmt.Errorf("no directory for the builds: %w; set GOTMPDIR to one that can be written to", err)
	}
	for _, s := range r.sides {
		var missing []string
		for dir := r.env.Path(s.folder); ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
				break
			}
			missing = append(missing, dir)
		}
		slices.Reverse(missing)
		r.made = append(r.made, missing...)
		if err := os.MkdirAll(r.env.Path(s.folder), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// end removes what begin created and is not needed any more.
func (r *repetition) end() {
	_ = r.dir.Close()
	for _, dir := range slices.Backward(r.made) {
		_ = os.Remove(dir) // if it is empty
	}
}

// run builds the sides, makes the runs, and prints where they are. It is called between begin and
// end. It returns the exit code: 0, that of the first failure, or 128+n after signal n.
func (r *repetition) run(ctx context.Context) int {
	for i := len(r.sides) - 1; i >= 0; i-- { // the new side first: it is what the user works on and what fails
		code, err := r.warmUp(ctx, r.sides[i])
		switch {
		case ctx.Err() != nil:
			return r.interrupted(ctx, "before the first run")
		case err != nil:
			return max(code, failGo(r.env, err))
		case code != cli.OK:
			return code
		}
	}
	shown := newProgress(r.env, r.runs*len(r.sides))
	defer shown.clear()
	code := cli.OK
	for i := range r.runs {
		for n := range r.sides {
			s := r.sides[n]
			if i%2 == 1 {
				s = r.sides[len(r.sides)-1-n]
			}
			name := fmt.Sprintf("run %d of %d%s", i+1, r.runs, after(s.name))
			shown.begin(name)
			start := time.Now()
			failed, err := r.once(ctx, s, i+1, shown)
			took := time.Since(start)
			switch {
			case ctx.Err() != nil:
				shown.clear()
				return r.interrupted(ctx, "in "+name)
			case err != nil:
				shown.clear()
				return max(failed, r.env.Fail(err))
			case failed != cli.OK:
				shown.end(name, took, fmt.Sprintf(", exit code %d; its data are left out", failed))
				if code == cli.OK {
					code = failed
				}
			default:
				shown.end(name, took, "")
			}
		}
	}
	shown.clear()
	reported := r.reportOn()
	r.conclude()
	if code == cli.OK {
		return reported
	}
	return code
}

// collect creates a directory for the data of a run.
func (r *repetition) collect() (*overlay.Collection, error) {
	c, err := overlay.Collect(r.env.Environ)
	if err != nil {
		return nil, err
	}
	if !r.exact {
		c.Demote()
	} else if err := c.Exact(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if r.paths {
		c.Paths()
	}
	return c, nil
}

// warmUp builds a side and runs it once, as without -runs. Its data are discarded, since the first
// run is slower, with cold caches, and which side would run first is arbitrary. If it fails there
// is nothing to compare.
func (r *repetition) warmUp(ctx context.Context, s *side) (int, error) {
	if s.name == "old" {
		fmt.Fprintf(r.env.Stderr, "%s: building and running %s, %s\n", r.env.Name(), r.what, s.shown)
	}
	c, err := r.collect()
	if err != nil {
		return cli.Failure, err
	}
	defer c.Close()
	if c.Traced {
		return cli.Failure, errors.New("MARKGEN asks for a trace, and runs are compared by their figures; leave trace out of collect, or make one run without -runs")
	}
	if r.report, err = reportWanted(r.env, r.report, c); err != nil {
		return cli.Failure, err
	}
	code, err := s.first(ctx, c)
	if (err != nil || code != cli.OK) && ctx.Err() == nil {
		s.held.show(r.env)
	}
	if err != nil || ctx.Err() != nil {
		return code, err
	}
	if code != cli.OK {
		fmt.Fprintf(r.env.Stderr, "%s: %s%s: exit code %d; no runs are made of what fails\n", r.env.Name(), r.what, after(s.shown), code)
		return code, nil
	}
	files, err := c.Files()
	if err == nil && len(files) == 0 {
		for _, warning := range c.Warnings() {
			r.env.Warn(warning)
		}
		err = fmt.Errorf("%s%s: no data, so no runs are made: %s", r.what, after(s.shown), cmp.Or(s.unmarked, noData))
	}
	if err != nil {
		return cli.Failure, err
	}
	return cli.OK, nil
}

// once makes run n of a side.
func (r *repetition) once(ctx context.Context, s *side, n int, shown *runProgress) (code int, err error) {
	c, err := r.collect()
	if err != nil {
		return cli.Failure, err
	}
	defer c.Close()
	if code, err = s.again(ctx, c); code != cli.OK || err != nil || ctx.Err() != nil {
		return code, err
	}
	files, err := c.Files()
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("run %d of %d%s: no data, though the run before the first had some; see what differs from run to run", n, r.runs, after(s.name))
	}
	if err != nil {
		return cli.Failure, err
	}
	to := filepath.Join(r.env.Path(s.folder), fmt.Sprintf("run-%0*d.markgen", max(3, len(strconv.Itoa(r.runs))), n))
	warnings, err := writeRun(to, files, c.Complete())
	for _, warning := range append(c.Warnings(), warnings...) {
		shown.clear()
		r.env.Warn(strings.TrimPrefix(warning, c.Dir()+string(filepath.Separator)))
	}
	if err != nil {
		return cli.Failure, err
	}
	s.files = append(s.files, to)
	return cli.OK, nil
}

// writeRun merges the data files of a run's processes into one file. The warnings list missing
// data.
func writeRun(to string, files []string, complete bool) (warnings []string, err error) {
	sum := new(runfile.Sum)
	for _, file := range files {
		if err := sum.AddFile(file); err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	p := sum.Profile()
	if p.Runs == 0 {
		return warnings, fmt.Errorf("%s is not written: none of the run's data could be read", to)
	}
	p.Complete = p.Complete && complete
	return append(warnings, p.Warnings...), codec.Write(to, p)
}

// reportOn writes the report over all runs of the last side.
func (r *repetition) reportOn() int {
	s := r.sides[len(r.sides)-1]
	if r.report == "none" || len(s.files) == 0 {
		return cli.OK
	}
	p, code := addUp(r.env, s.files)
	if p == nil {
		return code
	}
	code = max(code, reportTo(r.env, r.report, s.folder, p, r.shown))
	r.budget.measured(r.env, p)
	return code
}

// conclude prints where the runs are and how to compare them.
func (r *repetition) conclude() {
	if r.complete() == 0 {
		fmt.Fprintf(r.env.Stderr, "%s: no run is complete\n", r.env.Name())
		return
	}
	fmt.Fprintf(r.env.Stderr, "%s: %s; ", r.env.Name(), r.kept())
	if len(r.sides) == 2 {
		fmt.Fprintf(r.env.Stderr, "compare them with\n  markgen diff %s -- %s\n", shellWord(r.sides[0].folder), shellWord(r.sides[1].folder))
		return
	}
	fmt.Fprintf(r.env.Stderr, "compare them with older ones by markgen diff OLD -- %s\n", shellWord(r.folder))
}

func (r *repetition) complete() (n int) {
	for _, s := range r.sides {
		n += len(s.files)
	}
	return n
}

// kept describes which runs are where.
func (r *repetition) kept() string {
	var parts []string
	for _, s := range r.sides {
		part := fmt.Sprintf("%d runs are in %s", len(s.files), s.folder)
		if len(s.files) == 1 {
			part = "1 run is in " + s.folder
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// interrupted prints which runs exist after a signal, and returns the exit code of a program killed
// by that signal.
func (r *repetition) interrupted(ctx context.Context, where string) int {
	var by interrupt.Error
	errors.As(context.Cause(ctx), &by)
	if r.complete() == 0 {
		fmt.Fprintf(r.env.Stderr, "%s: %v %s; no run is complete\n", r.env.Name(), by, where)
	} else {
		fmt.Fprintf(r.env.Stderr, "%s: %v %s; %s\n", r.env.Name(), by, where, r.kept())
	}
	return by.ExitCode()
}

// shellWord quotes a name for a shell if necessary.
func shellWord(name string) string {
	if strings.ContainsAny(name, " \t\n'\"\\$`!*?[]{}()<>|&;#~") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}
