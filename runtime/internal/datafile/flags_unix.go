//go:build unix

package datafile

import "syscall"

// Flags of OpenFD: not to wait, nor to follow a symbolic link.
const (
	dontWait = syscall.O_NONBLOCK
	noFollow = syscall.O_NOFOLLOW
)
