//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package platform

import "syscall"

// CPUTime returns the CPU time of the process in ns, and the number of voluntary context switches
// of its threads; 0, 0 if unknown.
func CPUTime() (ns, waits uint64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return uint64(u.Utime.Nano() + u.Stime.Nano()), uint64(u.Nvcsw)
}
