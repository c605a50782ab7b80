// Package golden compares what a test got with a file that was looked at and
// kept. It is imported by tests only:
//
//	golden.Check(t, "report.txt", got)
//
// The files stand in golden/testdata, in a folder named after the folder of
// the package under test; the test of package report that checks "plain.txt"
// reads golden/testdata/report/plain.txt.
//
// To rewrite them after a change that was meant, and then to look at the
// difference:
//
//	go test ./report -update
//
// The flag is defined here and nowhere else. `go test ./... -update` passes it
// to every test binary, and one that does not link this package refuses it: a
// package without golden files of its own takes the flag by importing this one
// for its side effect in a test file.
package golden

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files with what the tests got")

// Updating tells whether the golden files are being rewritten, for tests that
// keep expectations in another form (a txtar script, say).
func Updating() bool { return *update }

// Check compares got with the golden file of that name and reports a
// difference as an error of t; with -update it writes the file instead. A name
// is slash separated and stays within the package's folder. It has to be
// called with the test's package folder as current directory, which is how the
// go command starts a test.
func Check[T ~string | ~[]byte](t testing.TB, name string, got T) {
	t.Helper()
	path, err := file(name)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := write(path, []byte(got)); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		t.Errorf("golden file %s is not there; make it with -update and look at it. Got:\n%s", path, string(got))
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := compare(string(want), string(got)); diff != "" {
		t.Errorf("%s differs from what was kept (-want +got); if it should, run the test with -update:\n%s", path, diff)
	}
}

// compare returns "" for equal texts, else their difference line by line: of
// a text with many lines only the lines that differ are of interest.
func compare(want, got string) string {
	if want == got {
		return ""
	}
	return cmp.Diff(strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n"))
}

// file is where the golden file of that name stands, for the package whose
// folder is the current directory.
func file(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("golden file name %q leads out of its folder; use a plain relative name", name)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			rel, err := filepath.Rel(root, dir)
			if err != nil {
				return "", err
			}
			return filepath.Join(root, "golden", "testdata", rel, filepath.FromSlash(name)), nil
		}
		if root == filepath.Dir(root) {
			return "", fmt.Errorf("no go.mod above %s; call golden.Check from the package's folder", dir)
		}
	}
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}
