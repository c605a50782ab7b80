//go:build unix || js || wasip1

package datafile

import (
	"syscall"

	"github.com/markgen/markgen/runtime/layout"
)

// whyNoDir returns the reason why dir does not exist after mkdir failed with e, or "" if it
// exists.
func whyNoDir(dir string, e syscall.Errno) (problem string) {
	var st syscall.Stat_t
	if syscall.Lstat(dir, &st) == nil && othersMade(&st) {
		return "a link or pipe of another user"
	}
	if syscall.Stat(dir, &st) == nil && isKind(&st, syscall.S_IFDIR) { // EEXIST, or EROFS and others
		return ""
	}
	return e.Error()
}

// countRefusal makes layout.SpoolRefusals a byte longer, creating it if necessary. Other users may
// be able to write in the spool: a file that is not regular, or has a second link elsewhere, is not
// written to.
func countRefusal(dir string) {
	var st syscall.Stat_t
	fd, e := OpenFD(dir+"/"+layout.SpoolRefusals, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND|noFollow, &st)
	if e != 0 {
		return
	}
	if isKind(&st, syscall.S_IFREG) && st.Nlink == 1 {
		writeAll(fd, []byte{'+'})
	}
	syscall.Close(fd)
}
