//go:build unix

package overlay

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// signature tells versions of a file apart without reading it: the number of
// the file and the time of its last change of any sort.
func signature(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(st.Dev, st.Ino, info.Size(), info.ModTime().UnixNano(), changed(info).UnixNano())
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// changed returns when the content or the metadata of a file were last changed.
func changed(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(changeTime(st).Unix())
	}
	return info.ModTime()
}
