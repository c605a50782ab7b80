//go:build unix

package fileread

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A file that is not regular is an error at once; a link to a regular file is read.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.WriteFile(path("file"), []byte("text"), 0o600), os.Symlink("file", path("link")), os.Symlink("/dev/zero", path("zero")),
		syscall.Mkfifo(path("pipe"), 0o600), os.Symlink("pipe", path("linked")), os.Mkdir(path("folder"), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "link"} {
		if text, err := File(path(name)); string(text) != "text" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if sum, err := Hash(path(name)); sum != "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1" || err != nil {
			t.Errorf("the sum of %s is %s, %v", name, sum, err)
		}
	}
	for _, name := range []string{"zero", "pipe", "linked", "folder"} {
		want := "open " + path(name) + ": not a regular file; move it out of the way"
		if _, err := File(path(name)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if _, err := Hash(path(name)); err == nil || err.Error() != want {
			t.Errorf("the sum of %s: %v, want %s", name, err, want)
		}
	}
	if _, err := File(path("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A pipe named by the user is read; endless input is not read to its end.
func TestNamed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if text, err := Named("/dev/fd/" + strconv.Itoa(int(r.Fd()))); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	big := filepath.Join(t.TempDir(), "big")
	if err := errors.Join(os.WriteFile(big, nil, 0o600), os.Truncate(big, 1<<40)); err != nil {
		t.Skip(err)
	}
	if _, err := Named(big); err == nil || !strings.HasSuffix(err.Error(), ": more than 256 MiB") {
		t.Error(err)
	}
}
