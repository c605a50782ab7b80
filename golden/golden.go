// Package golden compares the output of a test with a reviewed file. It is only imported by tests:
//
//	golden.Check(t, "report.txt", got)
//
// The files are in golden/testdata, in a directory named like that of the package under test; the
// test of package report that checks "plain.txt" reads golden/testdata/report/plain.txt.
//
// To update the files after an intended change, run the test as follows and then review the diff:
//
//	go test ./report -update
//
// The flag is only defined here. `go test ./... -update` passes it to every test binary, and one
// that does not link this package rejects it: a package without golden files must import this
// package for its side effect in a test file.
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

// Updating reports whether the golden files are being updated, for tests with expectations in
// another form, such as a txtar script.
func Updating() bool { return *update }

// Check compares got with the named golden file and reports a difference as an error of t; with
// -update it writes the file instead. The name is slash-separated and must stay within the
// package's directory. Check must be called with the directory of the test's package as the current
// directory, in which the go command runs tests.
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

// compare returns "" for equal texts, or else a line diff that omits equal lines.
func compare(want, got string) string {
	if want == got {
		return ""
	}
	return cmp.Diff(strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n"))
}

// file returns the path of the named golden file, for the package whose directory is the current
// directory.
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
