package platform

import "syscall"

// ProcessGone reports whether there is no process with that ID.
//
//go:norace
func ProcessGone(pid uint64) bool {
	_, _, e := syscall.RawSyscall(syscall.SYS_KILL, uintptr(pid), 0, 0)
	return e == syscall.ESRCH
}
