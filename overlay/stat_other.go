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

// changed returns when a file was last changed.
func changed(info fs.FileInfo) time.Time { return info.ModTime() }
