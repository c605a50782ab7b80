//go:build unix

package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/markgen/markgen/service/store"
)

// Only the owner can access the files of a store, whatever the umask and whatever their modes were.
func TestPrivate(t *testing.T) {
	before := syscall.Umask(0o022)
	defer syscall.Umask(before)
	dir := filepath.Join(t.TempDir(), "new")
	file := filepath.Join(dir, "fleet.db")
	check := func() {
		t.Helper()
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
			}
		}
		if len(list) < 4 { // the database, its log, the log's index, and the lock
			t.Errorf("%d files", len(list))
		}
	}
	for range 2 {
		s, err := store.Open(t.Context(), file, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		check()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{"", "-lock"} { // the modes of earlier versions
			if err := os.Chmod(file+end, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", info.Mode(), err)
	}
}

// Files that others could replace or have put there are refused, and left alone.
func TestNotPrivate(t *testing.T) {
	refused := func(file, want string) {
		t.Helper()
		s, err := store.Open(context.Background(), file, store.Options{})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	refused(filepath.Join(open, "fleet.db"), "anybody can exchange files in it (0777)")

	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fleet.db-lock"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(filepath.Join(dir, "fleet.db"), "fleet.db-lock is no regular file")

	if os.Geteuid() != 0 {
		t.Skip("only the superuser can make files of others")
	}
	other := filepath.Join(t.TempDir(), "fleet.db")
	if err := os.WriteFile(other+"-wal", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(other+"-wal", 12345, 12345); err != nil {
		t.Fatal(err)
	}
	refused(other, "fleet.db-wal is not this user's")
	planted := filepath.Join(t.TempDir(), "fleet.db")
	target := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(target, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, planted); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown(planted, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	refused(planted, "is not this user's")
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("what another's link points to: %v, %v", info.Mode(), err)
	}
}
