package overlay_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// A package is recompiled if the export data of an import has changed, but not if only its code
// has; and the program is the same as after compiling everything.
func TestRecompiled(t *testing.T) {
	tier.Corpus(t)
	t.Parallel()
	elsewhere := t.TempDir() // go's cache for the builds with which all are compared
	for _, flags := range [][]string{{"-all"}, {"-all", "-markpkg", "./base"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			testRecompiled(t, flags, elsewhere)
		})
	}
}

func testRecompiled(t *testing.T, flags []string, elsewhere string) {
	markgen := trapMarkgen(t)
	dir := t.TempDir()
	var trim []string
	if goroot := trapMust(t, dir, nil, "go", "env", "GOROOT").stdout; strings.Contains(goroot, "golang.org/toolchain@") {
		trim = []string{"-trimpath"} // a downloaded toolchain is used through a link in markgen's cache, and builds with two caches are compared
	}
	work := filepath.Join(dir, "work")
	write := func(name string, change func(string) string) {
		t.Helper()
		name = filepath.Join(work, name)
		text, _ := os.ReadFile(name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(change(string(text))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.25\n",
		"base/base.go": `package base

type T struct{ A int }

//go:noinline
func Large(n int) int { return n * 3 }

func Small(n int) int { return n + 4 }
`,
		"mid/mid.go": `package mid

import "example.com/m/base"

func Value(n int) base.T { return base.T{A: number(n)} }

//go:noinline
func number(n int) int { return base.Small(n) + base.Large(n) }
`,
		"top/top.go": `package top

import "example.com/m/mid"

//go:noinline
func Number(n int) int { return mid.Value(n).A }
`,
		"cmd/cmd.go": `package main

import "example.com/m/top"

func main() { println(top.Number(5)) }
`,
	} {
		write(name, func(string) string { return text })
	}

	marked := []string{"MARKGENCACHE=" + filepath.Join(dir, "marked")}
	// slots returns the first lines of all kept archives.
	slots := func() map[string]string {
		files, err := filepath.Glob(filepath.Join(dir, "marked", "archive", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]string{}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := bytes.Cut(text, []byte("\n"))
			m[name] = string(head)
		}
		return m
	}
	names := map[string]string{}
	for _, pkg := range []string{"base", "mid", "top", "cmd"} {
		trapMust(t, work, marked, markgen, slices.Concat([]string{"build"}, flags, []string{"-o", os.DevNull, "./" + pkg})...)
		for name := range slots() {
			if names[name] == "" && pkg == "base" {
				names[name] = "runtime or base"
			} else if names[name] == "" {
				names[name] = pkg
			}
		}
	}
	build := func(env []string, more ...string) [sha256.Size]byte {
		t.Helper()
		out := filepath.Join(t.TempDir(), "program")
		trapMust(t, work, env, markgen, slices.Concat([]string{"build"}, flags, more, []string{"-o", out, "./cmd"})...)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return sha256.Sum256(text)
	}
	replace := func(old, new string) func(string) string {
		return func(text string) string {
			if !strings.Contains(text, old) {
				t.Fatalf("no %q in\n%s", old, text)
			}
			return strings.Replace(text, old, new, 1)
		}
	}
	add := func(more string) func(string) string { return func(text string) string { return text + more } }
	build(marked)
	for _, tt := range []struct {
		name   string
		change func(string) string
		flags  []string
		want   string
		once   bool // only with -all
	}{
		{"nothing", add(""), nil, "", false},
		{"a comment", add("// More.\n"), nil, "", true},
		{"code", replace("n * 3", "n * 7"), nil, "runtime or base", false},
		{"a constant", add("const More = 1\n"), nil, "mid, runtime or base", true},
		{"an inlined function", replace("n + 4", "n + 5"), nil, "mid, runtime or base", false},
		{"a type that others export", replace("A int", "A, B int"), nil, "mid, runtime or base, top", true},
		{"code, with damage", replace("n * 7", "n * 8"), nil, "mid, runtime or base", false},
		{"a marker more", replace("return n * 8", "if n > 9 {\n\t\treturn n\n\t}\n\treturn n * 8"), nil, "mid, runtime or base", false},
		{"code, and everything is to be compiled", replace("n * 8", "n * 9"), []string{"-a"}, "", true},
	} {
		if tt.once && len(flags) > 1 {
			continue
		}
		if strings.Contains(tt.name, "damage") {
			for name, pkg := range names {
				if pkg == "mid" {
					text, err := os.ReadFile(name)
					if err != nil {
						t.Fatal(err)
					}
					text[len(text)-9] ^= 1
					if err := os.WriteFile(name, append(text, "x"...), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		write("base/base.go", tt.change)
		before := slots()
		got := build(marked, tt.flags...)
		var compiled []string
		for name, head := range slots() {
			if head != before[name] || strings.Contains(tt.name, "damage") && names[name] == "mid" && !damaged(t, name) {
				compiled = append(compiled, names[name])
			}
		}
		slices.Sort(compiled)
		if compiled := strings.Join(compiled, ", "); compiled != tt.want {
			t.Errorf("%s is different: compiled are %q, want %q", tt.name, compiled, tt.want)
		}
		if trim != nil {
			got = build(marked, trim...)
		}
		if want := build([]string{"MARKGENCACHE=" + t.TempDir(), "GOCACHE=" + elsewhere}, trim...); got != want {
			t.Errorf("%s is different: it is not what comes of compiling everything", tt.name)
		}
	}
}

// damaged reports whether the file has the end that TestRecompiled wrote.
func damaged(t *testing.T, name string) bool {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.HasSuffix(text, []byte("x"))
}
