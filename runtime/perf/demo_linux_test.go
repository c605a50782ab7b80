//go:build go1.26 && !markgen_off

package perf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	rt "github.com/markgen/markgen/runtime"
)

// The tests of complete programs build testdata/demo once for each form in which it is used, and
// run it.
type form struct {
	name    string
	module  bool // import by module path instead of the overlay
	flags   []string
	once    sync.Once
	program string
	err     error
}

var (
	virtualForm = &form{name: "virtual"}
	raceForm    = &form{name: "race", flags: []string{"-race"}}
	moduleForm  = &form{name: "module", module: true}
	offModule   = &form{name: "offmodule", module: true, flags: []string{"-tags=markgen_off"}}
)

// emulator runs the programs that tests start, which are for the platform of GOOS and GOARCH in the
// environment, not for this machine.
var emulator = os.Getenv("MARKGEN_TEST_EMULATOR")

// unemulated skips a test that starts programs if an emulator runs the test itself: under an
// emulator, a process that forks while its other threads run may wait forever for a lock of the
// emulator. The test is run with an emulator for the programs only.
func unemulated(t *testing.T) {
	t.Helper()
	if os.Getenv("MARKGEN_TEST_EMULATED") != "" {
		t.Skip("the tests that are not emulated start the programs that are")
	}
}

// native skips a test of things that differ in an emulator: it starts slowly, cannot replace itself
// by a program of the other platform, and uses memory itself.
func native(t *testing.T) {
	t.Helper()
	if emulator != "" {
		t.Skip("not under " + emulator)
	}
}

var buildDir string

func TestMain(m *testing.M) {
	var err error
	if buildDir, err = os.MkdirTemp("", "markgen-runtime-test"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// build compiles the demo and returns the path of the program.
func (f *form) build(t *testing.T) string {
	t.Helper()
	unemulated(t)
	if f == raceForm { // an emulator does not have enough memory for it
		native(t)
	}
	f.once.Do(func() { f.program, f.err = f.compile() })
	if f.err != nil {
		t.Fatal(f.err)
	}
	return f.program
}

func (f *form) compile() (string, error) {
	dir := filepath.Join(buildDir, f.name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	src, err := os.ReadFile("testdata/demo/main.go")
	if err != nil {
		return "", err
	}
	mod := "module demo\n\ngo 1.26.0\n"
	args := []string{"build", "-o", "demo"}
	if f.module {
		here, err := os.Getwd()
		if err != nil {
			return "", err
		}
		mod += "\nrequire github.com/markgen/markgen/runtime v0.0.0\nreplace github.com/markgen/markgen/runtime => " + filepath.Dir(here) + "\n"
		src = bytes.ReplaceAll(src, []byte(`"markgen/perf"`), []byte(`"github.com/markgen/markgen/runtime/perf"`))
		src = bytes.ReplaceAll(src, []byte("\tmarkgen_finish()\n"), []byte("\tdefer markgen_perf.Finish()\n"))
	} else {
		overlay, err := writeOverlay(dir)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	args = append(args, f.flags...)
	for name, text := range map[string]string{"go.mod": mod, "main.go": string(src),
		"finish.go": "package main\n\nfunc markgen_finish() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return "", err
		}
	}
	goroot, err := findGoroot()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(filepath.Join(goroot, "bin", "go"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath -ldflags=-w", "GOPROXY=off", "MARKGEN=", "GOWORK=off", "GOTOOLCHAIN=local", "GOROOT="+goroot)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New("go " + strings.Join(args, " ") + ": " + err.Error() + "\n" + string(out))
	}
	return filepath.Join(dir, "demo"), nil
}

// findGoroot returns a path of GOROOT that is not below GOMODCACHE, where the go command puts other
// releases than the installed one and lets no file be replaced.
var findGoroot = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	link := filepath.Join(buildDir, "goroot")
	return link, os.Symlink(strings.TrimSpace(string(out)), link)
})

// writeOverlay puts the virtual form of this package below GOROOT/src and returns the path of the
// overlay file.
func writeOverlay(dir string) (string, error) {
	goroot, err := findGoroot()
	if err != nil {
		return "", err
	}
	src := filepath.Join(goroot, "src")
	files, err := rt.VirtualFiles(false)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range files {
		from := filepath.Join(dir, strings.ReplaceAll(name, "/", "_")+".txt")
		if err := os.WriteFile(from, text, 0o666); err != nil {
			return "", err
		}
		replace[filepath.Join(src, name)] = from
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, b, 0o666)
}

// A run is one run of the demo, in its own directory.
type run struct {
	t              *testing.T
	dir            string
	stdout, stderr string
	code           int // exit code, or 128+signal
}

// command prepares the program in an empty working directory.
func (f *form) command(t *testing.T, markgen string, args ...string) *exec.Cmd {
	t.Helper()
	args = append([]string{f.build(t)}, args...)
	if emulator != "" {
		args = append([]string{emulator}, args...)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "MARKGEN="+markgen)
	return cmd
}

func (f *form) run(t *testing.T, markgen string, args ...string) *run {
	t.Helper()
	return finish(t, f.command(t, markgen, args...))
}

func finish(t *testing.T, cmd *exec.Cmd) *run {
	t.Helper()
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	e := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](e); e != nil && !ok {
		t.Fatal(e)
	}
	return &run{t, cmd.Dir, out.String(), err.String(), exitCode(cmd)}
}

func exitCode(cmd *exec.Cmd) int {
	if ws := cmd.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

// untilReady starts the program and waits until it says it is ready.
func untilReady(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
}

// data reads a data file of the run's directory.
func (r *run) data(name string) *dataset {
	r.t.Helper()
	return readData(r.t, filepath.Join(r.dir, name))
}

// files lists the run's directory.
func (r *run) files() []string {
	r.t.Helper()
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
