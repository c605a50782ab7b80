package deep_test

import (
	"bytes"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/overlay/deep"
)

// source returns package runtime of the Go release that runs the tests.
func source(t *testing.T) []deep.File {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}{{range .GoFiles}}\n{{.}}{{end}}", "runtime").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(strings.TrimSpace(string(out)), "\n")
	var files []deep.File
	for _, name := range names[1:] {
		text, err := os.ReadFile(filepath.Join(names[0], name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, deep.File{Name: name, Text: text})
	}
	return files
}

// All original text stays on its line; code is inserted after every place that allocates memory.
func TestRewrite(t *testing.T) {
	files := source(t)
	changed, err := deep.Rewrite("go", files)
	if err != nil {
		t.Fatal(err)
	}
	before := map[string]string{}
	for _, f := range files {
		before[f.Name] = string(f.Text)
	}
	counted, packed, places := 0, 0, 0
	for _, f := range changed {
		if _, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, parser.SkipObjectResolution); err != nil {
			t.Error(err)
		}
		old, ok := before[f.Name]
		if !ok {
			continue
		}
		lines, was := strings.Split(string(f.Text), "\n"), strings.Split(old, "\n")
		if len(lines) != len(was) {
			t.Errorf("%s: %d lines, it had %d", f.Name, len(lines), len(was))
			continue
		}
		for i, line := range lines {
			if line == was[i] {
				continue
			}
			places++
			if !contains(line, was[i]) {
				t.Errorf("%s:%d: %q became %q", f.Name, i+1, was[i], line)
			}
			switch {
			case strings.Contains(was[i], "nextSample -="):
				counted++
			case strings.Contains(was[i], "tinyAllocs++"):
				packed++
			}
		}
	}
	handedOut := 0
	for name, text := range before {
		if name != "arena.go" { // chunks of arenas are counted elsewhere
			handedOut += strings.Count(text, "c.nextSample -= int64(")
		}
	}
	if counted != handedOut || packed == 0 || places <= counted+packed {
		t.Errorf("memory of %d places is counted, %d hand it out; %d tiny; %d places in all", counted, handedOut, packed, places)
	}
	again, err := deep.Rewrite("go", files)
	if diff := cmp.Diff(changed, again); diff != "" || err != nil {
		t.Errorf("the second time %v (-first +second):\n%s", err, diff)
	}
}

// contains reports whether part is a subsequence of text.
func contains(text, part string) bool {
	for i := 0; i < len(text) && part != ""; i++ {
		if text[i] == part[0] {
			part = part[1:]
		}
	}
	return part == ""
}

// A release that lacks a place, or has an unknown one, is rejected with an error that says where
// and what.
func TestShape(t *testing.T) {
	files := source(t)
	for _, tt := range []struct {
		about, file, from, to string
		want                  string
	}{
		{"no g", "runtime2.go", "type g struct {", "type gee struct {", "runtime2.go: no struct type g"},
		{"an object is not counted", "malloc.go", "\tc.nextSample -= int64(size)\n", "\tc.sampled(size)\n", "func mallocgcSmallNoscan takes memory and has no statement c.nextSample -= int64(size) to count it at"},
		{"a tiny object is not counted", "malloc.go", "c.tinyAllocs++", "c.tiny++", "func mallocgcTiny packs a tiny object and has no statement c.tinyAllocs++"},
		{"no end", "proc.go", "func goexit1() {", "func goexit2() {", "proc.go: no function goexit1, by which goroutines end"},
		{"no end of coroutines", "coro.go", "func coroexit(", "func coroend(", "coro.go: no function coroexit"},
		{"another way to change the status", "proc.go", "!gp.atomicstatus.CompareAndSwap(oldval, newval); i++", "!gp.changeStatus(oldval, newval); i++", "proc.go: no loop in function casgstatus"},
		{"another way to be preempted", "proc.go", "for !gp.atomicstatus.CompareAndSwap(_Grunning, _Gscan|_Gpreempted) {", "for done := false; !done; done = gp.atomicstatus.CompareAndSwap(_Grunning, _Gscan|_Gpreempted) {", "func casGToPreemptScan changes whether a goroutine runs, in a way that is not known"},
		{"another way into system calls", "proc.go", "func reentersyscall(", "func entersyscall3(", "proc.go: no function reentersyscall"},
		{"no reasons", "runtime2.go", "var waitReasonStrings =", "var reasons =", "runtime2.go: no variable waitReasonStrings"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			changed := slices.Clone(files)
			i := slices.IndexFunc(changed, func(f deep.File) bool { return f.Name == tt.file })
			if !bytes.Contains(changed[i].Text, []byte(tt.from)) {
				t.Fatalf("%s does not have %q", tt.file, tt.from)
			}
			changed[i].Text = bytes.Replace(changed[i].Text, []byte(tt.from), []byte(tt.to), 1)
			made, err := deep.Rewrite("go9.9", changed)
			var shape *deep.ShapeError
			if !errors.As(err, &shape) || made != nil {
				t.Fatalf("error %v, and %d files", err, len(made))
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.file+":") || !strings.Contains(err.Error(), "go9.9") {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := deep.Rewrite("go9.9", append(slices.Clone(files), deep.File{Name: "markgen.go"})); err == nil || !strings.Contains(err.Error(), "markgen.go: a file of this name is there already") {
		t.Errorf("error %v", err)
	}
	if _, err := deep.Rewrite("go9.9", nil); err == nil || strings.Count(err.Error(), "\n\t") < 10 {
		t.Errorf("error %v", err)
	}
	if _, err := deep.Rewrite("go9.9", []deep.File{{Name: "runtime2.go", Text: []byte("package runtime; type g struct {")}}); err == nil || !strings.Contains(err.Error(), "package runtime of go9.9: runtime2.go:1:") {
		t.Errorf("error %v", err)
	}
}
