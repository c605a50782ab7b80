//go:build !markgen_off && unix

package perf

import "syscall"

// Flags of openFD: not to wait, nor to follow a symbolic link.
const (
	dontWait = syscall.O_NONBLOCK
	noFollow = syscall.O_NOFOLLOW
)
