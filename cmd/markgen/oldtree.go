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

// ownOldText explains -old of run and test.
const ownOldText = `
  -old REV|DIR  with -runs: in turns with the runs of what is here, make those of another state of the module, a
                revision that git has or the root of another checkout (./DIR if there is a revision of that
                name); they go to the folders old and new in that of -o`

// An oldTree is another state of the module, or of the workspace, that the command runs in.
type oldTree struct {
	root   string // where go.mod or go.work is
	here   string // what it is another state of
	dir    string // the folder in it that the command would run in
	name   string // for people
	remove func() // a tree that was made for this command
}

// openOldTree finds what -old names, seen from dir, the folder that go is to run in. A folder goes before a revision.
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

// oldFolder takes a folder for the root of another checkout of the module.
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

// resolved is a path without symbolic links, or the path itself where there is nothing.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// check sees that go run in the old tree would build that tree.
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

// oldRevision checks out a revision of the git repository that dir is in.
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

// worktreeDir makes the folder that a revision is checked out in. It is the same every time, as long as no other
// markgen has it, for go finds what it has compiled by the names of the files.
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

// removeWorktree removes a tree, whatever has become of it, also after an interrupt.
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

// runGit runs git and returns what it prints, without the last newline. The error names the command without its flags.
func runGit(ctx context.Context, e *cli.Env, dir string, args ...string) (string, error) {
	// Without hooks: they are for people, and may do anything to a tree.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
	cmd.Dir = dir
	// A hook that starts markgen has these of its own, and they would be taken for those of the tree.
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

// gitError is in one line what git says of an error, without what it says before of what it does.
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

// tempDir is where temporary files go.
func tempDir(e *cli.Env) string {
	if dir := e.Getenv("TMPDIR"); dir != "" {
		return e.Path(dir)
	}
	return e.Path(os.TempDir())
}

// binaryDir is where those go that are run from there: go's directory for such, or tempDir.
func binaryDir(e *cli.Env) string {
	if dir := e.Getenv("GOTMPDIR"); dir != "" {
		return e.Path(dir)
	}
	return tempDir(e)
}
