//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package runfile

import (
	"os"
	"syscall"
)

// liveness is whether alive can tell.
const liveness = true

// alive tells whether the process that writes the data file still runs: it
// holds the file's lock (flock) as long as it lives, however it ends. The lock
// is only tried, shared and for a moment.
func alive(f *os.File) bool {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
		switch err {
		case syscall.EINTR:
			continue
		case nil:
			syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
			return false
		}
		return err == syscall.EWOULDBLOCK
	}
}
