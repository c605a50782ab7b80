package overlay

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/rewrite"
)

// memoModule is a module whose build can be remembered.
var memoModule = map[string]string{
	"go.mod":           "module example.com/m\n\ngo 1.26\n",
	"main.go":          "package main\n\nimport \"example.com/m/a\"\n\nfunc main() { a.A() }\n",
	"a/a.go":           "package a\n\nfunc A() {}\n",
	"a/other.go":       "//go:build other\n\npackage a\n\nfunc B() {}\n",
	"a/a_test.go":      "package a\n",
	"b/b.go":           "package b\n\nfunc B() {}\n",
	"none/none.go":     "//go:build never\n\npackage none\n",
	"testdata/x/x.go":  "package x\n",
	"_hidden/hidde.go": "package hidden\n",
}

// A build is remembered as long as nothing has changed that could change what is marked, and no longer.
func TestMemo(t *testing.T) {
	write := func(t *testing.T, dir string, files map[string]string) {
		for name, text := range files {
			if err := writeFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(t *testing.T, dir, name string) {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name   string
		line   string // of go build
		same   bool   // the memo holds
		change func(t *testing.T, dir string)
		env    string
		all    bool
	}{
		{name: "nothing", same: true},
		{name: "nothing, all packages", line: "./...", same: true},
		{name: "what is not Go", same: true, change: func(t *testing.T, dir string) { write(t, dir, map[string]string{"main": "\x7fELF", "a/x.txt": ""}) }},
		{name: "a package that is not built", same: true, change: func(t *testing.T, dir string) { write(t, dir, map[string]string{"c/c.go": "package c\n"}) }},
		{name: "files that patterns pass over", line: "./...", same: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"testdata/x/x.go": "package y\n", "_hidden/more.go": "package y\n"})
		}},
		{name: "a file", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "package a\n\nfunc A() { }\n"})
		}},
		{name: "a file of the same size", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "package a\n\nfunc A( ){}\n"})
		}},
		{name: "a new file", change: func(t *testing.T, dir string) { write(t, dir, map[string]string{"a/new.go": "package a\n"}) }},
		{name: "a file less", change: func(t *testing.T, dir string) { remove(t, dir, "a/other.go") }},
		{name: "build constraints", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/other.go": "package a\n\nfunc B() {}\n"})
		}},
		{name: "go.mod", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"go.mod": "module example.com/m\n\ngo 1.25\n"})
		}},
		{name: "a go.work above", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"../go.work": "go 1.26\n\nuse ./m\n"})
		}},
		{name: "the registry", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"markgen.registry": "# markgen registry\n"})
		}},
		{name: "a new package", line: "./...", change: func(t *testing.T, dir string) { write(t, dir, map[string]string{"deep/er/c.go": "package c\n"}) }},
		{name: "a package that now is one", line: "./...", change: func(t *testing.T, dir string) { write(t, dir, map[string]string{"none/none.go": "package none\n"}) }},
		{name: "a package less", line: "./...", change: func(t *testing.T, dir string) { remove(t, dir, "b") }},
		{name: "flags", line: "-tags other ."},
		{name: "the environment", env: "GOFLAGS=-tags=other"},
		{name: "what is marked", all: true},
		{name: "the marked text", change: func(t *testing.T, dir string) { remove(t, dir, "../cache/text") }},
	}
	prepare := func(t *testing.T, dir, line, env string, all bool) *Build {
		t.Helper()
		c, err := ParseCommandLine("build", strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		environ := append(os.Environ(), "GOFLAGS=", "GOWORK=", "MARKGENCACHE="+filepath.Join(dir, "..", "cache"))
		if env != "" {
			environ = append(environ, env)
		}
		b, err := Prepare(context.Background(), Options{Command: c, Dir: dir, Environ: environ,
			Configure: func(string) (Marking, error) { return Marking{Options: rewrite.Options{All: all}}, nil }})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "m")
			write(t, dir, memoModule)
			time.Sleep(timeStep + 100*time.Millisecond)
			line := "."
			if tt.line == "./..." {
				line = tt.line
			}
			first := prepare(t, dir, line, "", false)
			if first.recalled {
				t.Fatal("recalled at the first build")
			}
			if tt.line != "" {
				line = tt.line
			}
			if tt.change != nil {
				tt.change(t, dir)
			}
			second := prepare(t, dir, line, tt.env, tt.all)
			if second.recalled != tt.same {
				t.Errorf("recalled: %t, want %t", second.recalled, tt.same)
			}
			if !tt.same {
				return
			}
			if !slices.Equal(first.words("build", nil), second.words("build", nil)) {
				t.Errorf("%q became %q", first.words("build", nil), second.words("build", nil))
			}
			if len(second.named()) != len(first.named()) || second.Stats.Rewritten != 0 || second.Stats.Files != first.Stats.Files {
				t.Errorf("%+v became %+v", first.Stats, second.Stats)
			}
		})
	}
}

// A file that changes while it is looked at, or in the same moment, is not remembered.
func TestMemoTooFresh(t *testing.T) {
	dir := t.TempDir()
	for name, text := range memoModule {
		if err := writeFile(filepath.Join(dir, "m", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c, err := ParseCommandLine("build", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		b, err := Prepare(context.Background(), Options{Command: c, Dir: filepath.Join(dir, "m"), CacheDir: filepath.Join(dir, "cache")})
		if err != nil {
			t.Fatal(err)
		}
		if b.recalled {
			t.Error("recalled")
		}
	}
}
