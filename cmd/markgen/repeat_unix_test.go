//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// A repeating is a markgen process with -runs, in its own process group.
type repeating struct {
	t      *testing.T
	cmd    *exec.Cmd
	dir    string // the module, a git repository with a revision v1
	stderr *bufio.Reader
	seen   bytes.Buffer // stderr so far
}

// repeatIn starts markgen test with args on slow tests.
func repeatIn(t *testing.T, args ...string) *repeating {
	t.Helper()
	dir := t.TempDir()
	r := &repeating{t: t, dir: filepath.Join(dir, "m")}
	for name, text := range map[string]string{
		"m/go.mod": "module example.com/m\n\ngo 1.26\n",
		"m/m.go":   "package m\n\n//perf:mark\nfunc M() {}\n",
		"m/m_test.go": `package m

import (
	"os"
	"os/signal"
	"testing"
	"time"
)

// TestM takes a while to end also when it is told to.
func TestM(t *testing.T) {
	M()
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt)
	if err := os.WriteFile(os.Getenv("SIGNS")+"/begun", nil, 0o666); err != nil {
		t.Error(err)
	}
	long := 100 * time.Millisecond
	if _, err := os.Stat(os.Getenv("SIGNS") + "/stay"); err == nil {
		long = time.Minute
	}
	select {
	case <-end:
		time.Sleep(50 * time.Millisecond)
		if err := os.WriteFile(os.Getenv("SIGNS")+"/ended", nil, 0o666); err != nil {
			t.Error(err)
		}
	case <-time.After(long):
	}
	M()
}
`,
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tmp, signs := filepath.Join(dir, "tmp"), filepath.Join(dir, "signs")
	if err := errors.Join(os.Mkdir(tmp, 0o777), os.Mkdir(signs, 0o777)); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "MARKGEN=", "GOFLAGS="+tier.CachedFlags(), "GOWORK=", "GOTMPDIR=", "TMPDIR="+tmp, "MARKGENCACHE="+filepath.Join(dir, "cache"), "SIGNS="+signs)
	for _, words := range []string{"init -q", "add .", "-c user.name=n -c user.email=e commit -qm one", "tag v1"} {
		cmd := exec.Command("git", strings.Fields(words)...)
		cmd.Dir = r.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", words, err, out)
		}
	}
	r.cmd = exec.Command("markgen", append([]string{"test"}, args...)...)
	r.cmd.Dir, r.cmd.Env = r.dir, env
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.stderr = bufio.NewReader(io.TeeReader(stderr, &r.seen))
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// wait waits for a line on standard error that contains text.
func (r *repeating) wait(text string) {
	r.t.Helper()
	for {
		line, err := r.stderr.ReadString('\n')
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			_ = r.cmd.Wait()
			r.t.Fatalf("no line with %q: %s", text, r.seen.String())
		}
	}
}

// sign returns the path of a file that the tests write or wait for.
func (r *repeating) sign(name string) string {
	return filepath.Join(r.dir, "..", "signs", name)
}

// begun waits for a test that listens for signals and waits for one.
func (r *repeating) begun() {
	r.t.Helper()
	if err := os.WriteFile(r.sign("stay"), nil, 0o666); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Remove(r.sign("begun")); err != nil {
		r.t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(r.sign("begun")); err == nil {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("no run begins: %s", r.seen.String())
		}
	}
}

// ended waits for the process to exit and checks the exit code, the last line, and that no files
// are left behind.
func (r *repeating) ended(code int, last string) {
	r.t.Helper()
	if _, err := io.Copy(io.Discard, r.stderr); err != nil {
		r.t.Fatal(err)
	}
	_ = r.cmd.Wait()
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		r.t.Errorf("exit code %d, want %d", got, code)
	}
	if !strings.Contains(r.seen.String(), last) {
		r.t.Errorf("it does not say %q, but\n%s", last, r.seen.String())
	}
	if err := syscall.Kill(-r.cmd.Process.Pid, 0); err != syscall.ESRCH {
		r.t.Errorf("processes are left: %v", err)
	}
	out, err := exec.Command("git", "-C", r.dir, "worktree", "list").CombinedOutput()
	if err != nil || bytes.Count(out, []byte("\n")) != 1 {
		r.t.Errorf("worktrees are left: %s%v", out, err)
	}
	tmp := filepath.Join(r.dir, "..", "tmp")
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		r.t.Errorf("files are left: %v", left)
	}
}

// runsIn returns the number of runs in a directory, and checks that each is complete.
func (r *repeating) runsIn(folder string) int {
	r.t.Helper()
	files, _ := filepath.Glob(filepath.Join(r.dir, folder, "*"))
	for _, file := range files {
		p, err := runfile.Read(file)
		if err != nil {
			r.t.Error(err)
		} else if !p.Complete || len(p.Markers) != 1 || p.Markers[0].Count != 2 {
			r.t.Errorf("%s is not of a whole run: %+v", file, p)
		}
	}
	return len(files)
}

// A signal, to markgen alone or to the whole group as from a terminal, leaves the complete runs and
// nothing else. The tests get it, too, and have time to clean up.
func TestRunsInterrupted(t *testing.T) {
	tier.Test(t)
	for name, kill := range map[string]func(pid int) error{
		"alone": func(pid int) error { return syscall.Kill(pid, syscall.SIGINT) },
		"group": func(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) },
	} {
		t.Run(name, func(t *testing.T) {
			r := repeatIn(t, "-runs", "500", "-o", "perf", "-old", "v1", ".")
			r.wait("run 2 of 500, new: ")
			r.begun()
			if err := kill(r.cmd.Process.Pid); err != nil {
				t.Fatal(err)
			}
			r.ended(128+int(syscall.SIGINT), "markgen test: interrupt in run ")
			before, now := r.runsIn("perf/old"), r.runsIn("perf/new")
			if now < 2 || before < 1 || now-before > 1 || before-now > 1 {
				t.Errorf("%d and %d runs are there", before, now)
			}
			if _, err := os.Stat(r.sign("ended")); err != nil {
				t.Errorf("the test was not told, or not waited for: %v", err)
			}
		})
	}
}

// A signal before the first run leaves nothing at all.
func TestRunsInterruptedEarly(t *testing.T) {
	tier.Test(t)
	r := repeatIn(t, "-runs", "500", "-o", "perf", "-old", "v1", ".")
	r.wait("building and running the tests, old (v1, ")
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	r.ended(128+int(syscall.SIGTERM), "markgen test: terminated before the first run; no run is complete")
	if _, err := os.Stat(filepath.Join(r.dir, "perf")); err == nil {
		t.Error("the folder is left")
	}
}
