package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/internal/cli"
	"golang.org/x/mod/modfile"
)

// The go line of a workspace is raised to that of a module in it, and is never lowered.
func TestRaiseWork(t *testing.T) {
	for _, tt := range []struct{ work, gowork, want, said string }{
		{"go 1.25\n\nuse ./m\n", "", "go 1.26.0\n\nuse ./m\n", "go.work: go 1.26.0, as a module in it now needs\n"},
		{"use ./m\n", "", "go 1.26.0\n\nuse ./m\n", "go.work: go 1.26.0, as a module in it now needs\n"},
		{"go 1.26.0\n", "", "go 1.26.0\n", ""},
		{"go 1.27\n", "", "go 1.27\n", ""},
		{"go 1.25\n", "off", "go 1.25\n", ""},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "go.work")
		if err := os.WriteFile(name, []byte(tt.work), 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout bytes.Buffer
		env := &cli.Env{Stdout: &stdout, Dir: dir, Environ: []string{"GOWORK=" + tt.gowork}}
		if err := raiseWork(env, filepath.Join(dir, "m"), &modfile.Go{Version: "1.26.0"}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != tt.want || stdout.String() != tt.said {
			t.Errorf("GOWORK=%s, %q: %q, said %q", tt.gowork, tt.work, got, stdout.String())
		}
	}
}

// Where init finds no runtime to require, it says why and what to do.
func TestNoCheckout(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"github.com/markgen/markgen/cmd/markgen/init_require.go", "was built with -trimpath"},
		{filepath.Join(t.TempDir(), "init_require.go"), "is gone"},
	} {
		if err := errNoCheckout(tt.file); !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "; run markgen init -vendor, or build it ") {
			t.Errorf("%s: %v", tt.file, err)
		}
	}
}

// In a workspace, go uses the workspace's vendor directory, and rejects -mod=mod.
func TestSayVendor(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"go.work", "vendor/modules.txt", "m/vendor/modules.txt", "n/go.mod"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const marking = ": does not agree with go.mod now; mark with GOFLAGS="
	for _, tt := range []struct{ gowork, root, want string }{
		{"", "m", "vendor" + marking + "-mod=readonly in the environment, then run go work vendor\n"},
		{"off", "m", filepath.Join("m", "vendor") + marking + "-mod=mod in the environment, then run go mod vendor\n"},
		{"off", "n", ""},
	} {
		var stdout bytes.Buffer
		sayVendor(&cli.Env{Stdout: &stdout, Dir: dir, Environ: []string{"GOWORK=" + tt.gowork}}, filepath.Join(dir, tt.root))
		if stdout.String() != tt.want {
			t.Errorf("GOWORK=%s, %s: %q, want %q", tt.gowork, tt.root, stdout.String(), tt.want)
		}
	}
}
