package platform

import "syscall"

// PollerProblem returns what keeps Go's poller from starting, "" if nothing does. A goroutine that
// waits for a timer starts the poller, which ends the program if there are no descriptors left: it
// needs two (netpollinit in runtime/netpoll_epoll.go).
func PollerProblem() (problem string) {
	var fds [2]uintptr
	for i := range fds {
		fd, _, e := syscall.RawSyscall(syscall.SYS_EPOLL_CREATE1, syscall.EPOLL_CLOEXEC, 0, 0)
		if e != 0 {
			problem = e.Error()
			break
		}
		fds[i] = fd + 1
	}
	for _, fd := range fds {
		if fd != 0 {
			syscall.RawSyscall(syscall.SYS_CLOSE, fd-1, 0, 0)
		}
	}
	return problem
}
