package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// In three rounds of marking, formatting and stripping, formatted source is unchanged, and other
// source becomes what the formatter makes of it. Formatted marked source compiles, and marking it
// again does not change it. Formatters of other projects are in tools/formatters; package rewrite
// tests gofmt and goimports with more source.
func TestFormatters(t *testing.T) {
	tier.Corpus(t)
	bin := t.TempDir() + string(filepath.Separator)
	build := exec.Command("go", "build", "-C", "../../tools/formatters", "-o", bin, "tool")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("the formatters could not be built: %v\n%s", err, out)
	}
	for _, args := range [][]string{
		{"gofmt", "-s", "-w"},
		{bin + "goimports", "-w"},
		{bin + "goimports", "-local", "example.com/m", "-w"},
		{bin + "gofumpt", "-extra", "-w"},
		{bin + "gci", "write"},
		{bin + "gci", "write", "-s", "standard", "-s", "default", "-s", "localmodule", "--custom-order"},
		{bin + "golines", "-w"},
		{bin + "golines", "-m", "60", "-w"},
		{"go", "fix"},
	} {
		t.Run(strings.Join(append([]string{filepath.Base(args[0])}, args[1:]...), " "), func(t *testing.T) {
			testFormatter(t, args)
		})
	}
}

func testFormatter(t *testing.T, args []string) {
	m := newMarked(t)
	m.write("go.mod", "module example.com/m\n\ngo 1.26.0\n\nrequire example.net/semver v0.0.0\n\nreplace example.net/semver => ./semver\n")
	m.write("semver/go.mod", "module example.net/semver\n\ngo 1.26.0\n")
	m.write("semver/semver.go", "package semver\n")
	m.write("other/other.go", "package other\n\nfunc F() {\n}\n")
	m.write("other/zebra/zebra.go", "package zebra\n\nfunc F() {\n}\n")
	m.markgen("init", "-vendor")
	sources, err := filepath.Glob("../../rewrite/testdata/imports/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources")
	}
	packages := []string{".", "./c", "./own"}
	// In these sources, changes by the formatter cannot be told from the user's. Gofumpt puts blank
	// lines around one-line functions that were broken up, and merges imports into a block. Gci
	// puts import "C" first if there are two other imports, and leaves it where it is if there is
	// one.
	skipped := map[string][]string{
		"gofumpt": {"adjacent.go", "block_and_one.go"},
		"gci":     {"c_behind.go"},
	}[filepath.Base(args[0])]
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(source)
		switch {
		case slices.Contains(skipped, name):
			continue
		case strings.HasPrefix(name, "c"):
			name = "c/" + name
		case name == "own.go":
			name = "own/" + name
		}
		m.write(name, string(text))
	}
	texts := func() map[string]string { // texts returns the source files
		files := m.files()
		for name := range files {
			base := filepath.Base(name)
			if dir := filepath.Base(filepath.Dir(name)); strings.HasPrefix(base, "markgen_table") || dir != filepath.Base(m.dir) && dir != "c" && dir != "own" {
				delete(files, name)
			}
		}
		return files
	}
	format := func() {
		t.Helper()
		operands := packages
		if args[0] != "go" {
			operands = nil
			for _, dir := range packages {
				files, err := filepath.Glob(filepath.Join(m.dir, dir, "*.go")) // includes the tables
				if err != nil {
					t.Fatal(err)
				}
				operands = append(operands, files...)
			}
		}
		m.command(append(slices.Clone(args), operands...)...)
	}
	same := func(when string, got, want map[string]string) {
		t.Helper()
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s, %s is\n%s\nwant\n%s", when, filepath.Base(name), got[name], text)
			}
		}
	}
	mark := append([]string{"-all"}, packages...)

	before := texts()
	format()
	want := texts()
	clean := map[string]string{}
	for name, text := range before {
		m.write(strings.TrimPrefix(name, m.dir), text)
		if want[name] == text {
			clean[name] = text
		}
	}
	for range 3 {
		m.markgen(mark...)
		format()
		formatted := texts()
		m.command(append([]string{"go", "vet"}, packages...)...)
		m.markgen(mark...)
		same("formatted and marked again", texts(), formatted)
		m.markgen(append([]string{"-check"}, mark...)...)
		m.markgen(append([]string{"-strip"}, packages...)...)
		same("formatted and stripped", texts(), clean)
		format()
		same("formatted, stripped and formatted again", texts(), want)
	}
}
