//go:build !markgen_off

package perf

import (
	"syscall"
	"unsafe"
)

// An alarm wakes a goroutine at a time that has nothing to do with what the program does. Go's
// own timers do not: a program that waits for nothing but them wakes up once a millisecond at most (netpoll in
// runtime/netpoll_epoll.go), and finds those of its own and the sampler's due at once. So it is a timer of the
// system's, which the Go runtime waits for as it does for a socket, without a processor.
type alarm struct {
	fd  int
	ctx uintptr // of the poller; 0: there is none, and Go's timers have to do
}

// What the runtime provides for package internal/poll (runtime/netpoll.go).

//go:linkname pollServerInit internal/poll.runtime_pollServerInit
func pollServerInit()

//go:linkname pollOpen internal/poll.runtime_pollOpen
func pollOpen(fd uintptr) (ctx uintptr, errno int)

//go:linkname pollClose internal/poll.runtime_pollClose
func pollClose(ctx uintptr)

//go:linkname pollReset internal/poll.runtime_pollReset
func pollReset(ctx uintptr, mode int) int

//go:linkname pollWait internal/poll.runtime_pollWait
func pollWait(ctx uintptr, mode int) int

//go:linkname pollSetDeadline internal/poll.runtime_pollSetDeadline
func pollSetDeadline(ctx uintptr, d int64, mode int)

//go:linkname pollUnblock internal/poll.runtime_pollUnblock
func pollUnblock(ctx uintptr)

const (
	clockMonotonic = 1
	absoluteTime   = 1 // TFD_TIMER_ABSTIME
	pollRead       = 'r'
)

// pollerTrouble says what keeps Go's poller from starting, "" if nothing does. What waits for a timer starts it, and that ends a program which has no
// descriptors left for it: it takes two (netpollinit in runtime/netpoll_epoll.go), and an alarm one.
func pollerTrouble() (trouble string) {
	var fds [3]uintptr
	for i := range fds {
		fd, _, e := syscall.RawSyscall(syscall.SYS_EPOLL_CREATE1, syscall.EPOLL_CLOEXEC, 0, 0)
		if e != 0 {
			trouble = e.Error()
			break
		}
		fds[i] = fd + 1
	}
	for _, fd := range fds {
		if fd != 0 {
			syscall.RawSyscall(syscall.SYS_CLOSE, fd-1, 0, 0)
		}
	}
	return trouble
}

// open makes the alarm, if the system lets it.
func (a *alarm) open() {
	fd, _, e := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, clockMonotonic, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if e != 0 {
		return
	}
	a.fd = moveUp(int(fd))
	pollServerInit()
	if ctx, errno := pollOpen(uintptr(a.fd)); errno == 0 {
		a.ctx = ctx
	} else {
		syscall.Close(a.fd)
	}
}

// wait puts the goroutine to sleep until the monotonic clock shows at, ns. If the program has closed the
// descriptor, as those do that close all, Go's timers do from then on.
//
//go:norace
func (a *alarm) wait(at uint64) {
	d := int64(at - uint64(nanotime()))
	if d <= 0 {
		return
	}
	if a.ctx == 0 || !a.ring(at, d) {
		sleep(d)
		return
	}
	if pollWait(a.ctx, pollRead) != 0 && (!a.ring(1, 0) || pollWait(a.ctx, pollRead) != 0) {
		a.ctx = 0 // even what has been due for long does not come
	}
}

// ring has the alarm ring at a time, d ns from now, or the poller give up longestSleep after it. false: another file
// has its number, which is left alone, and so is what the poller knows of it.
//
//go:norace
func (a *alarm) ring(at uint64, d int64) bool {
	pollSetDeadline(a.ctx, d+longestSleep, pollRead)
	pollReset(a.ctx, pollRead)
	var spec struct{ every, at syscall.Timespec }
	spec.at = syscall.NsecToTimespec(int64(at))
	_, _, e := syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, uintptr(a.fd), absoluteTime, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	if e != 0 {
		a.ctx = 0
	}
	return e == 0
}

// close ends the alarm, if its number is its own.
func (a *alarm) close() {
	if a.ctx != 0 && a.ring(1, 0) {
		pollUnblock(a.ctx)
		pollClose(a.ctx)
		syscall.Close(a.fd)
	}
	a.ctx = 0
}
