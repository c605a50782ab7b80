//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package wild

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// MaxProcesses permits can be acquired, and another one after a Release.
func TestPermit(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var all [MaxProcesses]Permit
	for i := range all {
		if refused := all[i].Acquire(); refused != layout.WildPicked {
			t.Fatalf("permit %d is refused: %d", i, refused)
		}
		defer all[i].Release()
	}
	var another Permit
	if refused := another.Acquire(); refused != layout.WildFull {
		t.Errorf("one more is answered %d", refused)
	}
	another.Release() // it has none
	all[2].Release()
	if refused := another.Acquire(); refused != layout.WildPicked {
		t.Errorf("one in the place of another is answered %d", refused)
	}
	another.Release()
}

// A directory that others can write to, a link, or a missing directory is not used.
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
		if refused := p.Acquire(); refused != layout.WildNoPlace {
			t.Errorf("%s: answered %d", temp, refused)
			p.Release()
		}
	}
}
