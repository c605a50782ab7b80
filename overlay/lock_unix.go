//go:build unix

package overlay

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockName is the file in a directory that is locked.
const lockName = ".lock"

// lockDir makes a directory and waits until no other process has it locked.
// Locks end with the process.
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
