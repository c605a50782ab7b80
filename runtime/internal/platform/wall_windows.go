package platform

import "syscall"

// WallNS is the wall clock, ns since the Unix epoch, to 100 ns.
func WallNS() uint64 {
	var t syscall.Filetime
	syscall.GetSystemTimeAsFileTime(&t)
	return uint64(t.Nanoseconds())
}
