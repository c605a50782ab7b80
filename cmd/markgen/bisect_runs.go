package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/markgen/markgen/bisect"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/registry"
)

// A bisection is one run of markgen bisect.
type bisection struct {
	env *cli.Env
	own *ownFlags
	bisectFlags
	verb    string               // test, run, or "" for a command that builds itself
	args    []string             // arguments of go, or the command
	command *overlay.CommandLine // nil for a command that builds itself
	environ []string             // of what runs
	stdin   *replay

	repo    *repository
	work    *overlay.WorkDir
	trees   []*oldTree
	ends    [2]*builtCommit                       // old and new
	tree    *oldTree                              // for the commits between
	earlier func(root string) func(string) []byte // the old end's registries, for a tree with that root
	shown   progressLine

	subject compare.Place                 // the marker
	figure  func(*profile.Marker) float64 // its figure
	named   string                        // the figure's name
	unit    string
	values  [2][]float64 // of the runs of the ends
	judge   *bisect.Judge
	between int // commits
	skipped int
	known   map[string]float64 // values of the commits decided about
	lastOld string             // the latest commit found to be old
	wrong   float64            // bound on the probability of a wrong decision, of all so far
}

// A builtCommit is a commit that was built, and can be run.
type builtCommit struct {
	commit string
	run    scenarioFunc
}

// A failedError says why a commit can't be measured.
type failedError struct {
	commit string
	what   string
	output []byte // of the build or the run
}

func (e *failedError) Error() string { return fmt.Sprintf("%.12s: %s", e.commit, e.what) }

// brief returns the error with the first line of the output that names a place.
func (e *failedError) brief() string {
	for line := range strings.Lines(string(e.output)) {
		if line = strings.TrimSpace(line); strings.Contains(line, ".go:") {
			return e.what + ": " + line
		}
	}
	return e.what
}

// close removes the worktrees and builds.
func (b *bisection) close() {
	b.shown.clear()
	_ = b.work.Close()
	for _, t := range b.trees {
		t.remove()
	}
}

// openEnds checks both revisions out and builds them.
func (b *bisection) openEnds(ctx context.Context) (err error) {
	e := b.env
	b.shown, b.known, b.stdin = newProgressLine(e), map[string]float64{}, newReplay(e.Stdin)
	dir := e.Dir
	if b.command != nil {
		dir = e.Path(b.command.Dir)
	}
	here, err := overlay.MainRoot(ctx, dir, e.Environ)
	if err != nil {
		return err
	}
	if here == "" {
		return fmt.Errorf("%s is in no module; run markgen in the module whose commits to search", dir)
	}
	commits, err := b.revisions(ctx, dir, here)
	if err != nil {
		return err
	}
	if b.work, err = overlay.NewWorkDir(binaryDir(e)); err != nil {
		return fmt.Errorf("no directory for the builds: %w; set GOTMPDIR to one that can be written to", err)
	}
	fresh, err := b.checkOut(ctx, commits[1], commits[1], b.new)
	if err != nil {
		return err
	}
	b.repo.here = fresh.root // its settings hold for all
	fresh.here = fresh.root
	old, err := b.checkOut(ctx, commits[0], commits[0], b.old)
	if err != nil {
		return err
	}
	if b.tree, err = b.checkOut(ctx, "bisect", commits[1], "a commit between"); err != nil {
		return err
	}
	if b.verb != "" {
		b.readMarkers(ctx, old)
	}
	for i, t := range []*oldTree{old, fresh} {
		b.shown.show(fmt.Sprintf("markgen bisect: building %s (%.12s)", t.name, commits[i]))
		if b.ends[i], err = b.build(ctx, t, commits[i]); err != nil {
			return fmt.Errorf("%s, %w", t.name, err)
		}
	}
	return nil
}

// revisions returns the commits of the flags -old and -new, or that where they part and -new.
func (b *bisection) revisions(ctx context.Context, dir, here string) (commits [2]string, err error) {
	b.repo, err = openRepository(ctx, b.env, dir, here)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return commits, errors.New("there is no git to look for commits; install git")
	case err != nil:
		return commits, fmt.Errorf("git finds no repository in %s (%w)", dir, err)
	case b.repo.inTop == "":
		return commits, fmt.Errorf("go builds what is in %s, which is not in the git repository %s; set GOWORK=off to build the module alone", here, b.repo.top)
	}
	shallow, err := b.repo.git(ctx, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return commits, err
	}
	remedy := "fetch it, or name another"
	if shallow == "true" {
		remedy = "this is a shallow clone: fetch the rest by git fetch --unshallow"
	}
	for i, rev := range []string{b.old, b.new} {
		if commits[i], err = b.repo.commit(ctx, rev); err != nil {
			return commits, fmt.Errorf("%s: the repository has no such revision; %s", rev, remedy)
		}
	}
	base, err := b.repo.git(ctx, "merge-base", commits[0], commits[1])
	switch {
	case err != nil && ctx.Err() == nil && shallow == "true":
		return commits, fmt.Errorf("%s and %s have no commit in common here; %s", b.old, b.new, remedy)
	case err != nil:
		return commits, fmt.Errorf("%s and %s have no commit in common, so none is between them", b.old, b.new)
	case base == commits[1]:
		return commits, fmt.Errorf("no commit is between %s and %s; name the older revision by -old, the newer by -new", b.old, b.new)
	case base != commits[0]:
		note(b.env, fmt.Sprintf("%s is no ancestor of %s; the search begins at %.12s, where they part", b.old, b.new, base))
		commits[0], b.old = base, base[:12]
	}
	if modules, err := b.repo.git(ctx, "ls-tree", "--name-only", commits[1], ".gitmodules"); err == nil && modules != "" {
		note(b.env, "submodules are not checked out in the worktrees; what needs files of theirs does not build")
	}
	return commits, nil
}

// checkOut makes a worktree.
func (b *bisection) checkOut(ctx context.Context, key, commit, name string) (*oldTree, error) {
	t, err := b.repo.checkOut(ctx, key, commit, name)
	if err == nil {
		b.trees = append(b.trees, t)
		err = t.check(ctx, b.env, name)
	}
	return t, err
}

// readMarkers reads the markers of the old end, whose IDs hold for all commits.
func (b *bisection) readMarkers(ctx context.Context, old *oldTree) {
	side := &sideBuild{env: b.env, own: b.own, args: b.args}
	side.moveTo(old, b.command, new(heldOutput))
	if of := markersOf(ctx, b.env, old, side); of != nil {
		b.earlier = func(from string) func(string) []byte {
			return func(root string) []byte {
				rest, ok := strings.CutPrefix(root, from)
				if !ok {
					return nil
				}
				return of(old.here + rest)
			}
		}
	}
}

// at checks a commit out and builds it.
func (b *bisection) at(ctx context.Context, commit string) (*builtCommit, error) {
	b.shown.show(fmt.Sprintf("markgen bisect: building %.12s", commit))
	for _, args := range [][]string{{"checkout", "--quiet", "--force", "--detach", commit}, {"clean", "-ffdxq"}} {
		if _, err := runGit(ctx, b.env, b.tree.top, args...); err != nil {
			return nil, err
		}
	}
	if err := b.tree.check(ctx, b.env, "it"); err != nil {
		return nil, &failedError{commit: commit, what: err.Error()}
	}
	return b.build(ctx, b.tree, commit)
}

// build builds what is in a tree.
func (b *bisection) build(ctx context.Context, t *oldTree, commit string) (*builtCommit, error) {
	p := &builtCommit{commit: commit}
	if b.verb == "" {
		p.run = runCommand(b.env, b.args, t.dir, b.stdin)
		return p, nil
	}
	var held heldOutput
	s := &sideBuild{env: b.env, own: b.own, args: b.args}
	s.moveTo(t, b.command, &held)
	if b.earlier != nil {
		s.own.earlier = b.earlier(t.root)
	}
	dir := filepath.Join(b.work.Path, commit)
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return nil, err
	}
	code := cli.OK
	if b.verb == "test" {
		var processes []*overlay.TestProcess
		processes, code, err = buildTests(ctx, s.env, s.own, testArgs(b.command, s.args), dir)
		if err == nil && len(processes) == 0 {
			return nil, &failedError{commit: commit, what: "none of the packages has tests"}
		}
		p.run = runTests(processes)
	} else {
		var program *builtProgram
		if program, code, err = buildProgram(ctx, s.env, s.own, s.args, dir); err == nil {
			p.run = runCommand(b.env, program.argv, program.dir, b.stdin)
		}
	}
	if err != nil && ctx.Err() == nil && (errors.Is(err, errBuild) || code != cli.OK) {
		output := held.stderr.Bytes()
		if !errors.Is(err, errBuild) {
			output = fmt.Appendln(output, err)
		}
		if code == cli.Usage {
			return nil, &failedError{commit: commit, what: "go can't read the command line", output: output}
		}
		return nil, &failedError{commit: commit, what: "it does not build", output: output}
	}
	return p, err
}

// runOnce runs a commit and returns what was measured.
func (b *bisection) runOnce(ctx context.Context, p *builtCommit) (*profile.Profile, error) {
	pass, err := onePass(ctx, b.environ, b.timeout, p.run, func(c *overlay.Collection) error {
		c.Demote() // as run -runs does
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case pass.Code != cli.OK || pass.TimedOut:
		return nil, &failedError{commit: p.commit, what: "the run failed, " + pass.How(), output: pass.Output}
	case len(pass.Profile.Markers) == 0:
		return nil, &failedError{commit: p.commit, what: "no data: " + noData}
	}
	return pass.Profile, nil
}

// markerOf returns the marker with an ID, or nil.
func markerOf(p *profile.Profile, id registry.ID) *profile.Marker {
	for i := range p.Markers {
		if p.Markers[i].ID == id {
			return &p.Markers[i]
		}
	}
	return nil
}
