//go:build !unix

package filewrite

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file has the owner that the system assigns.
func keepOwner(*os.File, fs.FileInfo) {}

// isGone returns false: this system cannot tell.
func isGone(int) bool { return false }

// isQuota returns false: this system has no such error.
func isQuota(error) bool { return false }
