//go:build unix

package overlay

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// holdDir locks a directory until the file is closed, or the process has ended, however that came to be; nil: it can't be locked.
func holdDir(dir string) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil
	}
	return f
}

// leftFor is how long nobody must have changed a directory that is of no use any more before it is removed: who makes one locks it a
// moment later.
const leftFor = time.Minute

// sweep removes the directories in base that processes have left which were killed. Their names begin with begin, and nobody holds
// them; useless says whether what is in one is of no use to anybody.
func sweep(base, begin string, useless func(dir string) bool) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), begin) {
			continue
		}
		dir := filepath.Join(base, e.Name())
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < leftFor || !useless(dir) {
			continue
		}
		if f := holdDir(dir); f != nil { // which others can't: it is ours, or we may do everything
			os.RemoveAll(dir)
			f.Close()
		}
	}
}
