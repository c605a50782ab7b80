// Package tier says which of the project's tests run. There are three tiers, each of which has those before it:
//
//	go test ./...    what needs nothing but Go and is quick: the default
//	make test        one test of each kind with the real thing: browsers, servers, other toolchains, whole builds
//	make corpus      everything
//
// A test says that it belongs to a later tier by calling [Test] or [Corpus] first.
package tier

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// variable is that of the environment by which the Makefile chooses: "test", "corpus", or nothing.
const variable = "MARKGEN_TESTS"

// Flags are for GOFLAGS where tests build programs: without the tables of debuggers linking takes two thirds of the time.
const Flags = "-ldflags=-w"

// CachedFlags are [Flags], and by make test -trimpath too: what tests build in temporary directories then is the same each time, and
// go has it in its cache. They are for tests of what programs do. Those of paths and of builds, and make corpus, build as users do.
func CachedFlags() string {
	if InTest() && !InCorpus() {
		return "-trimpath " + Flags
	}
	return Flags
}

// Test skips a test that is not for go test ./....
func Test(t testing.TB) {
	t.Helper()
	if !InTest() {
		t.Skip("make test runs it")
	}
}

// Corpus skips a test that is for make corpus alone.
func Corpus(t testing.TB) {
	t.Helper()
	if !InCorpus() {
		t.Skip("make corpus runs it")
	}
}

// InTest says whether tests run that [Test] skips otherwise.
func InTest() bool { return os.Getenv(variable) == "test" || InCorpus() }

// InCorpus says whether all cases of a test are to run, those that differ from others in little among them.
func InCorpus() bool { return os.Getenv(variable) == "corpus" }

// GOROOT is that of the toolchain that runs the test. What make test has built does not know it, for it was built with -trimpath.
func GOROOT(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
