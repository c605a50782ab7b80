package overlay

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Copies makes copies of an executable, a new one for each run.
//
// Which pages of a file contend for the same cache sets depends on where the pages are in physical
// memory. They stay there while the file is in use, so one of two builds of the same source can be
// a few percent slower in all of its runs, and equal after a rebuild. With a new copy for each run,
// the placement varies between runs and shows up as noise.
//
// The zero value is not usable; see CopiesOf.
type Copies struct {
	path string
	most int64    // maximum size of the kept copies in bytes, except that two are always kept
	kept []string // oldest first
	size int64    // size of the executable
	made int
}

// mostCopied is the maximum size of the kept copies in bytes. It is not 0, because a copy made
// right after the previous one is removed gets the same pages.
const mostCopied = 256 << 20

// CopiesOf returns the Copies of the executable at path. Copies are kept in its directory, and
// removed with it.
func CopiesOf(path string) *Copies { return &Copies{path: path, most: mostCopied} }

// Next makes a copy and returns its path, with the same base name.
func (c *Copies) Next() (string, error) {
	if c.made == 0 {
		info, err := os.Stat(c.path)
		if err != nil {
			return "", err
		}
		c.size = info.Size()
	}
	for len(c.kept) > 1 && c.size*int64(len(c.kept)) > c.most {
		if err := os.RemoveAll(filepath.Dir(c.kept[0])); err != nil {
			return "", err
		}
		c.kept = c.kept[1:]
	}
	c.made++
	to := filepath.Join(filepath.Dir(c.path), "copy"+strconv.Itoa(c.made), filepath.Base(c.path))
	if err := os.Mkdir(filepath.Dir(to), 0o700); err != nil {
		return "", err
	}
	// A process forked by another goroutine meanwhile would inherit the file, open for writing, and
	// until it closes the file the copy could not be executed (go.dev/issue/22315).
	syscall.ForkLock.RLock()
	err := copyFile(to, c.path)
	syscall.ForkLock.RUnlock()
	if err != nil {
		return "", err
	}
	c.kept = append(c.kept, to)
	return to, os.Chmod(to, 0o700)
}
