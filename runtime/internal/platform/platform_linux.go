package platform

import (
	"syscall"
	_ "unsafe" // for go:linkname

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// AppName returns the name of the executable, without its directory.
func AppName() string {
	const gone = " (deleted)"
	var b [4096]byte
	n, err := syscall.Readlink("/proc/self/exe", b[:])
	if err != nil || n <= 0 {
		return "app"
	}
	path := string(b[:n])
	if len(path) > len(gone) && path[len(path)-len(gone):] == gone {
		path = path[:len(path)-len(gone)]
	}
	return programName(path)
}

// ReadFile reads the beginning of a small system file into b and returns the number of bytes, 0 if
// it cannot be read.
func ReadFile(path string, b []byte) int {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	n, err := syscall.Read(fd, b)
	syscall.Close(fd)
	if err != nil {
		return 0
	}
	return n
}

// Load returns the load average of the last minute, the mean number of running and runnable
// processes, in percent of the number of CPUs. knows is false if it is unknown.
func Load() (load uint64, knows bool) {
	var b [64]byte
	n := ReadFile("/proc/loadavg", b[:])
	minute, _ := lite.Cut(string(b[:n]), ' ')
	whole, part := lite.Cut(minute, '.')
	x, ok := config.Uint(whole)
	y, ok2 := config.Uint(part)
	if !ok || !ok2 || len(part) != 2 || x > 1e9 {
		return 0, false
	}
	return loadPercent(100*x + y), true
}

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

// ProcessGone reports whether there is no process with that ID.
//
//go:norace
func ProcessGone(pid uint64) bool {
	_, _, e := syscall.RawSyscall(syscall.SYS_KILL, uintptr(pid), 0, 0)
	return e == syscall.ESRCH
}

// atSecure is AT_SECURE of getauxval(3): whether the environment must not be trusted. It is 1 for
// setuid and setgid programs, and for those with file capabilities.
const atSecure = 23

// Privileged reports whether the program has rights that its caller lacks, and so must not act on
// the caller's environment: it would write files as their owner. The Go runtime makes the same test
// (runtime/security_linux.go).
func Privileged() bool {
	vector := auxv()
	for i := 0; i+1 < len(vector); i += 2 {
		if vector[i] == atSecure {
			return vector[i+1] != 0
		}
	}
	return false
}

// auxv returns the auxiliary vector that the kernel passes to a program, pairs of a tag and a
// value. Modules may link to it, see runtime/runtime.go.
//
//go:linkname auxv runtime.getAuxv
func auxv() []uintptr
