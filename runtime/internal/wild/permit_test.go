//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package wild

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// acquire asks for a permit as package perf does.
func acquire(p *Permit) (refused uint64) {
	open := func(name string, flags int, st *syscall.Stat_t) (int, error) {
		fd, err := syscall.Open(name, flags|syscall.O_CLOEXEC, 0o600)
		if err == nil {
			err = syscall.Fstat(fd, st)
		}
		return fd, err
	}
	lock := func(fd int) error { return syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) }
	return p.Acquire(open, lock, func(fd int) int { return fd })
}

// As many as may have a permit, and another one when one of them has given it back.
func TestPermit(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var all [MostProcesses]Permit
	for i := range all {
		if refused := acquire(&all[i]); refused != layout.WildPicked {
			t.Fatalf("permit %d is refused: %d", i, refused)
		}
		defer all[i].Release()
	}
	var another Permit
	if refused := acquire(&another); refused != layout.WildFull {
		t.Errorf("one more is answered %d", refused)
	}
	another.Release() // it has none
	all[2].Release()
	if refused := acquire(&another); refused != layout.WildPicked {
		t.Errorf("one in the place of another is answered %d", refused)
	}
	another.Release()
}

// A descriptor that the program has closed, and opened another file under, is left alone.
func TestReleaseClosed(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var p Permit
	if refused := acquire(&p); refused != layout.WildPicked {
		t.Fatal(refused)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syscall.Close(p.fd)
	p.fd = int(f.Fd())
	p.Release()
	if _, err := f.Write([]byte("x")); err != nil {
		t.Errorf("another's file is closed: %v", err)
	}
}

// A directory that others can write to, a link and none at all are not used.
func TestPermitNowhere(t *testing.T) {
	for _, make := range []func(dir string) error{
		func(dir string) error { return os.Remove(filepath.Dir(dir)) },
		func(dir string) error { return os.Symlink(t.TempDir(), dir) },
		func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		func(dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chmod(dir, 0o770)
		},
	} {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		if err := make(filepath.Join(temp, fmt.Sprintf("markgen-wild-%d", os.Geteuid()))); err != nil {
			t.Fatal(err)
		}
		var p Permit
		if refused := acquire(&p); refused != layout.WildNoPlace {
			t.Errorf("%s: answered %d", temp, refused)
			p.Release()
		}
	}
}
