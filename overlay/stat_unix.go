//go:build unix

package overlay

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// signature identifies a version of a file without reading it: it includes the inode and the time
// of the last change of content or metadata.
func signature(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(st.Dev, st.Ino, info.Size(), info.ModTime().UnixNano(), changed(info).UnixNano())
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// changed returns the time of the last change of the file's content or metadata.
func changed(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(changeTime(st).Unix())
	}
	return info.ModTime()
}
