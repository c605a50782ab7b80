package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
)

// ownOldText is the help for -old of run and test.
const ownOldText = `
  -old REV|DIR  with -runs: alternate with runs of another version of the module: a git revision, or the root of
                another checkout (./DIR if there is a revision of that name). The data go to the folders old
                and new in the folder -o`

// An oldTree is another state of the module or workspace in which the command runs.
type oldTree struct {
	top    string // root of the worktree; "" for another checkout
	root   string // directory of go.mod or go.work
	here   string // root of the current state
	dir    string // directory in which the command would run
	name   string // shown to the user
	remove func() // removes a tree created for this command
}

// openOldTree opens the tree that -old names; dir is the directory in which go will run. If both
// exist, a directory takes precedence over a revision.
func openOldTree(ctx context.Context, e *cli.Env, old, dir string) (*oldTree, error) {
	here, err := overlay.MainRoot(ctx, dir, e.Environ)
	if err != nil {
		return nil, err
	}
	if here == "" {
		return nil, fmt.Errorf("-old %s: %s is in no module; run markgen in the module to compare", old, dir)
	}
	if e.IsFolder(old) {
		return oldFolder(ctx, e, old, dir, here)
	}
	return oldRevision(ctx, e, old, dir, here)
}

// oldFolder uses a directory as the root of another checkout of the module.
func oldFolder(ctx context.Context, e *cli.Env, old, dir, here string) (*oldTree, error) {
	root := resolved(e.Path(old))
	rel, err := filepath.Rel(here, dir)
	if err != nil {
		return nil, err
	}
	t := &oldTree{root: root, here: here, dir: filepath.Join(root, rel), name: old, remove: func() {}}
	if err := t.check(ctx, e, "-old "+old); err != nil {
		return nil, err
	}
	if is, want := modulePath(t.root), modulePath(here); is != want {
		return nil, fmt.Errorf("-old %s is the module %s, and this one is %s; name another checkout of the same module", old, is, want)
	}
	return t, nil
}

// resolved returns a path without symbolic links, or the path itself if it does not exist.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// check checks that go, run in the old tree, would build that tree. what begins the error messages.
func (t *oldTree) check(ctx context.Context, e *cli.Env, what string) error {
	for _, dir := range []string{t.root, t.dir} {
		if !e.IsFolder(dir) {
			return fmt.Errorf("%s: there is no folder %s in it; run markgen in one that both have", what, strings.TrimPrefix(dir, t.root+string(filepath.Separator)))
		}
		switch root, err := overlay.MainRoot(ctx, dir, e.Environ); {
		case err != nil:
			return err
		case root == "":
			return fmt.Errorf("%s: no go.mod is in it; name the root of another checkout of the module", what)
		case resolved(root) != t.root:
			return fmt.Errorf("%s: go would build what is in %s there; name the folder that has the go.mod, or the go.work, of another checkout, and see that GOWORK names no other", what, root)
		}
	}
	return nil
}

// oldRevision checks out a revision of the git repository that contains dir.
func oldRevision(ctx context.Context, e *cli.Env, old, dir, here string) (*oldTree, error) {
	r, err := openRepository(ctx, e, dir, here)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("-old %s: there is no such folder, and no git to check the revision out; install git, or name a folder", old)
	}
	if err != nil {
		return nil, fmt.Errorf("-old %s: there is no such folder, and git can't look for a revision in %s (%w); name a folder, or a revision of a repository that this is in", old, dir, err)
	}
	commit, err := r.commit(ctx, old)
	if err != nil {
		return nil, fmt.Errorf("-old %s: the repository has no such revision, and there is no folder of that name; fetch it, or name another (in CI, check out with the whole history)", old)
	}
	if r.inTop == "" {
		return nil, fmt.Errorf("-old %s: go builds what is in %s, which is not in the git repository %s; set GOWORK=off to build the module alone, or name a folder", old, here, r.top)
	}
	t, err := r.checkOut(ctx, commit, commit, fmt.Sprintf("%s, %.12s", old, commit))
	if err != nil {
		return nil, fmt.Errorf("-old %s: %w; see to that, or check the revision out yourself and name its folder", old, err)
	}
	if err := t.check(ctx, e, "-old "+old); err != nil {
		t.remove()
		return nil, err
	}
	return t, nil
}

// tempDir returns the directory for temporary files.
func tempDir(e *cli.Env) string {
	if dir := e.Getenv("TMPDIR"); dir != "" {
		return e.Path(dir)
	}
	return e.Path(os.TempDir())
}

// binaryDir returns the directory for temporary executables: GOTMPDIR, or tempDir.
func binaryDir(e *cli.Env) string {
	if dir := e.Getenv("GOTMPDIR"); dir != "" {
		return e.Path(dir)
	}
	return tempDir(e)
}
