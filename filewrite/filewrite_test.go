package filewrite

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// tree returns the content and mode of each file in a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = info.Mode().String() + " " + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// makeTree makes a directory with files of several kinds, and returns new contents for them.
func makeTree(t *testing.T) (dir string, files map[string][]byte) {
	t.Helper()
	dir = t.TempDir()
	for name, mode := range map[string]fs.FileMode{"a": 0o600, "b": 0o755, "c": 0o644, "real": 0o640} {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte("old "+filepath.Base(name)), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	files = map[string][]byte{}
	for _, name := range []string{"a", "b", "link", "new"} {
		files[filepath.Join(dir, name)] = []byte("new " + name)
	}
	files[filepath.Join(dir, "c")] = nil
	files[filepath.Join(dir, "never there")] = nil
	return dir, files
}

func TestWriteAll(t *testing.T) {
	dir, files := makeTree(t)
	if err := WriteAll(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	got := tree(t, dir)
	want := map[string]string{"a": "-rw------- new a", "b": "-rwxr-xr-x new b", "real": "-rw-r----- new link", "link": "Lrwxrwxrwx new link"}
	for name, text := range want {
		if got[filepath.Join(dir, name)] != text {
			t.Errorf("%s is %q, want %q", name, got[filepath.Join(dir, name)], text)
		}
	}
	if !strings.HasSuffix(got[filepath.Join(dir, "new")], "new new") || len(got) != 5 {
		t.Errorf("there is %v", got)
	}
	if to, err := os.Readlink(filepath.Join(dir, "link")); err != nil || to != "real" {
		t.Errorf("the link is %q, %v", to, err)
	}
}

// A countdown is a context that is done after it was asked n times.
type countdown struct {
	context.Context
	n *int
}

func (c countdown) Err() error {
	if *c.n--; *c.n < 0 {
		return context.Canceled
	}
	return nil
}

func (c countdown) Value(any) any { return nil }

// Wherever it is interrupted, all files are unchanged.
func TestWriteAllInterrupted(t *testing.T) {
	steps := 0
	for ; ; steps++ {
		dir, files := makeTree(t)
		before := tree(t, dir)
		n := steps
		err := WriteAll(countdown{t.Context(), &n}, files)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if after := tree(t, dir); !maps.Equal(before, after) {
			t.Errorf("interrupted at step %d, there is %v", steps, after)
		}
	}
	if steps != 12 {
		t.Errorf("there were %d steps, want one to prepare and one to replace each of 6 files", steps)
	}
}

// A file that cannot be replaced leaves the others unchanged.
func TestWriteAllFails(t *testing.T) {
	tests := []struct {
		name string
		make func(path string) error
		want string
	}{
		{"a directory", func(path string) error { return os.Mkdir(path, 0o777) }, ": not a regular file; move it out of the way"},
		{"read only", func(path string) error { return os.WriteFile(path, nil, 0o444) },
			": cannot be replaced: permission denied; make it and its directory writable"},
		{"a link to nowhere", func(path string) error { return os.Symlink("nowhere", path) },
			": cannot be replaced: a symbolic link to nowhere, which is not there; look at the directory"},
		{"a link to itself", func(path string) error { return os.Symlink(path, path) }, "; look at the directory"},
		{"in a file", func(path string) error { return os.WriteFile(filepath.Dir(path), nil, 0o666) }, "; look at the directory"},
		{"in no directory", func(string) error { return nil }, "; make the directory"},
		{"in a directory that is read only", func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o666), os.Chmod(filepath.Dir(path), 0o555))
		}, ": cannot be replaced: write: permission denied; make it and its directory writable"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir, files := makeTree(t)
			at := t.TempDir()
			path := filepath.Join(at, "sub", "file")
			if !strings.HasPrefix(test.name, "in a file") && test.name != "in no directory" {
				if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := test.make(path); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o777) })
			files[path] = []byte("new")
			before := tree(t, dir)
			err := WriteAll(t.Context(), files)
			var failed *Error
			if !errors.As(err, &failed) || failed.Name != path || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if after := tree(t, dir); !maps.Equal(before, after) {
				t.Errorf("there is %v", after)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, text := range [][]byte{[]byte("one"), nil, []byte("two")} {
		if err := Write(t.Context(), name, text); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != string(text) {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// A directory can be locked by one at a time.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	var inside atomic.Int32
	done := make(chan error)
	for range 4 {
		go func() {
			unlock, err := Lock(context.Background(), dir)
			if inside.Add(1) != 1 {
				err = errors.New("two are inside")
			}
			inside.Add(-1)
			unlock()
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	unlock, err := Lock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lock(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting in vain ends with %v", err)
	}
	if list, _ := os.ReadDir(dir); len(list) > 0 {
		t.Errorf("%v is left", list)
	}
}
