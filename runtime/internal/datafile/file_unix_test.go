//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package datafile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A name is used again once the process that had it is gone, and not before. A file that is not a
// run's data is kept.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "data")
	var a, b, c File
	first := begin(t, &a, path, Options{})
	*word(begin(t, &b, path, Options{}), layout.OffStartWall) = 2
	want := func(names ...string) {
		t.Helper()
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, entry := range list {
			got = append(got, entry.Name())
		}
		if strings.Join(got, " ") != strings.Join(names, " ") {
			t.Errorf("%q, want %q", got, names)
		}
	}
	want("data", "data.2")
	a.Close()
	if _, _, e := syscall.Syscall(syscall.SYS_MUNMAP, uintptr(unsafe.Pointer(&first[0])), uintptr(len(first)), 0); e != 0 {
		t.Fatal(e)
	}
	begin(t, &c, path, Options{}) // the first file's lock is free
	want("data", "data.2")
	b.Remove()
	b.Close()
	c.Close()
	want("data")

	for text, taken := range map[string]string{"text": path + " exists and is not the data of a run", layout.Magic: "", "": ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var f File
		first, got, problem := f.Open(path, firstSize, Options{})
		if first == nil || got != taken || problem != "" {
			t.Errorf("%q: %d bytes, taken %q, problem %q", text, len(first), got, problem)
		}
		want("data", "data.2")
		if b, err := os.ReadFile(path); string(b) != text {
			t.Errorf("%q, %v", b, err)
		}
		f.Remove()
		f.Close()
	}
	for what, make := range map[string]func() error{
		"a directory":     func() error { return os.Mkdir(path, 0o700) },
		"a symbolic link": func() error { return os.Symlink("none", path) },
	} {
		var f File
		if err := errors.Join(os.Remove(path), make()); err != nil {
			t.Fatal(err)
		}
		if first, taken, problem := f.Open(path, firstSize, Options{}); first == nil || taken != path+" exists and is not the data of a run" || problem != "" {
			t.Errorf("%s: %d bytes, taken %q, problem %q", what, len(first), taken, problem)
		}
		f.Remove()
		f.Close()
	}
	var f File
	if first, _, problem := f.Open("/dev/null", firstSize, Options{}); first != nil || problem != "not a file that can hold data" {
		t.Errorf("%d bytes, %q", len(first), problem)
	}
}

// Remove removes a file together with the directories that were created for it.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	spool := filepath.Join(dir, "deep", "spool")
	var f File
	begin(t, &f, spool+"/run", Options{Spool: spool, Room: 1 << 20})
	f.Remove()
	f.Close()
	if list, err := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// A file is locked by one owner at a time, also within a process.
func TestOpenLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "1")
	var f, g File
	if e := f.OpenLocked(path); e != 0 {
		t.Fatal(e)
	}
	if e := g.OpenLocked(path); e != syscall.EWOULDBLOCK {
		t.Errorf("%v", e)
	}
	f.Close()
	if e := g.OpenLocked(path); e != 0 {
		t.Error(e)
	}
	g.Close()
}

// A report goes through a link, and does not replace the data of a run.
func TestWriteThere(t *testing.T) {
	dir := t.TempDir()
	link, data := filepath.Join(dir, "link"), filepath.Join(dir, "data")
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "text"), []byte("a long text"), 0o600), os.Symlink("text", link),
		os.WriteFile(data, []byte(layout.Magic), 0o600)); err != nil {
		t.Fatal(err)
	}
	if problem := WriteWhole(link, []byte("text")); problem != "" {
		t.Error(problem)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "text")); string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
	if problem := WriteWhole(data, []byte("text")); problem != "it is the data file of a run" {
		t.Errorf("%q", problem)
	}
}
