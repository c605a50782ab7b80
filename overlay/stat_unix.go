//go:build unix

package overlay

import (
	"fmt"
	"io/fs"
	"syscall"
)

// signature tells versions of a file apart without reading it: the number of
// the file and the time of its last change of any sort.
func signature(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(st.Dev, st.Ino, info.Size(), info.ModTime().UnixNano(), changeTime(st))
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}
