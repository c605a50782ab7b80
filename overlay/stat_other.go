//go:build !unix

package overlay

import (
	"fmt"
	"io/fs"
	"time"
)

// signature identifies a version of a file without reading it.
func signature(info fs.FileInfo) string {
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// changed returns the time of the last change of the file.
func changed(info fs.FileInfo) time.Time { return info.ModTime() }
