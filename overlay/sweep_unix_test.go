//go:build unix

package overlay

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Files left by a killed run are removed, unless they contain readable data, were created a moment
// ago, or belong to an active run.
func TestSweep(t *testing.T) {
	base := t.TempDir()
	long := time.Now().Add(-time.Hour)
	make := func(name, file string, at time.Time) string {
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if file != "" {
			if err := os.WriteFile(filepath.Join(dir, file), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	gone := []string{make(runDir+"1", "trace-1.tmp", long), make(runDir+"2", "keeper", long), make(runDir+"3", "", long), make(runDir+"7", "stdout", long)}
	kept := []string{make(runDir+"4", "shop.1.markgen", long), make(runDir+"5", "", time.Now()), make("other", "", long)}
	going := make(runDir+"6", "trace-2.tmp", long)
	defer holdDir(going).Close()
	kept = append(kept, going)
	sweep(base, runDir, func(dir string) bool { return !hasData(dir) })
	for _, dir := range gone {
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("%s is left", filepath.Base(dir))
		}
	}
	for _, dir := range kept {
		if _, err := os.Lstat(dir); err != nil {
			t.Error(err)
		}
	}
}

// Of the work directories, only those of living processes are kept.
func TestWorkDir(t *testing.T) {
	base := t.TempDir()
	long := time.Now().Add(-time.Hour)
	left := filepath.Join(base, workDir+"1") // of a killed process
	if err := os.MkdirAll(filepath.Join(left, "all"), 0o700); err != nil {
		t.Fatal(err)
	}
	used, err := NewWorkDir(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{left, used.Path} {
		if err := os.Chtimes(dir, long, long); err != nil {
			t.Fatal(err)
		}
	}
	path := used.Path
	d, err := NewWorkDir(base)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(left); err == nil {
		t.Errorf("%s is left", filepath.Base(left))
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
	for _, d := range []*WorkDir{d, used, used, nil} {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(base, "*")); left != nil {
		t.Errorf("%q are left", left)
	}
}
