package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/markgen/markgen/internal/cli"
)

// The error for a file with several names says which one is the link, and what to do.
func TestLinkError(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/a.go", "b/own.go"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"b/a.go": "../a/a.go", "b/c.go": "../a/a.go", "d": "a"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, link)); err != nil {
			t.Skipf("there are no symbolic links: %v", err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	shown := filepath.FromSlash
	const (
		twice  = ", by a symbolic link, and the marks of one do not suit the other; "
		copied = "put a copy in its place, or use markgen build, run and test, which write into no file"
	)
	for _, tt := range []struct {
		names  []string
		own    string
		partly bool
		want   string
	}{
		{[]string{in("a/a.go"), in("b/a.go")}, in("a/a.go"), false, shown("b/a.go: the same as a/a.go") + twice + copied},
		{[]string{in("a/a.go"), in("b/a.go")}, in("a/a.go"), true, shown("b/a.go: the same as a/a.go") + twice + "mark both at once, " + copied},
		{[]string{in("b/a.go"), in("b/c.go")}, "", false, shown("b/a.go: the same as b/c.go") + twice + copied},
		{[]string{in("a/a.go"), in("d/a.go")}, in("a/a.go"), false, "d: the same as a" + twice + "mark a alone"},
	} {
		if got := linkError(&cli.Env{Dir: dir}, tt.names, tt.own, tt.partly).Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
