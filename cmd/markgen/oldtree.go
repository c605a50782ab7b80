package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
)

// ownOldText is the help for -old of run and test.
const ownOldText = `
  -old REV|DIR  with -runs: in turns with the runs of what is here, make those of another state of the module, a
                revision that git has or the root of another checkout (./DIR if there is a revision of that
                name); they go to the folders old and new in that of -o`

// An oldTree is another state of the module or workspace in which the command runs.
type oldTree struct {
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
	if err := t.check(ctx, e, old); err != nil {
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

// check checks that go, run in the old tree, would build that tree.
func (t *oldTree) check(ctx context.Context, e *cli.Env, old string) error {
	for _, dir := range []string{t.root, t.dir} {
		if !e.IsFolder(dir) {
			return fmt.Errorf("-old %s: there is no folder %s in it; run markgen in one that both have", old, strings.TrimPrefix(dir, t.root+string(filepath.Separator)))
		}
		switch root, err := overlay.MainRoot(ctx, dir, e.Environ); {
		case err != nil:
			return err
		case root == "":
			return fmt.Errorf("-old %s: no go.mod is in it; name the root of another checkout of the module", old)
		case resolved(root) != t.root:
			return fmt.Errorf("-old %s: go would build what is in %s there; name the folder that has the go.mod, or the go.work, of another checkout, and see that GOWORK names no other", old, root)
		}
	}
	return nil
}

// oldRevision checks out a revision of the git repository that contains dir.
func oldRevision(ctx context.Context, e *cli.Env, old, dir, here string) (_ *oldTree, err error) {
	place, err := runGit(ctx, e, dir, "rev-parse", "--show-toplevel", "--show-prefix")
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("-old %s: there is no such folder, and no git to check the revision out; install git, or name a folder", old)
	}
	if err != nil {
		return nil, fmt.Errorf("-old %s: there is no such folder, and git can't look for a revision in %s (%w); name a folder, or a revision of a repository that this is in", old, dir, err)
	}
	top, prefix, _ := strings.Cut(place, "\n")
	commit, err := runGit(ctx, e, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", old+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("-old %s: the repository has no such revision, and there is no folder of that name; fetch it, or name another (in CI, check out with the whole history)", old)
	}
	inTop, err := filepath.Rel(top, resolved(here))
	if err != nil || !filepath.IsLocal(inTop) {
		return nil, fmt.Errorf("-old %s: go builds what is in %s, which is not in the git repository %s; set GOWORK=off to build the module alone, or name a folder", old, here, top)
	}
	tree, err := worktreeDir(e, top, commit)
	if err != nil {
		return nil, err
	}
	t := &oldTree{
		root:   filepath.Join(tree, inTop),
		here:   here,
		dir:    filepath.Join(tree, filepath.FromSlash(prefix)),
		name:   fmt.Sprintf("%s, %.12s", old, commit),
		remove: func() { removeWorktree(e, top, tree) },
	}
	if _, err = runGit(ctx, e, top, "worktree", "add", "--detach", tree, commit); err != nil {
		err = fmt.Errorf("-old %s: %w; see to that, or check the revision out yourself and name its folder", old, err)
	} else {
		err = t.check(ctx, e, old)
	}
	if err != nil {
		t.remove()
		return nil, err
	}
	return t, nil
}

// worktreeDir creates the directory into which a revision is checked out. Its name is the same
// every time, unless another markgen is using it, since go's build cache depends on file names.
func worktreeDir(e *cli.Env, top, commit string) (string, error) {
	base, err := filepath.EvalSymlinks(tempDir(e))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, fmt.Sprintf("markgen-old-%x", sha256.Sum256([]byte(top+"\n"+commit)))[:len("markgen-old-")+12])
	if os.Mkdir(dir, 0o700) == nil {
		return dir, nil
	}
	return os.MkdirTemp(base, "markgen-old-")
}

// removeWorktree removes a tree in any state, also after an interrupt.
func removeWorktree(e *cli.Env, top, tree string) {
	ctx := context.Background()
	if _, err := runGit(ctx, e, top, "worktree", "remove", "--force", tree); err != nil {
		err = os.RemoveAll(tree)
		_, prune := runGit(ctx, e, top, "worktree", "prune")
		if err := errors.Join(err, prune); err != nil {
			e.Warn(fmt.Sprintf("%v; remove what is left by git worktree remove --force %s", err, tree))
		}
	}
}

// runGit runs git and returns its output without the last newline. The error names the command
// without its flags.
func runGit(ctx context.Context, e *cli.Env, dir string, args ...string) (string, error) {
	// Without hooks, which may do anything to a tree.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
	cmd.Dir = dir
	// If a hook started markgen, these variables are set for the hook's repository.
	cmd.Env = slices.DeleteFunc(slices.Clone(e.Environ), func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}, key)
	})
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
		err = fmt.Errorf("git %s: %s", strings.Join(words, " "), gitError(stderr.String()))
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// gitError returns git's error message on one line, without progress messages before it.
func gitError(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	is := func(line string) bool {
		return strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ")
	}
	lines = lines[max(0, slices.IndexFunc(lines, is)):]
	for i, line := range lines {
		lines[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: "))
	}
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return line == "" }), " ")
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
