//go:build unix

package filewrite

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file the owner and group of the one it replaces, where
// that is allowed.
func keepOwner(f *os.File, info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

// isGone says whether no process has the ID.
func isGone(pid int) bool { return pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// isQuota says whether an error is that the user has no more room.
func isQuota(err error) bool { return errors.Is(err, syscall.EDQUOT) }
