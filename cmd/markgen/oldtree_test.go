package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/internal/cli"
)

// Another state of a module is checked out, found and removed, or the error explains why not.
func TestOldTree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := resolved(t.TempDir())
	repo, tmp := filepath.Join(dir, "repo"), filepath.Join(dir, "tmp")
	for name, text := range map[string]string{
		"repo/go.mod": "module example.com/m\n\ngo 1.26\n", "repo/a/a.go": "package a\n", "tmp/.keep": "", "gitconfig": "[user]\n\tname = A\n\temail = a@example.com\n",
		"other/go.mod": "module example.com/m\n\ngo 1.26\n", "other/a/a.go": "package a\n", "another/go.mod": "module example.com/another\n", "another/a/a.go": "package a\n",
		"bare/go.mod": "module example.com/m\n", "none/a/a.go": "package a\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var stderr bytes.Buffer
	e := (&cli.Env{Stderr: &stderr, Dir: repo, Environ: append(os.Environ(), "GOFLAGS=", "GOWORK=off", "TMPDIR="+tmp, "GIT_CONFIG_GLOBAL="+filepath.Join(dir, "gitconfig"))}).Running(program, cmdTest)
	git := func(args ...string) {
		t.Helper()
		if _, err := runGit(t.Context(), e, repo, args...); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "one")
	git("tag", "v1")
	if err := os.MkdirAll(filepath.Join(repo, "later"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, dir, err string }{
		{"v1", "a", ""},
		{"HEAD", "a", ""}, // a tree that git does not recognise any more
		{"../other", "a", ""},
		{"v2", "a", "-old v2: the repository has no such revision, and there is no folder of that name"},
		{"v1", "later", "-old v1: there is no folder later in it"},
		{"../bare", "a", "-old ../bare: there is no folder a in it"},
		{"../another", "a", "-old ../another is the module example.com/another, and this one is example.com/m"},
		{"../none", "a", "-old ../none: no go.mod is in it"},
		{"v1", "../none/a", "is in no module"},
		{"v1", "../other/a", "-old v1: there is no such folder, and git can't look for a revision in " + filepath.Join(dir, "other", "a") + " (git rev-parse: "},
	} {
		tree, err := openOldTree(t.Context(), e, tt.old, filepath.Join(repo, tt.dir))
		switch {
		case err != nil && (tt.err == "" || !strings.Contains(err.Error(), tt.err)), err == nil && tt.err != "":
			t.Errorf("-old %s in %s: %v, want %q", tt.old, tt.dir, err, tt.err)
		case err == nil:
			if _, err := os.Stat(filepath.Join(tree.dir, "a.go")); err != nil || filepath.Base(tree.dir) != "a" {
				t.Errorf("-old %s in %s: %v", tt.old, tt.dir, err)
			}
			if tt.old == "HEAD" {
				if err := os.Remove(filepath.Join(tree.root, ".git")); err != nil {
					t.Error(err)
				}
			}
			tree.remove()
		}
		if left, err := filepath.Glob(filepath.Join(tmp, "markgen-*")); err != nil || len(left) > 0 {
			t.Errorf("-old %s in %s: left %v, %v", tt.old, tt.dir, left, err)
		}
	}
	if list, err := runGit(t.Context(), e, repo, "worktree", "list"); err != nil || strings.Contains(list, "\n") {
		t.Errorf("work trees: %s, %v", list, err)
	}
	if stderr.Len() > 0 {
		t.Errorf("it says: %s", stderr.String())
	}
}

func TestGitError(t *testing.T) {
	for stderr, want := range map[string]string{
		"fatal: not a git repository\n":                                          "not a git repository",
		"Preparing worktree\nfatal: it exists\n":                                 "it exists",
		"hint: one\nerror: this\n\n  would be overwritten\nfatal: that is all\n": "this would be overwritten that is all",
		"something else\n":                                                       "something else",
		"":                                                                       "",
	} {
		if got := gitError(stderr); got != want {
			t.Errorf("%q: %q, want %q", stderr, got, want)
		}
	}
}
