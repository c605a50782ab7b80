//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package platform

import "syscall"

// Used is the processor time that the process has taken, ns, and how often its threads have waited for anything
// but a processor; 0, 0: it is not known.
func Used() (ns, waits uint64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return uint64(u.Utime.Nano() + u.Stime.Nano()), uint64(u.Nvcsw)
}
