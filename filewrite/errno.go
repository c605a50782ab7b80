//go:build !plan9

package filewrite

import (
	"errors"
	"syscall"
)

// isReadOnly reports whether the error is that of a read-only file system.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// isFull reports whether the error is that of a full disk or quota.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || isQuota(err)
}
