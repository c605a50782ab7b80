package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a testing.TB that keeps what is reported instead of failing.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) {
	r.said = append(r.said, fmt.Sprint(args...))
	panic(r)
}

// check runs Check and returns what it reported.
func check(name, got string) (said string) {
	r := new(recorder)
	defer func() {
		if v := recover(); v != nil && v != any(r) {
			panic(v)
		}
		said = strings.Join(r.said, "\n")
	}()
	Check(r, name, got)
	return
}

// module makes a module with one package directory and changes to it.
func module(t *testing.T) (root string) {
	root = t.TempDir()
	dir := filepath.Join(root, "report", "text")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	return root
}

// updating runs f as if with -update.
func updating(f func()) {
	defer func(old bool) { *update = old }(*update)
	*update = true
	f()
}

func TestCheck(t *testing.T) {
	root := module(t)
	defer func(old bool) { *update = old }(*update)
	*update = false

	if said := check("a/b.txt", "one\n"); !strings.Contains(said, "is not there; make it with -update") {
		t.Errorf("missing file: %q", said)
	}
	updating(func() {
		if said := check("a/b.txt", "one\ntwo\n"); said != "" {
			t.Errorf("writing: %q", said)
		}
	})
	kept, err := os.ReadFile(filepath.Join(root, "golden", "testdata", "report", "text", "a", "b.txt"))
	if string(kept) != "one\ntwo\n" || err != nil {
		t.Errorf("kept %q, %v", kept, err)
	}
	if said := check("a/b.txt", "one\ntwo\n"); said != "" {
		t.Errorf("equal texts: %q", said)
	}
	if said := check("a/b.txt", "one\nthree\n"); !strings.Contains(said, `"three\n"`) {
		t.Errorf("different texts: %q", said)
	}
}

func TestName(t *testing.T) {
	module(t)
	for _, name := range []string{"../x", "/x", ""} {
		if said := check(name, ""); !strings.Contains(said, "leads out of its folder") {
			t.Errorf("name %q: %q", name, said)
		}
	}
}

func TestNoModule(t *testing.T) {
	t.Chdir(t.TempDir())
	if said := check("x", ""); !strings.Contains(said, "no go.mod above") {
		t.Errorf("%q", said)
	}
}

func TestDiffersOnlyAtTheEnd(t *testing.T) {
	for _, c := range []struct{ want, got string }{{"a", "a\n"}, {"a\r\n", "a\n"}, {"", "\n"}} {
		if compare(c.want, c.got) == "" {
			t.Errorf("%q and %q compare as equal", c.want, c.got)
		}
	}
}
