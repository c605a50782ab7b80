//go:build unix

package overlay

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// runDir begins the names of the directories of runs.
const runDir = "markgen-run-"

// holdDir locks a run's directory until the file is closed, or the process has ended, however that came to be; nil: it can't be locked.
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

// leftFor is how long nobody must have changed a directory in which nothing is kept that could be read before it is removed: who makes
// one locks it a moment later.
const leftFor = time.Minute

// sweep removes what runs have left in base that were killed: a socket, and traces that were being written down. Directories
// with data files stay, since a process that has outlived its run may write there, and its data can be read.
func sweep(base string) {
	entries, err := filepath.Glob(filepath.Join(base, runDir+"*"))
	if err != nil {
		return
	}
	for _, dir := range entries {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < leftFor || hasData(dir) {
			continue
		}
		if f := holdDir(dir); f != nil { // which others can't: it is ours, or we may do everything
			os.RemoveAll(dir)
			f.Close()
		}
	}
}

// hasData says whether there is anything in a run's directory but what sweep removes.
func hasData(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return true
	}
	for _, e := range entries {
		if name := e.Name(); name != "keeper" && name != "only" && !strings.HasSuffix(name, ".tmp") {
			return true
		}
	}
	return false
}
