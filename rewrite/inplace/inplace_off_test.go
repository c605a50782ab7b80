package inplace

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/tier"
)

// program writes a module with a main package and a package p, and returns its directory.
func program(t *testing.T, files map[string][]byte) string {
	t.Helper()
	checkout, err := filepath.Abs("../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files["go.mod"] = []byte("module example.com\n\ngo 1.26.0\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => " + checkout + "\n")
	files["main.go"] = []byte("package main\n\nimport \"example.com/p\"\n\nfunc main() { p.All() }\n")
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const modulePath = "github.com/markgen/markgen/runtime"

func goRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+tier.CachedFlags(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// With the build tag markgen_off, the functions of a marked program have the same instructions as
// unmarked.
func TestInPlaceOffIsGone(t *testing.T) {
	plain := map[string][]byte{}
	marked := map[string][]byte{}
	for _, name := range []string{"all_statements.go", "all_calls.go"} {
		text, err := os.ReadFile("testdata/inplace/" + name)
		if err != nil {
			t.Fatal(err)
		}
		plain["p/"+name] = text
	}
	var sources []rewrite.Source
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		sources = append(sources, rewrite.Source{Name: name, Text: plain[name]})
	}
	maps.Copy(marked, plain)
	maps.Copy(marked, markInPlace(t, "example.com/p", sources, rewrite.Options{All: true}, Options{}))

	want := instructions(t, program(t, plain), "")
	got := instructions(t, program(t, marked), "markgen_off")
	on := instructions(t, program(t, marked), "")
	if len(want) < 12 {
		t.Fatalf("only %d functions in the program", len(want))
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s is\n%s\nand unmarked\n%s", name, got[name], want[name])
		}
		if strings.Count(on[name], "\n") <= strings.Count(want[name], "\n") {
			t.Errorf("%s has no marker when they are on:\n%s", name, on[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is not in the unmarked program", name)
		}
	}
}

var (
	place   = regexp.MustCompile(`^\s*\S+\.go:\d+\s+0x[0-9a-f]+\s+[0-9a-f]+\s+`)
	address = regexp.MustCompile(`^((?:CALL|J[A-Z]+|B|BL|B[A-Z]+) .*?|.*?)\b0x[0-9a-f]+(\(IP\)|\b)`)
	stack   = regexp.MustCompile(`0x[0-9a-f]+(\(SP\))`)
)

// instructions builds a program and returns the machine code of the functions
// of package p, sorted and without the addresses.
func instructions(t *testing.T, dir, tags string) map[string]string {
	t.Helper()
	binary := filepath.Join(dir, "program")
	goRun(t, dir, "build", "-tags", tags, "-o", binary, ".")
	functions := map[string]string{}
	name := ""
	for _, line := range strings.Split(goRun(t, dir, "tool", "objdump", "-s", `^example\.com/p\.`, binary), "\n") {
		if rest, ok := strings.CutPrefix(line, "TEXT "); ok {
			name, _, _ = strings.Cut(rest, "(SB)")
			continue
		}
		line = strings.TrimSpace(place.ReplaceAllString(line, ""))
		if line == "" || name == "" {
			continue
		}
		jump := strings.HasPrefix(line, "CALL ") || strings.HasPrefix(line, "J") || strings.HasPrefix(line, "B")
		if jump || strings.Contains(line, "(IP)") || strings.Contains(line, "ADRP") {
			line = address.ReplaceAllString(line, "${1}ADDRESS$2")
		}
		functions[name] += stack.ReplaceAllString(line, "STACK$1") + "\n"
	}
	for name, text := range functions { // spills may differ in order and stack slots
		lines := strings.SplitAfter(text, "\n")
		slices.Sort(lines)
		functions[name] = strings.Join(lines, "")
	}
	return functions
}
