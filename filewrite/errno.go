//go:build !plan9

package filewrite

import (
	"errors"
	"syscall"
)

// isReadOnly reports whether err means that the file system is read-only.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// isFull reports whether err means that the disk or the quota is full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || isQuota(err)
}
