//go:build !plan9

package filewrite

import (
	"errors"
	"syscall"
)

// isReadOnly says whether an error is that the file system can't be written to.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// isFull says whether an error is that there is no more room.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || isQuota(err)
}
