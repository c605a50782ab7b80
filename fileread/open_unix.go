//go:build unix

package fileread

import "syscall"

// dontWait makes opening a pipe not wait for a writer.
const dontWait = syscall.O_NONBLOCK
