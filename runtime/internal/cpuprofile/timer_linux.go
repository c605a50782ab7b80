package cpuprofile

import (
	"syscall"
	"unsafe"
)

// Supported says whether profiles are taken on this system. Elsewhere the only timer is one that a new
// program inherits with syscall.Exec, and that would end it by a signal.
const Supported = true

// stopProcessTimer stops the timer of the process, which syscall.Exec would hand on. The Go runtime
// uses it for threads that it has not made, and has another for each of its own.
func stopProcessTimer() {
	const itimerProf = 2 // ITIMER_PROF of setitimer(2)
	var off [4]int64     // a struct itimerval, which has four longs
	syscall.RawSyscall(syscall.SYS_SETITIMER, itimerProf, uintptr(unsafe.Pointer(&off)), 0)
}
