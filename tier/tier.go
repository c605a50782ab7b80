// Package tier selects which of the project's tests run. There are three tiers, each including the
// ones before it:
//
//	go test ./...    fast tests that need nothing but Go: the default
//	make test        one test of each kind with real browsers, servers, other toolchains, full builds
//	make corpus      everything
//
// A test that belongs to a later tier calls [Test] or [Corpus] first.
package tier

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// variable is the environment variable with which the Makefile selects the tier: "test", "corpus",
// or empty.
const variable = "MARKGEN_TESTS"

// Flags are for GOFLAGS in tests that build programs: without debug information, linking takes two
// thirds of the time.
const Flags = "-ldflags=-w"

// CachedFlags returns [Flags], and in make test -trimpath as well, so that what tests build in
// temporary directories is always the same and comes from Go's build cache. It is for tests of what
// programs do. Tests of paths and of builds, and make corpus, build like users.
func CachedFlags() string {
	if InTest() && !InCorpus() {
		return "-trimpath " + Flags
	}
	return Flags
}

// Test skips a test in go test ./....
func Test(t testing.TB) {
	t.Helper()
	if !InTest() {
		t.Skip("make test runs it")
	}
}

// Corpus skips a test except in make corpus.
func Corpus(t testing.TB) {
	t.Helper()
	if !InCorpus() {
		t.Skip("make corpus runs it")
	}
}

// InTest reports whether the tests that call [Test] run.
func InTest() bool { return os.Getenv(variable) == "test" || InCorpus() }

// InCorpus reports whether all cases of a test should run, including those that are similar to
// others.
func InCorpus() bool { return os.Getenv(variable) == "corpus" }

// GOROOT returns the GOROOT of the toolchain that runs the test. Binaries built by make test do not
// know it, because of -trimpath.
func GOROOT(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// StandardLibrary calls visit for the packages of the standard library, with the names of the Go
// files that are compiled on this platform, without tests.
func StandardLibrary(t testing.TB, visit func(path string, names []string)) {
	t.Helper()
	root := filepath.Join(GOROOT(t), "src")
	err := filepath.WalkDir(root, func(dir string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch d.Name() {
		case "testdata", "vendor", "cmd":
			return filepath.SkipDir
		}
		p, err := build.ImportDir(dir, 0)
		if err != nil || len(p.GoFiles) == 0 {
			return nil // not for this platform
		}
		var names []string
		for _, name := range p.GoFiles {
			names = append(names, filepath.Join(dir, name))
		}
		visit(filepath.ToSlash(strings.TrimPrefix(dir, root+string(filepath.Separator))), names)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
