package overlay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"

	"github.com/markgen/markgen/tier"
)

// The traps are the programs below testdata/traps, one directory each. A directory may contain the
// files flags (flags of go build), args (arguments of the program) and dir (the package to build),
// with a line for each run. Files ending in .go.txt are Go files that gofmt must not touch. A
// directory with tests and without main.go is run with go test.

// trapDir is where the command is built; TestMain makes and removes it.
var trapDir string

func TestMain(m *testing.M) {
	if code, ok := overlay.Called(os.Args[1:]); ok {
		os.Exit(code)
	}
	dir, err := os.MkdirTemp("", "markgen-traps")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	trapDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// trapCommand builds the command once.
var trapCommand = sync.OnceValues(func() (string, error) {
	exe := filepath.Join(trapDir, "markgen")
	checkout, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-ldflags=-w -X=main.checkout="+checkout, "-o", exe, "../cmd/markgen")
	build.Env = append(os.Environ(), "GOTOOLCHAIN=local") // the tests may use another toolchain
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build cmd/markgen: %v\n%s", err, out)
	}
	return exe, nil
})

func trapMarkgen(t *testing.T) string {
	t.Helper()
	exe, err := trapCommand()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// trapCopy copies testdata with the given directories to a path that contains spaces. It returns
// the path of the directory, or of the module if there are several. change, if not nil, is applied
// to each Go file.
func trapCopy(t *testing.T, change func([]byte) []byte, folders ...string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "path with spaces")
	for _, folder := range folders {
		trapCopyFolder(t, root, folder, change)
	}
	if err := trapCopyFile("../testdata/go.mod", filepath.Join(root, "go.mod"), nil); err != nil {
		t.Fatal(err)
	}
	if len(folders) == 1 {
		return filepath.Join(root, folders[0])
	}
	return root
}

func trapCopyFolder(t *testing.T, root, folder string, change func([]byte) []byte) {
	t.Helper()
	from, to := filepath.Join("../testdata", folder), filepath.Join(root, folder)
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		if strings.HasSuffix(rel, ".go.txt") {
			rel = strings.TrimSuffix(rel, ".txt")
		}
		if !strings.HasSuffix(rel, ".go") {
			return trapCopyFile(path, filepath.Join(to, rel), nil)
		}
		return trapCopyFile(path, filepath.Join(to, rel), change)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// trapModule copies a directory of this package's testdata and makes it the module
// example.com/FOLDER.
func trapModule(t *testing.T, folder string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", folder))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/"+folder+"\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func trapCopyFile(from, to string, change func([]byte) []byte) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if change != nil {
		text = change(text)
	}
	return os.WriteFile(to, text, 0o666)
}

// trapLines returns the lines of an optional file, or one empty line.
func trapLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{""}
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// A trapResult is the visible result of a run.
type trapResult struct {
	stdout, stderr, state string
}

// trapRun runs a program with env added to the environment, and MARKGEN removed.
func trapRun(t *testing.T, dir string, env []string, name string, args ...string) trapResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "MARKGEN=") && !strings.HasPrefix(kv, "GOFLAGS=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(append(cmd.Env, "GOFLAGS=-buildvcs=false "+tier.CachedFlags(), "PWD="+dir), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return trapResult{stdout.String(), stderr.String(), cmd.ProcessState.String()}
}

// trapMust is trapRun for a program that must succeed.
func trapMust(t *testing.T, dir string, env []string, name string, args ...string) trapResult {
	t.Helper()
	r := trapRun(t, dir, env, name, args...)
	if r.state != "exit status 0" {
		t.Fatalf("%s %q: %s\n%s%s", filepath.Base(name), args, r.state, r.stdout, r.stderr)
	}
	return r
}

var (
	trapHex       = regexp.MustCompile(`0x[0-9a-f]+`)
	trapOffset    = regexp.MustCompile(` \+0x[0-9a-f]+`)
	trapGoroutine = regexp.MustCompile(`goroutine \d+( gp=\S+ m=\S+( mp=\S+)?)?`)
	trapOwnLine   = regexp.MustCompile(`(?m)^markgen: .*\n`)
	trapSeconds   = regexp.MustCompile(`\b\d+\.\d+s\b`)
)

// trapNormal removes from a stack trace what may differ between two builds of a program: addresses,
// offsets, arguments, goroutine IDs.
func trapNormal(stderr string) string {
	var out strings.Builder
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\n")
		line = trapOffset.ReplaceAllString(line, "")
		if i := strings.LastIndexByte(line, '('); i > 0 && strings.HasSuffix(line, ")") && !strings.HasPrefix(line, "\t") && !strings.Contains(line, " ") ||
			i > 0 && strings.Contains(line, "(0x") || i > 0 && strings.Contains(line, "({0x") {
			line = line[:i] + "(...)"
		}
		line = trapHex.ReplaceAllString(line, "0x")
		line = trapGoroutine.ReplaceAllString(line, "goroutine N")
		out.WriteString(line + "\n")
	}
	return out.String()
}

func trapCompare(t *testing.T, what string, got, want trapResult) {
	t.Helper()
	if got.state != want.state {
		t.Errorf("%s: %s, plain: %s\nstderr:\n%s", what, got.state, want.state, got.stderr)
	}
	if got.stdout != want.stdout {
		t.Errorf("%s: stdout differs\n%s", what, trapDiff(got.stdout, want.stdout))
	}
	if g, w := trapNormal(got.stderr), trapNormal(want.stderr); g != w {
		t.Errorf("%s: stderr differs\n%s", what, trapDiff(g, w))
	}
}

// trapDiff shows two texts from the first different line on.
func trapDiff(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < len(g) && i < len(w) && g[i] == w[i] {
		i++
	}
	return fmt.Sprintf("line %d\n got %q\nwant %q", i+1, g[i:min(i+8, len(g))], w[i:min(i+8, len(w))])
}

func TestTraps(t *testing.T) {
	tier.Test(t)
	folders, err := os.ReadDir("../testdata/traps")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		t.Run(f.Name(), func(t *testing.T) {
			if f.Name() == "profile_guided" { // its imports from the standard library are all compiled with its profile
				tier.Corpus(t)
			}
			t.Parallel()
			trapCheck(t, trapCopy(t, nil, "traps/"+f.Name()))
		})
	}
}

func TestTrapsAsOtherEditorsWriteThem(t *testing.T) {
	tier.Test(t)
	for i, name := range []string{"directives", "marked", "line_directives", "else_if", "fallthrough", "func_literal", "shadowed"} {
		t.Run(name, func(t *testing.T) {
			if i >= 3 {
				tier.Corpus(t)
			}
			t.Parallel()
			trapCheck(t, trapCopy(t, trapOtherEditor, "traps/"+name))
		})
	}
}

// trapOtherEditor gives a file a byte order mark and CRLF, and removes the newline at its end.
func trapOtherEditor(text []byte) []byte {
	text = bytes.ReplaceAll(bytes.TrimRight(text, "\n"), []byte("\n"), []byte("\r\n"))
	return append([]byte("\ufeff"), text...)
}

func TestTrapLargeGeneratedFile(t *testing.T) {
	tier.Corpus(t)
	t.Parallel()
	dir := trapCopy(t, nil, "traps/generated")
	var b strings.Builder
	b.WriteString("// Code generated by a test. DO NOT EDIT.\n\npackage main\n\nvar large = []func(int) int{\n")
	const functions = 4200
	for i := range functions {
		fmt.Fprintf(&b, "\tf%d,\n", i)
	}
	b.WriteString("}\n\nfunc init() {\n\ts := 0\n\tfor i, f := range large {\n\t\ts += f(i)\n\t}\n\tprintln(s)\n}\n")
	for i := range functions {
		fmt.Fprintf(&b, "\nfunc f%d(n int) (s int) {\n\tfor i := range n %% 5 {\n\t\tif i == %d {\n\t\t\tcontinue\n\t\t}\n\t\ts += i\n\t}\n\treturn s\n}\n", i, i%7)
	}
	if n := strings.Count(b.String(), "\n"); n < 50000-functions {
		t.Fatalf("only %d lines", n)
	}
	if err := os.WriteFile(filepath.Join(dir, "large.go"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	trapCheck(t, dir)
}

// need32Bits skips tests of programs for linux/386 outside make corpus, since much of the standard
// library is compiled for them, and where such programs do not run: the kernel or the container may
// not support them.
func need32Bits(t *testing.T) {
	t.Helper()
	tier.Corpus(t)
	if err := build32Bits(); err != nil {
		t.Fatal(err)
	}
	least := exec.Command("./least32")
	least.Dir = trapDir
	if err := least.Run(); err != nil {
		t.Skipf("programs for linux/386 do not run here: %v", err)
	}
}

// build32Bits builds a minimal program, once.
var build32Bits = sync.OnceValue(func() error {
	source := filepath.Join(trapDir, "least.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-o", filepath.Join(trapDir, "least32"), source)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=386", "CGO_ENABLED=0", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
})

// TestTrapsOn32Bits builds for linux/386.
func TestTrapsOn32Bits(t *testing.T) {
	need32Bits(t)
	for _, name := range []string{"goroutines", "exits", "recover", "generics"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trapCheck(t, trapCopy(t, nil, "traps/"+name), "GOARCH=386", "CGO_ENABLED=0")
		})
	}
}

// TestTrapsBuildElsewhere builds for systems on which collecting works differently or not at all.
func TestTrapsBuildElsewhere(t *testing.T) {
	tier.Corpus(t)
	t.Parallel()
	dir := trapCopy(t, nil, "traps/constraints")
	for _, target := range []string{"windows/amd64", "darwin/arm64", "linux/arm64", "js/wasm"} {
		goos, goarch, _ := strings.Cut(target, "/")
		env := []string{"GOOS=" + goos, "GOARCH=" + goarch}
		r := trapRun(t, dir, env, trapMarkgen(t), "build", "-all", "-tags=special", "-o", filepath.Join(t.TempDir(), "program"), ".")
		if r.state != "exit status 0" || r.stderr != "" {
			t.Errorf("%s: %s\n%s", target, r.state, r.stderr)
		}
	}
}

// TestTrapSeveralMains builds all commands of a module at once, into a directory.
func TestTrapSeveralMains(t *testing.T) {
	t.Parallel()
	dir, out := trapCopy(t, nil, "traps/mains"), t.TempDir()
	plain, marked := filepath.Join(out, "plain")+"/", filepath.Join(out, "marked")+"/"
	trapMust(t, dir, nil, "go", "build", "-o", plain, "./...")
	trapMust(t, dir, nil, trapMarkgen(t), "build", "-all", "-o", marked, "./...")
	for _, name := range []string{"a", "b"} {
		trapCompare(t, name, trapRun(t, out, []string{"MARKGEN=collect=time,report=none"}, marked+name), trapRun(t, out, nil, plain+name))
	}
}

// trapCheck compares the trap in dir plain and marked. env is added to the environment of the
// builds.
func trapCheck(t *testing.T, dir string, env ...string) {
	tests, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	_, err := os.Stat(filepath.Join(dir, "main.go"))
	lines := trapLines(t, filepath.Join(dir, "flags"))
	if !tier.InCorpus() { // make corpus builds it in all ways
		lines = lines[:1]
	}
	for _, flags := range lines {
		if env != nil && strings.Contains(flags, "-race") {
			continue // needs cgo, which not every target has
		}
		if tests != nil && err != nil {
			trapTests(t, dir, strings.Fields(flags))
			continue
		}
		for _, pkg := range trapLines(t, filepath.Join(dir, "dir")) {
			trapProgram(t, dir, filepath.Join(dir, pkg), env, strings.Fields(flags))
		}
	}
}

func trapProgram(t *testing.T, dir, pkg string, env, flags []string) {
	markgen := trapMarkgen(t)
	out := t.TempDir()
	plain, marked := filepath.Join(out, "plain", "program"), filepath.Join(out, "marked", "program")
	trapMust(t, pkg, env, "go", slices.Concat([]string{"build", "-o", plain}, flags, []string{"."})...)
	trapMust(t, pkg, env, markgen, slices.Concat([]string{"build", "-all", "-o", marked}, flags, []string{"."})...)
	for n, args := range trapLines(t, filepath.Join(dir, "args")) {
		what := strings.TrimSpace(strings.Join(flags, " ") + " " + args)
		want := trapRun(t, out, nil, plain, strings.Fields(args)...)
		inert := trapRun(t, out, nil, marked, strings.Fields(args)...)
		trapCompare(t, what+" unset", inert, want)
		all := n == 0 || tier.InCorpus()
		if all {
			unusable := trapRun(t, out, []string{"MARKGEN="}, marked, strings.Fields(args)...)
			trapCompare(t, what+" empty", unusable, want)
		}
		data := filepath.Join(out, fmt.Sprintf("run%d.markgen", n))
		on := trapRun(t, out, []string{"MARKGEN=collect=time,file=" + data}, marked, strings.Fields(args)...)
		trapCompare(t, what+" collecting", on, want)
		demoted := filepath.Join(out, fmt.Sprintf("demoted%d.markgen", n))
		trapCompare(t, what+" demoting", trapRun(t, out, []string{"MARKGEN=demote=1:1000000,file=" + demoted}, marked, strings.Fields(args)...), want)
		trapCounts(t, what, data, demoted)
		paths := filepath.Join(out, fmt.Sprintf("paths%d.markgen", n))
		trapCompare(t, what+" with paths", trapRun(t, out, []string{"MARKGEN=paths,sample=1:1,file=" + paths}, marked, strings.Fields(args)...), want)
		trapPaths(t, what, paths)
		trapWithKeys(t, what, dir, marked, env, strings.Fields(args), want)
		// However the program ended, its data can be read. Outside make corpus the command is tried
		// only once, since it reads them as trapCounts does.
		if !all {
			continue
		}
		if r := trapRun(t, out, nil, markgen, "report", "-format", "json", data); r.state != "exit status 0" || !strings.Contains(r.stdout, `"markers"`) {
			t.Errorf("%s: report: %s\n%s%.500s", what, r.state, r.stderr, r.stdout)
		}
	}
}

// varying are prefixes of the names of markers whose counts vary from run to run: in loops that
// wait for goroutines or for the garbage collector, in code for which main waits only until
// deferred calls have run, and in code that may or may not run before a signal kills the program.
var varying = []string{"goroutines.main:", "finalizers.finalized:", "finalizers.weakly:", "recover.goexit:func#1", "exits.kill:for#1"}

func trapVaries(name string) bool {
	return slices.ContainsFunc(varying, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// trapCounts compares the counts of all markers in two files of one program; in one, markers were
// demoted after their first scope.
func trapCounts(t *testing.T, what, timed, demoted string) {
	t.Helper()
	want, err := runfile.Read(timed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := runfile.Read(demoted)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Markers) != len(want.Markers) {
		t.Fatalf("%s: %d markers, %d where all scopes are timed", what, len(got.Markers), len(want.Markers))
	}
	for i := range want.Markers {
		if g, w := &got.Markers[i], &want.Markers[i]; g.Name != w.Name || g.Count+g.Open != w.Count+w.Open && !trapVaries(path.Base(w.Name)) {
			t.Errorf("%s: %s: %d scopes, of which %d were timed; %s: %d where all are", what, g.Name, g.Count, g.Measured(), w.Name, w.Count)
		}
	}
}

// trapPaths checks that the figures of markers are the sums over their paths. The run has
// sample=1:1, since a marker with a rate of its own is on no path if none of its scopes was timed.
func trapPaths(t *testing.T, what, data string) {
	t.Helper()
	p, err := runfile.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Complete {
		return // it was killed
	}
	for _, err := range profiletest.PathSums(p) {
		t.Errorf("%s: %v", what, err)
	}
}

// trapTests compares go test and markgen test.
func trapTests(t *testing.T, dir string, flags []string) {
	args := slices.Concat(flags, []string{"-count=1", "-v", "-parallel=1", "."})
	want := trapRun(t, dir, nil, "go", slices.Concat([]string{"test"}, args)...)
	got := trapRun(t, dir, nil, trapMarkgen(t), slices.Concat([]string{"test", "-all", "-report", "none"}, args)...)
	normal := func(r trapResult) trapResult {
		var lines []string
		for line := range strings.Lines(trapSeconds.ReplaceAllString(r.stdout, "0s")) {
			// Parallel tests run in any order.
			if !strings.HasPrefix(line, "=== ") {
				lines = append(lines, line)
			}
		}
		slices.Sort(lines)
		r.stdout = strings.Join(lines, "")
		// Ignore messages of the command itself.
		r.stderr = trapOwnLine.ReplaceAllString(r.stderr, "")
		return r
	}
	trapCompare(t, "test "+strings.Join(flags, " "), normal(got), normal(want))
}
