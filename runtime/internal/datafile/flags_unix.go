//go:build unix

package datafile

import "syscall"

// Flags of OpenFD: don't block, don't follow a symbolic link.
const (
	dontWait = syscall.O_NONBLOCK
	noFollow = syscall.O_NOFOLLOW
)
