//go:build unix

package overlay

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockName is the name of the lock file in a directory.
const lockName = ".lock"

// lockDir creates a directory and locks it, waiting until no other process has it locked. The lock
// ends with the process.
func lockDir(dir string) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f.Close, nil
}
