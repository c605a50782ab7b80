//go:build !markgen_off

package perf

import "syscall"

// processGone says whether there is no process of that id.
//
//go:norace
func processGone(pid uint64) bool {
	_, _, e := syscall.RawSyscall(syscall.SYS_KILL, uintptr(pid), 0, 0)
	return e == syscall.ESRCH
}
