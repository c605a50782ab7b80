package platform

import "syscall"

// WallNS returns the wall clock in ns since the Unix epoch, to 100 ns.
func WallNS() uint64 {
	var t syscall.Filetime
	syscall.GetSystemTimeAsFileTime(&t)
	return uint64(t.Nanoseconds())
}
