//go:build !unix

package filewrite

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file has the owner its directory gives it.
func keepOwner(*os.File, fs.FileInfo) {}

// isGone says no: it cannot be told here.
func isGone(int) bool { return false }

// isQuota says no: there is no error of its own for it.
func isQuota(error) bool { return false }
