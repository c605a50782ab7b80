package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// marked is a copy of the programs below testdata, in which markgen runs.
type marked struct {
	t   *testing.T
	dir string
}

// newMarked copies folders of testdata into a module that requires this one.
func newMarked(t *testing.T, folders ...string) *marked {
	t.Helper()
	m := &marked{t, t.TempDir()}
	for _, folder := range folders {
		from := filepath.Join("../../testdata", folder)
		err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			to := filepath.Join(m.dir, folder, strings.TrimPrefix(path, from))
			if name, ok := strings.CutSuffix(to, ".go.txt"); ok {
				to = name + ".go"
			}
			if d.IsDir() {
				if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
					return filepath.SkipDir // a module of its own
				}
				if _, err := os.Stat(filepath.Join(path, "dir")); err == nil {
					return filepath.SkipDir // has several
				}
				return os.MkdirAll(to, 0o777)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(to, text, 0o666)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	m.write("go.mod", "module example.com/traps\n\ngo 1.26.0\n")
	m.markgen("init")
	return m
}

func (m *marked) write(name, text string) {
	m.t.Helper()
	name = filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

func (m *marked) environ(more ...string) []string {
	return append(append(os.Environ(), "GOFLAGS=-buildvcs=false "+tier.CachedFlags(), "GOWORK=off", "GOPROXY=off", "PWD="+m.dir), more...)
}

// markgen runs the command, which has to succeed, and returns what it printed.
func (m *marked) markgen(args ...string) string {
	m.t.Helper()
	var stdout, stderr bytes.Buffer
	code := Main(&cli.Env{Args: args, Stdout: &stdout, Stderr: &stderr, Dir: m.dir, Environ: m.environ()})
	if code != 0 {
		m.t.Fatalf("markgen %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// command runs another command, which has to succeed.
func (m *marked) command(args ...string) {
	m.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = m.dir, m.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		m.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// build builds all programs into a folder and returns their paths.
func (m *marked) build(folder string, args ...string) []string {
	m.t.Helper()
	if !tier.InCorpus() {
		args = append(args, "-pgo=off") // with a profile, much of the standard library is recompiled
	}
	cmd := exec.Command("go", append(append([]string{"build"}, args...), "-o", folder+"/", "./...")...)
	cmd.Dir, cmd.Env = m.dir, m.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		m.t.Fatalf("go build: %v\n%s", err, out)
	}
	return m.programs(folder)
}

func (m *marked) programs(folder string) []string {
	m.t.Helper()
	list, err := filepath.Glob(filepath.Join(m.dir, folder, "*"))
	if err != nil || len(list) == 0 {
		m.t.Fatal("no programs", err)
	}
	return list
}

// files returns the text of every Go file.
func (m *marked) files() map[string]string {
	m.t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(m.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return texts
}

// run runs a program in its folder of source and returns what it printed, with
// how it ended.
func (m *marked) run(program string, env ...string) (stdout, stderr string) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Dir = filepath.Join(m.dir, "traps", filepath.Base(program))
	if _, err := os.Stat(cmd.Dir); err != nil {
		cmd.Dir = m.dir
	}
	cmd.Env = m.environ(env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return out.String() + cmd.ProcessState.String(), errs.String()
}

// Every program marked in place behaves as before, and stripping restores its bytes. Line numbers
// that programs print have moved, and allocation counts that they print are higher.
func TestMarkTraps(t *testing.T) {
	tier.Test(t)
	m := newMarked(t, "traps")
	before := m.files()
	plain := m.build("plain")
	m.markgen("-all", "./...")
	if again := m.markgen("-all", "-l", "./..."); again != "" {
		t.Errorf("marked twice, there is something to change:\n%s", again)
	}
	tellLines := []string{"runtime_caller", "line_directives"}
	tellInlining := []string{"idioms", "appends"} // functions with a deferred call are not inlined, and the slices they return cannot be on the caller's stack
	for i, program := range m.build("marked") {
		if filepath.Base(program) != filepath.Base(plain[i]) {
			t.Fatalf("%s is not %s", program, plain[i])
		}
		want, wantErr := m.run(plain[i])
		got, gotErr := m.run(program)
		if slices.Contains(slices.Concat(tellLines, tellInlining), filepath.Base(program)) {
			continue
		}
		if got != want {
			t.Errorf("%s printed\n%s\nand unmarked\n%s", filepath.Base(program), got, want)
		}
		if !strings.Contains(wantErr, "goroutine ") && gotErr != wantErr {
			t.Errorf("%s printed on stderr\n%s\nand unmarked\n%s", filepath.Base(program), gotErr, wantErr)
		}
	}
	m.markgen("-strip", "./...")
	after := m.files()
	for path, text := range before {
		if after[path] != text {
			t.Errorf("%s is not what it was", path)
		}
		delete(after, path)
	}
	for path := range after {
		t.Errorf("%s is left", path)
	}
}

// A program that is marked in place has the same counts as an overlay build of it.
func TestMarkCounts(t *testing.T) {
	tier.Test(t)
	m := newMarked(t, "stmts")
	m.markgen("build", "-all", "-o", "overlay/", "./...")
	m.markgen("-all", "./...")
	overlaid := m.programs("overlay")
	for i, program := range m.build("marked") {
		want, got := m.counts(overlaid[i]), m.counts(program)
		if len(want) == 0 {
			t.Errorf("%s has no markers", program)
		}
		for name, n := range want {
			if got[name] != n {
				t.Errorf("%s is counted %d times, and %d in an overlay build", name, got[name], n)
			}
			delete(got, name)
		}
		for name, n := range got {
			t.Errorf("%s, counted %d times, is not in an overlay build", name, n)
		}
	}
}

// counts runs a program and returns the counts of its markers.
func (m *marked) counts(program string) map[string]uint64 {
	m.t.Helper()
	data := program + ".markgen"
	m.run(program, "MARKGEN=collect=time,report=none,file="+data)
	p, err := runfile.Read(data)
	if err != nil {
		m.t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, mark := range p.Markers {
		counts[mark.Name] = uint64(mark.Count)
	}
	return counts
}

// Two concurrent markgen processes have the same result as one.
func TestMarkTwiceAtOnce(t *testing.T) {
	m := newMarked(t, "stmts")
	var running []*exec.Cmd
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary is the command if it is called by that name.
	command := filepath.Join(t.TempDir(), "markgen")
	if err := os.Symlink(exe, command); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		cmd := exec.Command(command, "-all", "./...")
		cmd.Dir, cmd.Env = m.dir, m.environ()
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	m.markgen("-all", "-check", "./...")
	checkNoTemp(t, m.dir)
}

// An interrupted markgen leaves all files unchanged, or all marked, and no temporary files.
func TestMarkInterrupted(t *testing.T) {
	tier.Test(t)
	m := newMarked(t, "stmts")
	before := m.files()
	m.markgen("-all", "./...")
	after := m.files()
	m.markgen("-strip", "./...")
	step := 40 * time.Millisecond
	if tier.InCorpus() {
		step = 10 * time.Millisecond
	}
	for delay := time.Duration(0); delay < 200*time.Millisecond; delay += step {
		ctx, cancel := context.WithCancelCause(t.Context())
		env := &cli.Env{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Dir: m.dir, Environ: m.environ()}
		timer := time.AfterFunc(delay, func() { cancel(errors.New("interrupted")) })
		code := runMark(ctx, env.Running(program, cmdMark), []string{"-all", "./..."})
		timer.Stop()
		cancel(nil)
		want := before
		if code == 0 {
			want = after
		}
		for path, text := range m.files() {
			if want[path] != text {
				t.Fatalf("interrupted after %v with exit code %d, %s is not as it should be", delay, code, path)
			}
		}
		checkNoTemp(t, m.dir)
		m.markgen("-strip", "./...")
	}
}

func checkNoTemp(t *testing.T, dir string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".markgen-") {
			t.Errorf("%s is left", path)
		}
		return err
	})
}
