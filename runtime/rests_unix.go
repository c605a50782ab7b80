//go:build !markgen_off && (linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package runtime

import "syscall"

// processTime is the processor time that the process has taken, ns.
func processTime() uint64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return uint64(u.Utime.Nano() + u.Stime.Nano())
}
