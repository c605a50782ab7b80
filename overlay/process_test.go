//go:build unix

package overlay_test

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/markgen/markgen/tier"
)

// module writes the files of a module and returns its directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if files["go.mod"] == "" {
		files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// markgenIn returns a markgen command in dir with its own cache.
func markgenIn(t *testing.T, dir, cache string, args ...string) *exec.Cmd {
	cmd := exec.Command(trapMarkgen(t), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "MARKGENCACHE="+cache, "GOFLAGS="+tier.CachedFlags(), "GOWORK=off", "MARKGEN=")
	return cmd
}

// signalled is a program that counts the signals it gets, until it got as many as its argument
// says, and prints when it is ready.
const signalled = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"time"
)

//perf:mark
func got() {}

func main() {
	ch := make(chan os.Signal, 10)
	signal.Notify(ch)
	fmt.Println("ready")
	timeout := time.After(20 * time.Second)
	for {
		select {
		case s := <-ch:
			if s.String() == "urgent I/O condition" { // the Go scheduler's
				continue
			}
			got()
			fmt.Println(s)
			timeout = time.After(300 * time.Millisecond)
		case <-timeout:
			os.Exit(5)
		}
	}
}
`

// Signals from other processes to markgen reach the program once, and kill neither markgen nor the
// report.
func TestSignalsArePassedOn(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	dir := module(t, map[string]string{"main.go": signalled})
	for name, sig := range map[string]syscall.Signal{
		"interrupt": syscall.SIGINT, "terminated": syscall.SIGTERM, "hangup": syscall.SIGHUP, "user defined signal 1": syscall.SIGUSR1,
	} {
		if signal.Ignored(sig) { // ignored by the parent of the tests, as with nohup; children must ignore it, too
			signal.Notify(make(chan os.Signal, 1), sig)
		}
		cmd := markgenIn(t, dir, t.TempDir(), "run", ".")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal
		stdout := &waiter{until: "ready\n", ready: make(chan struct{})}
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stdout.wait(t)
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		if got, want := stdout.String(), "ready\n"+name+"\n"; got != want {
			t.Errorf("%s: the program printed %q, want %q", name, got, want)
		}
		if code := cmd.ProcessState.ExitCode(); code != 5 {
			t.Errorf("%s: exit code %d, %v; want 5", name, code, err)
		}
		if !strings.Contains(stderr.String(), "\ngot   func      1") {
			t.Errorf("%s: no report of one scope:\n%s", name, stderr.String())
		}
	}
}

// A waiter is a buffer that signals when something has been written to it.
type waiter struct {
	mu    sync.Mutex
	text  bytes.Buffer
	until string
	ready chan struct{}
	done  bool
}

func (w *waiter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	if !w.done && strings.Contains(w.text.String(), w.until) {
		w.done = true
		close(w.ready)
	}
	return len(p), nil
}

func (w *waiter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func (w *waiter) wait(t *testing.T) {
	t.Helper()
	select {
	case <-w.ready:
	case <-time.After(2 * time.Minute):
		t.Fatalf("the program did not begin: %q", w.String())
	}
}

// Any number of processes may use one cache, even if it does not exist yet.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, p := range []string{"a", "b", "c", "d", "e"} {
		files[p+"/"+p+".go"] = "package " + p + "\n\nfunc F(n int) int {\n\tfor i := range n {\n\t\tn += i\n\t}\n\treturn n\n}\n"
	}
	files["main.go"] = "package main\n\nimport (\n\t\"example.com/m/a\"\n\t\"example.com/m/b\"\n\t\"example.com/m/c\"\n\t\"example.com/m/d\"\n\t\"example.com/m/e\"\n)\n\n" +
		"func main() { println(a.F(1) + b.F(2) + c.F(3) + d.F(4) + e.F(5)) }\n"
	dir, cache, out := module(t, files), filepath.Join(t.TempDir(), "cache"), t.TempDir()
	names := []string{"one", "two", "three", "four"}
	var wg sync.WaitGroup
	for _, name := range names {
		cmd := markgenIn(t, dir, cache, "build", "-all", "-o", filepath.Join(out, name), ".")
		wg.Go(func() {
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, text)
			}
		})
	}
	wg.Wait()
	first, err := os.ReadFile(filepath.Join(out, names[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names[1:] {
		if text, err := os.ReadFile(filepath.Join(out, name)); err != nil || !bytes.Equal(text, first) {
			t.Errorf("program %s differs, %v", name, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*", "*", "*.tmp")); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// A second build marks and compiles nothing, even with another cache: the same source gives the
// same text. After a change to one package, only that one is marked.
func TestCacheIsReused(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	dir := module(t, map[string]string{
		"main.go": "package main\n\nimport \"example.com/m/a\"\n\nfunc main() { a.A() }\n",
		"a/a.go":  "package a\n\nfunc A() {}\n\n// " + t.TempDir() + "\n", // so that it is not in go's cache
	})
	cache := t.TempDir()
	build := func(cache string) string {
		t.Helper()
		cmd := markgenIn(t, dir, cache, "build", "-all", "-v", "-o", filepath.Join(dir, "out"), ".")
		cmd.Env = append(cmd.Env, "GOFLAGS="+tier.Flags)
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return string(text)
	}
	if got := build(cache); !strings.Contains(got, "2 packages, 2 of them marked anew, 2 files with markers\n") || !strings.Contains(got, "\nexample.com/m/a\n") {
		t.Errorf("first: %s", got)
	}
	texts := func() map[string]time.Time {
		times := map[string]time.Time{}
		for _, pattern := range []string{"text/*/*", "mark/*/*", "overlay/*/*"} {
			files, _ := filepath.Glob(filepath.Join(cache, pattern))
			for _, f := range files {
				info, err := os.Stat(f)
				if err != nil {
					t.Fatal(err)
				}
				times[f] = info.ModTime()
			}
		}
		return times
	}
	before := texts()
	if got := build(cache); got != "markgen: 2 packages, 0 of them marked anew, 2 files with markers\n" {
		t.Errorf("second: %s", got)
	}
	after := texts()
	if len(before) < 5 || len(before) != len(after) {
		t.Errorf("%d files became %d", len(before), len(after))
	}
	for f, at := range before {
		if !after[f].Equal(at) {
			t.Errorf("%s was written again", f)
		}
	}
	if got := build(t.TempDir()); got != "markgen: 2 packages, 2 of them marked anew, 2 files with markers\n" {
		t.Errorf("in another cache: %s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "a.go"), []byte("package a\n\nfunc A() { _ = 1 }\n\n// "+t.TempDir()+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := build(cache); !strings.Contains(got, "2 packages, 1 of them marked anew, 2 files with markers\n") || !strings.Contains(got, "example.com/m/a\n") {
		t.Errorf("after a change: %s", got)
	}
}
