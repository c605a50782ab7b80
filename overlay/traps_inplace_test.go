package overlay_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/markgen/markgen/tier"
)

// trapsInPlace are the traps that do not examine their own lines or frames: marked in place they
// must have the same output.
var trapsInPlace = []string{
	"blank_func", "constraints", "defer_loop", "else_if", "eval_order", "fallthrough", "func_literal", "generated",
	"generics", "goroutines", "goto_block", "goto_decl", "imports", "init_order", "label_for", "local_types", "own_panic",
	"marked", "methods", "recover", "shadowed", "switch_init", "type_switch", "unformatted",
}

// TestTrapsMarkedInPlace marks source, builds and runs it, marks it again, edits it and strips it.
func TestTrapsMarkedInPlace(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	names := trapsInPlace
	if !tier.InCorpus() { // there, all of them are marked in place and run by the command's tests
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Index(trapsInPlace, name)%6 != 0 })
	} else {
		trapInPlace(t, nil, "loopvar") // a module of its own
	}
	trapInPlace(t, nil, names...)
}

// TestTrapsMarkedInPlaceInOtherEditorsFiles checks that CRLF and byte order marks are restored.
func TestTrapsMarkedInPlaceInOtherEditorsFiles(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	trapInPlace(t, trapOtherEditor, "else_if", "marked")
}

// trapInPlace marks traps in one module. change, if not nil, is applied to each Go file first.
func trapInPlace(t *testing.T, change func([]byte) []byte, names ...string) {
	var folders []string
	for _, name := range names {
		folders = append(folders, "traps/"+name)
	}
	dir := trapCopy(t, change, folders...)
	markgen := trapMarkgen(t)
	out := t.TempDir()
	plain, marked := filepath.Join(out, "plain"), filepath.Join(out, "marked")
	trapMust(t, dir, nil, "go", "build", "-o", plain+"/", "./...")
	want := map[string]trapResult{}
	for _, name := range names {
		want[name] = trapRun(t, out, nil, filepath.Join(plain, name))
	}
	before := trapGoFiles(t, dir)
	trapMust(t, dir, nil, markgen, "init", "-vendor")

	// Two concurrent processes have the same result as one.
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if r := trapRun(t, dir, nil, markgen, "-all", "./..."); r.state != "exit status 0" {
				t.Errorf("markgen -all: %s\n%s", r.state, r.stderr)
			}
		})
	}
	both.Wait()
	first := trapGoFiles(t, dir)
	for name, text := range first {
		if filepath.Base(name) == "main.go" && !strings.Contains(text, ".Finish()") {
			t.Errorf("%s holds no marks\n%s", name, text)
		}
	}
	trapMust(t, dir, nil, markgen, "-all", "./...")
	trapSame(t, "marked again", trapGoFiles(t, dir), first)
	trapMust(t, dir, nil, markgen, "-all", "-check", "./...")
	trapMust(t, dir, nil, "go", "build", "-o", marked+"/", "./...")
	for _, name := range names {
		for _, env := range [][]string{nil, {"MARKGEN=collect=time,report=none,file=" + filepath.Join(out, name+".markgen")}} {
			got, want := trapRun(t, out, env, filepath.Join(marked, name)), want[name]
			got.stderr, want.stderr = "", "" // stack traces contain lines
			trapCompare(t, name+" "+strings.Join(env, ""), got, want)
		}
	}

	// The user's additions to the marked source are kept.
	const edit = "// added after marking\n"
	add := func(text string) string {
		if strings.Contains(text, "\r\n") {
			return text
		}
		at := strings.Index("\n"+text, "\npackage ")
		return text[:at] + edit + text[at:]
	}
	edited := make(map[string]string)
	for name := range before {
		edited[name] = add(before[name])
		if err := os.WriteFile(filepath.Join(dir, name), []byte(add(first[name])), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	trapMust(t, dir, nil, markgen, "-strip", "./...")
	trapSame(t, "stripped", trapGoFiles(t, dir), edited)
}

// trapGoFiles returns the Go files below dir, except the runtime that markgen init writes.
func trapGoFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && filepath.Base(path) == "markgen" {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func trapSame(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if g, ok := got[name]; !ok {
			t.Errorf("%s: %s is gone", what, name)
		} else if g != want[name] {
			t.Errorf("%s: %s differs\n%s", what, name, trapDiff(g, want[name]))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is left over", what, name)
		}
	}
}
