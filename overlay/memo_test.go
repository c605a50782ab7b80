package overlay

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/tier"
)

// memoModule is a module whose build can be stored in a memo.
var memoModule = map[string]string{
	"go.mod":           "module example.com/m\n\ngo 1.26\n",
	"main.go":          "package main\n\nimport \"example.com/m/a\"\n\nfunc main() { a.A() }\n",
	"a/a.go":           "package a\n\nfunc A() {}\n",
	"a/other.go":       "//go:build other\n\npackage a\n\nfunc B() {}\n",
	"a/a_test.go":      "package a\n",
	"a/embed.go":       "package a\n\nimport _ \"embed\"\n\n//go:embed x.txt\nvar X string\n",
	"a/cgo.go":         "//go:build other\n\npackage a\n\n// int x;\nimport \"C\"\n",
	"a/x.txt":          "x\n",
	"a/y.txt":          "y\n",
	"b/b.go":           "package b\n\nfunc B() {}\n",
	"none/none.go":     "//go:build never\n\npackage none\n",
	"testdata/x/x.go":  "package x\n",
	"_hidden/hidde.go": "package hidden\n",
	"sub/go.mod":       "module example.com/sub\n",
	"sub/sub.go":       "package sub\n",
}

// The memo of a build is valid as long as nothing has changed that could change what is marked, and
// no longer; its packages, as long as nothing has changed that could change the set of packages.
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
		same   bool   // the memo is valid
		listed bool   // its packages are not valid, either
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
		{name: "a body", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "package a\n\nfunc A() { println() }\n"})
		}},
		{name: "a body of the same size", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "package a\n\nfunc A( ){}\n"})
		}},
		{name: "a directive", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "package a\n\n//perf:mark\nfunc A() {}\n"})
		}},
		{name: "a comment", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "package a\n\nfunc A() {}\n\n// The end.\n"})
		}},
		{name: "the comment of a package", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "// Package a is tested.\npackage a\n\nfunc A() {}\n"})
		}},
		{name: "two files", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "package a\n\nfunc A() {}\n\n", "main.go": "package main\n\nimport b \"example.com/m/a\"\n\nfunc main() { b.A() }\n"})
		}},
		{name: "a test file", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a_test.go": "package a\n\nvar X = 1\n"})
		}},
		{name: "a file for another platform", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/other.go": "//go:build other\n\npackage a\n\nfunc C() {}\n"})
		}},
		{name: "what is embedded into", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/embed.go": "package a\n\nimport _ \"embed\"\n\n//go:embed x.txt\nvar Y string\n"})
		}},
		{name: "an import", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "package a\n\nimport _ \"fmt\"\n\nfunc A() {}\n"})
		}},
		{name: "an import instead of another", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"main.go": "package main\n\nimport a \"example.com/m/b\"\n\nfunc main() { a.B() }\n"})
		}},
		{name: "an import less", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"main.go": "package main\n\nfunc main() {}\n"})
		}},
		{name: "a pattern to be embedded", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/embed.go": "package a\n\nimport _ \"embed\"\n\n//go:embed y.txt\nvar X string\n"})
		}},
		{name: "the name of the package", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a_test.go": "package a_test\n"})
		}},
		{name: "a new build constraint", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"b/b.go": "package b\n", "a/a.go": "//go:build !other\n\npackage a\n\nfunc A() {}\n"})
		}},
		{name: "an old build constraint that begins to count", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "// +build other\n\npackage a\n\nfunc A() {}\n"})
		}},
		{name: "cgo", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/cgo.go": "//go:build other\n\npackage a\n\n// int x, y;\nimport \"C\"\n"})
		}},
		{name: "cgo begun", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a.go": "package a\n\nimport \"C\"\n\nfunc A() {}\n"})
		}},
		{name: "a header that does not parse", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/a_test.go": "package a\n\nimport x\n"})
		}},
		{name: "a new file", listed: true, change: func(t *testing.T, dir string) { write(t, dir, map[string]string{"a/new.go": "package a\n"}) }},
		{name: "a file less", listed: true, change: func(t *testing.T, dir string) { remove(t, dir, "a/other.go") }},
		{name: "build constraints", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"a/other.go": "package a\n\nfunc B() {}\n"})
		}},
		{name: "go.mod", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"go.mod": "module example.com/m\n\ngo 1.25\n"})
		}},
		{name: "a go.work above", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"../go.work": "go 1.26\n\nuse ./m\n"})
		}},
		{name: "the registry", listed: true, change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"markgen.registry": "# markgen registry\n"})
		}},
		{name: "a new package", listed: true, line: "./...", change: func(t *testing.T, dir string) { write(t, dir, map[string]string{"deep/er/c.go": "package c\n"}) }},
		{name: "a package that now is one", listed: true, line: "./...", change: func(t *testing.T, dir string) { write(t, dir, map[string]string{"none/none.go": "package none\n"}) }},
		{name: "a package less", listed: true, line: "./...", change: func(t *testing.T, dir string) { remove(t, dir, "b") }},
		{name: "a module below", listed: true, line: "./...", change: func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"b/go.mod": "module example.com/b\n"})
		}},
		{name: "a module below no more", listed: true, line: "./...", change: func(t *testing.T, dir string) { remove(t, dir, "sub/go.mod") }},
		{name: "flags", listed: true, line: "-tags other ."},
		{name: "the environment", listed: true, env: "GOFLAGS=-tags=other"},
		{name: "what is marked", listed: true, all: true},
		{name: "the marked text", listed: true, change: func(t *testing.T, dir string) { remove(t, dir, "../cache/text") }},
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
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if i%3 > 0 { // each takes several go commands
				tier.Corpus(t)
			}
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
			if second.remarked == (tt.same || tt.listed) {
				t.Errorf("packages recalled: %t, want %t", second.remarked, !tt.listed)
			}
			if second.remarked {
				checkRemarked(t, second, prepare(t, dir, line, "GOFLAGS=-p=1", tt.all))
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

// checkRemarked compares a build whose packages are from a memo with the same build without one.
func checkRemarked(t *testing.T, b, anew *Build) {
	t.Helper()
	if anew.recalled || anew.remarked {
		t.Fatal("there is a memo")
	}
	if !slices.Equal(b.flags, anew.flags) {
		t.Errorf("flags %q, want %q", b.flags, anew.flags)
	}
	b.Stats.Rewritten = 0 // those packages are in the cache now
	if !reflect.DeepEqual(b.Stats, anew.Stats) || !reflect.DeepEqual(b.named(), anew.named()) {
		t.Errorf("%+v of %+v, want %+v of %+v", b.Stats, b.named(), anew.Stats, anew.named())
	}
}

// The result of marking again is stored in a memo, too.
func TestMemoOfRemarked(t *testing.T) {
	tier.Test(t)
	dir := t.TempDir()
	prepare := func(change string) *Build {
		t.Helper()
		for name, text := range memoModule {
			if change != "" && name != "a/a.go" {
				continue
			}
			if err := writeFile(filepath.Join(dir, "m", name), []byte(text+change), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(timeStep + 100*time.Millisecond)
		c, err := ParseCommandLine("build", nil)
		if err != nil {
			t.Fatal(err)
		}
		var b *Build
		for range 2 {
			b, err = Prepare(context.Background(), Options{Command: c, Dir: filepath.Join(dir, "m"), CacheDir: filepath.Join(dir, "cache"),
				Configure: func(string) (Marking, error) { return Marking{Options: rewrite.Options{All: true}}, nil }})
			if err != nil {
				t.Fatal(err)
			}
			if change != "" && !b.recalled && (!b.remarked || b.Stats.Rewritten != 1) {
				t.Errorf("%q: remarked: %t, %+v", change, b.remarked, b.Stats)
			}
		}
		if !b.recalled {
			t.Errorf("%q: not recalled", change)
		}
		return b
	}
	first := prepare("")
	if second := prepare("\nfunc C() {}\n"); slices.Equal(second.flags, first.flags) {
		t.Error("the overlay is the same")
	}
	if third := prepare("\n// Nothing.\n"); !slices.Equal(third.flags, first.flags) {
		t.Error("a comment changes the overlay")
	}
}

// No memo is stored if a file changes while it is examined, or shortly before.
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
