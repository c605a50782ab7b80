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
)

// A repository is the git repository around a directory. Its revisions are checked out into
// temporary worktrees: the user's checkout is not touched.
type repository struct {
	env    *cli.Env
	top    string // root of the checkout
	prefix string // path of the directory in it
	inTop  string // path of the module or workspace in it; "" if that is elsewhere
	here   string // root of the module or workspace
}

// openRepository opens the repository around dir; here is the root of the module or workspace. The
// error is exec.ErrNotFound if there is no git.
func openRepository(ctx context.Context, e *cli.Env, dir, here string) (*repository, error) {
	place, err := runGit(ctx, e, dir, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, err
	}
	r := &repository{env: e, here: here}
	r.top, r.prefix, _ = strings.Cut(place, "\n")
	if in, err := filepath.Rel(r.top, resolved(here)); err == nil && filepath.IsLocal(in) {
		r.inTop = in
	}
	return r, nil
}

// git runs git in the user's checkout.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	return runGit(ctx, r.env, r.top, args...)
}

// commit returns the hash of the commit that a revision names.
func (r *repository) commit(ctx context.Context, rev string) (string, error) {
	return r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
}

// checkOut makes a worktree of a commit. The key determines its directory.
func (r *repository) checkOut(ctx context.Context, key, commit, name string) (*oldTree, error) {
	tree, err := worktreeDir(r.env, r.top, key)
	if err != nil {
		return nil, err
	}
	t := &oldTree{
		top:    tree,
		root:   filepath.Join(tree, r.inTop),
		here:   r.here,
		dir:    filepath.Join(tree, filepath.FromSlash(r.prefix)),
		name:   name,
		remove: func() { removeWorktree(r.env, r.top, tree) },
	}
	if _, err := r.git(ctx, "worktree", "add", "--detach", tree, commit); err != nil {
		t.remove()
		return nil, err
	}
	return t, nil
}

// worktreeDir creates the directory of a worktree. For the same key its name is the same every time,
// unless another markgen is using it, since go's build cache depends on file names.
func worktreeDir(e *cli.Env, top, key string) (string, error) {
	base, err := filepath.EvalSymlinks(tempDir(e))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, fmt.Sprintf("markgen-old-%x", sha256.Sum256([]byte(top+"\n"+key)))[:len("markgen-old-")+12])
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
	return runGitOn(ctx, e, dir, "", args...)
}

// runGitOn is runGit with a text as git's standard input.
func runGitOn(ctx context.Context, e *cli.Env, dir, stdin string, args ...string) (string, error) {
	// Without hooks, which may do anything to a tree.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull}, args...)...)
	cmd.Dir = dir
	// If a hook started markgen, these variables are set for the hook's repository.
	cmd.Env = slices.DeleteFunc(slices.Clone(e.Environ), func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}, key)
	})
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &stderr
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
