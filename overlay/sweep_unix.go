//go:build unix

package overlay

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// holdDir locks a directory until the returned file is closed or the process ends. It returns nil
// if it cannot be locked.
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

// leftFor is how long a directory must be unchanged before it is removed as abandoned: its creator
// locks it only a moment after creating it.
const leftFor = time.Minute

// sweep removes directories in base that were left behind by killed processes: those whose name has
// the prefix begin, that are not locked, and for which useless returns true.
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
		if f := holdDir(dir); f != nil { // fails for directories of other users, unless this is root
			os.RemoveAll(dir)
			f.Close()
		}
	}
}
