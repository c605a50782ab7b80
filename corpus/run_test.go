package corpus

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/tier"
)

// workplace is where the tests of an entry run.
type workplace struct {
	entry entry
	exe   string // the markgen command
	dir   string // where the go command runs
	out   string // where outputs go

	markgen string // value of MARKGEN
}

// download returns the folder of a module in the module cache.
func download(module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // not in our module, whose go.mod would select the version
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &m); jsonErr != nil || m.Error != "" || err != nil {
		return "", fmt.Errorf("go mod download %s: %v: %s", module, err, m.Error)
	}
	return m.Dir, nil
}

// markFlags returns markgen's own flags that select what to mark.
func (w *workplace) markFlags() []string {
	if w.entry.module != "" {
		return nil
	}
	return []string{"-markpkg", strings.Join(w.entry.packages, ",")}
}

func (w *workplace) testFlags(flags []string) []string {
	args := slices.Concat([]string{"-json", "-count=1", "-timeout=30m"}, flags)
	if w.entry.slow || *choice == "" {
		args = append(args, "-short")
	}
	if w.entry.skip != "" {
		args = append(args, "-skip="+w.entry.skip)
	}
	return append(args, w.entry.packages...)
}

func (w *workplace) goTest(t *testing.T, name string, flags []string) ([]byte, time.Duration) {
	t.Helper()
	return w.run(t, name, "go", slices.Concat([]string{"test"}, w.testFlags(flags)))
}

func (w *workplace) markgenTest(t *testing.T, name string, own, flags []string) ([]byte, time.Duration) {
	t.Helper()
	return w.run(t, name, w.exe, slices.Concat([]string{"test", "-report", "none"}, own, w.testFlags(flags)))
}

// scopes returns the total count in a run's data.
func (w *workplace) scopes(t *testing.T, data string) (n uint64) {
	t.Helper()
	files, err := filepath.Glob(data + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no data in %s: %v", data, err)
	}
	out, err := exec.Command(w.exe, slices.Concat([]string{"report", "-format", "json"}, files)...).Output()
	var report struct {
		Markers []struct{ Count uint64 }
	}
	if err == nil {
		err = json.Unmarshal(out, &report)
	}
	if err != nil {
		t.Fatalf("markgen report: %v", err)
	}
	for _, m := range report.Markers {
		n += m.Count
	}
	return n
}

// run runs a command and returns its standard output, with any exit code: tests may fail.
func (w *workplace) run(t *testing.T, name, exe string, args []string) ([]byte, time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
	defer cancel()
	cmd := w.command(ctx, exe, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	d := time.Since(start)
	for ext, text := range map[string][]byte{".json": stdout.Bytes(), ".stderr": stderr.Bytes()} {
		if err := os.WriteFile(filepath.Join(w.out, name+ext), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) || stdout.Len() == 0 {
		t.Fatalf("%s %q: %v\n%.3000s", filepath.Base(exe), args, err, stderr.Bytes())
	}
	return stdout.Bytes(), d
}

// command is a command that runs in the module.
func (w *workplace) command(ctx context.Context, exe string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Dir = w.dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "MARKGEN=") && !strings.HasPrefix(kv, "GOFLAGS=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GOFLAGS=-mod=mod -buildvcs=false "+tier.CachedFlags(), "PWD="+w.dir, "MARKGEN="+w.markgen)
	return cmd
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output, ImportPath string
}

func events(text []byte, each func(event)) {
	for line := range bytes.Lines(text) {
		var e event
		if json.Unmarshal(line, &e) == nil {
			each(e)
		}
	}
}

// outcomes returns pass, fail or skip for each "package test", and for each "package " as a whole.
func outcomes(text []byte) map[string]string {
	m := make(map[string]string)
	events(text, func(e event) {
		switch e.Action {
		case "pass", "fail", "skip":
			m[e.Package+" "+e.Test] = e.Action
		case "build-fail":
			m[e.ImportPath+" "] = e.Action
		}
	})
	return m
}

// outputOf returns the end of a test's output.
func outputOf(text []byte, name string) string {
	var b strings.Builder
	events(text, func(e event) {
		if e.Package+" "+e.Test == name || e.ImportPath+" " == name {
			b.WriteString(e.Output)
		}
	})
	return b.String()[max(0, b.Len()-2000):]
}

// readCover reads a cover profile: "file:line.col,line.col statements" and its count.
func readCover(t *testing.T, file string) map[string]uint64 {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := make(map[string]uint64)
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if n == 1 {
			if line != "mode: atomic" {
				t.Errorf("%s: begins with %q, want \"mode: atomic\"", filepath.Base(file), line)
			}
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		count, err := strconv.ParseUint(line[i+1:], 10, 64)
		if err != nil {
			t.Fatalf("%s:%d: %v", file, n, err)
		}
		blocks[line[:i]] += count
	}
	if len(blocks) == 0 {
		t.Errorf("%s holds no blocks", filepath.Base(file))
	}
	return blocks
}

// sortedKeys returns the keys of both maps.
func sortedKeys[V any](a, b map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// exception is a line of exceptions.txt.
type exception struct {
	line              int
	entry, mode, glob string
	used              bool
}

// readExceptions reads lines of the form ENTRY MODE GLOB: REASON. It ignores empty lines and lines
// that begin with #.
func readExceptions(file string) ([]*exception, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []*exception
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		head, reason, ok := strings.Cut(line, ": ")
		f := strings.SplitN(head, " ", 3)
		if !ok || len(f) != 3 || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s:%d: not of the form ENTRY MODE GLOB: REASON", file, n)
		}
		if _, err := path.Match(f[2], ""); err != nil {
			return nil, fmt.Errorf("%s:%d: %q: %v", file, n, f[2], err)
		}
		list = append(list, &exception{n, f[0], f[1], f[2], false})
	}
	return list, nil
}

// excepted reports whether a difference is explained. The glob's * does not match a slash.
func excepted(list []*exception, entry, mode, name string) bool {
	found := false
	for _, x := range list {
		if ok, _ := path.Match(x.glob, name); ok && x.entry == entry && x.mode == mode {
			x.used, found = true, true
		}
	}
	return found
}

func TestExceptionsFormat(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		"sort all sort Test*: random order\n": "",
		"# nothing\n\n":                       "",
		"sort all sort TestX\n":               "not of the form",
		"sort all sort: \n":                   "not of the form",
		"sort count sort/[: bad\n":            "syntax error in pattern",
		"sort: reason\n":                      "not of the form",
	} {
		file := filepath.Join(dir, "exceptions.txt")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := readExceptions(file)
		if got := fmt.Sprint(err); err == nil && want != "" || err != nil && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
