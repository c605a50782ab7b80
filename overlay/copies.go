package overlay

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Copies are copies of an executable: a new one for each time that it runs.
//
// Where the pages of a file come to lie in memory decides which of them contend
// for a place in the processor's caches. They lie there as long as the file is in
// use, in every run, so that one of two builds of the same source can be slower
// by a few parts in a hundred, in all of its runs, and in none when it is built
// again. With a new copy for each run that is chance in each run, and seen as such.
//
// The zero value is not ready for use; see CopiesOf.
type Copies struct {
	path string
	most int64    // bytes of copies that are kept, if these are not the last two
	kept []string // the eldest first
	size int64    // of the executable
	made int
}

// mostCopied is how many bytes of copies are kept. None would be too few: a copy
// that is made when the one before is gone is given the same pages.
const mostCopied = 256 << 20

// CopiesOf makes ready to copy the executable of that path. Copies are kept in
// its folder, and go with it.
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
	// A process that another goroutine forks meanwhile would inherit the file, open for
	// writing, for a moment in which it cannot be run (go.dev/issue/22315).
	syscall.ForkLock.RLock()
	err := copyFile(to, c.path)
	syscall.ForkLock.RUnlock()
	if err != nil {
		return "", err
	}
	c.kept = append(c.kept, to)
	return to, os.Chmod(to, 0o700)
}
