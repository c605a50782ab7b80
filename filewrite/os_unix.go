//go:build unix

package filewrite

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file the owner and group of the one it replaces, if permitted.
func keepOwner(f *os.File, info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

// isGone reports whether no process has the ID.
func isGone(pid int) bool { return pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// isQuota reports whether err means that the quota is exceeded.
func isQuota(err error) bool { return errors.Is(err, syscall.EDQUOT) }
