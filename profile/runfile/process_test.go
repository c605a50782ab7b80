//go:build linux || darwin || freebsd || netbsd || openbsd

package runfile_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
)

// workerDir is the directory of the worker binary, built by the first test that needs it.
var workerDir string

var buildWorker = sync.OnceValues(func() (path string, err error) {
	if workerDir, err = os.MkdirTemp("", "worker"); err != nil {
		return "", err
	}
	path = filepath.Join(workerDir, "worker")
	if out, err := exec.Command("go", "build", "-tags", "markgen_virtual", "-o", path, "./testdata/worker").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if workerDir != "" {
		os.RemoveAll(workerDir)
	}
	os.Exit(code)
}

// worker is a running process and its data file.
type worker struct {
	*exec.Cmd
	file  string
	stdin io.WriteCloser
}

// start runs testdata/worker and waits until it is ready.
func start(t *testing.T, how string) *worker {
	t.Helper()
	path, err := buildWorker()
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{Cmd: exec.Command(path, how), file: filepath.Join(t.TempDir(), "data")}
	w.Env = append(os.Environ(), "MARKGEN=file="+w.file)
	w.stdin, err = w.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := w.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.Process.Kill()
		w.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return w
}

// read reads its file and checks the data that every worker records.
func (w *worker) read(t *testing.T) *profile.Profile {
	t.Helper()
	p, err := runfile.Read(w.file)
	if err != nil {
		t.Fatal(err)
	}
	profiletest.Check(t, p)
	for name, least := range map[string]uint64{"worker.work": 10, "worker.work:for#1": 1000, "worker.tick": 1000, "worker.work:block#1": 1000} {
		if m := profiletest.Named(t, p, name); m.Count < least {
			t.Errorf("%s: count %d, want at least %d", name, m.Count, least)
		}
	}
	if m := profiletest.Named(t, p, "worker.never"); m.Count != 0 {
		t.Errorf("%s: count %d", m.Name, m.Count)
	}
	work, loop := profiletest.Named(t, p, "worker.work"), profiletest.Named(t, p, "worker.work:for#1")
	if !p.NoSelf && work.SelfNS >= work.TotalNS() {
		t.Errorf("worker.work: self %d of %d", work.SelfNS, work.TotalNS())
	}
	if loop.MinNS > loop.MaxNS || loop.TotalNS() > work.TotalNS() && !p.Alive {
		t.Errorf("loop %d of %d, from %d to %d", loop.TotalNS(), work.TotalNS(), loop.MinNS, loop.MaxNS)
	}
	if p.Damaged || p.App != "worker" || p.Clock.Hz < 1e6 || time.Since(p.Start) > time.Hour {
		t.Errorf("%+v", p)
	}
	return p
}

func TestEndedProcess(t *testing.T) {
	t.Parallel()
	w := start(t, "end")
	if err := w.Wait(); err != nil {
		t.Fatal(err)
	}
	p := w.read(t)
	if !p.Complete || p.Alive || p.State != "stopped" || len(p.Warnings) > 0 {
		t.Errorf("complete %v, alive %v, state %q, warnings %q", p.Complete, p.Alive, p.State, p.Warnings)
	}
	if ns := p.ElapsedNS; ns < 20e6 || ns > 60e9 {
		t.Errorf("elapsed %d", ns)
	}
	if len(p.Blocks) != 1 || p.Blocks[0].Count != 10 || profiletest.Named(t, p, "worker.work").Count != 10 || profiletest.Named(t, p, "worker.open").Count != 1 {
		t.Errorf("%+v, %+v", p.Blocks, p.Markers)
	}
}

func TestKilledProcess(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"wait", "panic", "busy"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := start(t, how)
			if how == "busy" {
				time.Sleep(30 * time.Millisecond)
			}
			if how != "panic" {
				w.Process.Kill() // SIGKILL
			}
			w.Wait()
			p := w.read(t)
			if p.Complete || p.Alive || p.State != "profiling" {
				t.Errorf("complete %v, alive %v, state %q", p.Complete, p.Alive, p.State)
			}
			if !strings.Contains(strings.Join(p.Warnings, "\n"), "was not seen to end") {
				t.Errorf("warnings %q", p.Warnings)
			}
			if ns := p.ElapsedNS; ns == 0 || ns > 60e9 {
				t.Errorf("elapsed %d", ns)
			}
			if m := profiletest.Named(t, p, "worker.open"); m.Count != 0 {
				t.Errorf("an open scope counts %d", m.Count)
			}
		})
	}
}

func TestRunningProcess(t *testing.T) {
	t.Parallel()
	w := start(t, "wait")
	p := w.read(t)
	if p.Complete || !p.Alive || p.State != "profiling" || !strings.Contains(strings.Join(p.Warnings, "\n"), "is still running") {
		t.Errorf("complete %v, alive %v, state %q, warnings %q", p.Complete, p.Alive, p.State, p.Warnings)
	}
	w.stdin.Close()
	if err := w.Wait(); err != nil {
		t.Fatal(err)
	}
	if p := w.read(t); !p.Complete || p.Alive {
		t.Errorf("at the end: complete %v, alive %v", p.Complete, p.Alive)
	}
}

// Data that change during reading are never reported as damage, and counts never decrease.
func TestBusyProcess(t *testing.T) {
	t.Parallel()
	w := start(t, "busy")
	last := uint64(0)
	for range 300 {
		p := w.read(t)
		n := profiletest.Named(t, p, "worker.work:for#1").Count
		if n < last {
			t.Fatalf("%d scopes after %d", n, last)
		}
		last = n
	}
}

func TestReadPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := runfile.Read(pipe); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}
