//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package runfile

import (
	"os"
	"syscall"
)

// liveness reports whether alive works on this system.
const liveness = true

// alive reports whether the process that writes the data file still runs. It holds a lock on the
// file (flock) until it ends, however that happens; alive only tries the lock, shared, and releases
// it at once.
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
