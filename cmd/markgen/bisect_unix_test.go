//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/markgen/markgen/tier"
)

// An interrupt ends markgen bisect in the middle of a run; its worktrees are removed.
func TestBisectInterrupted(t *testing.T) {
	tier.Test(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir, tmp, began := resolved(t.TempDir()), t.TempDir(), filepath.Join(t.TempDir(), "began")
	env := append(os.Environ(), "MARKGEN=", "GOFLAGS="+tier.CachedFlags(), "GOWORK=", "GOTMPDIR=", "TMPDIR="+tmp, "MARKGENCACHE="+t.TempDir(),
		"BEGAN="+began, "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"a.go":   "package m\n\nfunc A(n int) (sum int) {\n\tfor i := range n {\n\t\tsum += i\n\t}\n\treturn sum\n}\n",
		"a_test.go": `package m

import (
	"os"
	"testing"
	"time"
)

func TestA(t *testing.T) {
	A(10)
	os.WriteFile(os.Getenv("BEGAN"), nil, 0o666)
	time.Sleep(time.Hour)
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "one")
	git("commit", "-qm", "two", "--allow-empty")

	var stdout, stderr bytes.Buffer
	cmd := exec.Command("markgen", "bisect", "-old", "HEAD~1", "-metric", "count", ".")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !isFile(began) {
		time.Sleep(5 * time.Millisecond)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil { // to the whole group, as a terminal does
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || stdout.Len() > 0 || stderr.String() != "markgen bisect: interrupt; the worktrees are removed\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
	}
	if trees := git("worktree", "list"); strings.Count(trees, "\n") != 1 {
		t.Errorf("worktrees are left:\n%s", trees)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}
