package datafile

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/platform"
)

// reserve makes the file system reserve the space, or writes zeros where it cannot.
func reserve(fd int, off, size int64) syscall.Errno {
	e := again(func() error { return syscall.Fallocate(fd, 0, off, size) })
	if e == syscall.EOPNOTSUPP || e == syscall.ENOSYS || e == syscall.EINVAL {
		return writeZeros(fd, off, size)
	}
	return e
}

// WriteParts writes parts one after another, from back bytes before the end of the file on. There
// may be at most IOV_MAX parts. Memory mapped there shows them at once. It returns false if it
// could not write all of them.
//
//go:norace
func (f *File) WriteParts(back uintptr, parts [][]byte) bool {
	return f.ours() && f.write(f.size-int64(back), parts...)
}

// write writes parts at an offset of the file, see WriteParts.
//
//go:norace
func (f *File) write(at int64, parts ...[]byte) bool {
	vector := make([]syscall.Iovec, len(parts))
	all := uintptr(0)
	for i, p := range parts {
		vector[i].Base = unsafe.SliceData(p)
		vector[i].SetLen(len(p))
		all += uintptr(len(p))
	}
	for {
		n, _, e := syscall.Syscall6(syscall.SYS_PWRITEV, uintptr(f.fd), uintptr(unsafe.Pointer(&vector[0])), uintptr(len(vector)),
			uintptr(at), uintptr(uint64(at)>>32), 0)
		if e != syscall.EINTR {
			if e == 0 {
				OnWrite(int(n))
			}
			return e == 0 && n == all
		}
	}
}

// processStart returns when this process began, in ns since the Unix epoch, to a few hundredths of
// a second and never later; 0 if unknown. A program that replaced another one (execve) began when
// that one did.
func processStart() uint64 {
	const (
		bootTime = 7   // CLOCK_BOOTTIME of linux/time.h
		perTick  = 1e7 // ns: USER_HZ is 100 wherever Go runs
		field    = 22  // starttime, see proc_pid_stat(5)
	)
	var b [1024]byte
	stat := string(b[:platform.ReadFile("/proc/self/stat", b[:])])
	for i := len(stat) - 1; i >= 0; i-- {
		if stat[i] == ')' { // the name before it may contain any character
			stat = stat[i:]
			break
		}
	}
	for range field - 2 {
		_, stat = lite.Cut(stat, ' ')
	}
	word, _ := lite.Cut(stat, ' ')
	ticks, ok := config.Uint(word)
	var now syscall.Timespec
	wall := platform.WallNS()
	_, _, e := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, bootTime, uintptr(unsafe.Pointer(&now)), 0)
	age := uint64(now.Nano()) - ticks*perTick
	if !ok || e != 0 || age > wall {
		return 0
	}
	return wall - age
}

// MoveUp gives the descriptor a higher number and returns it, so that the program's first files
// have the numbers that they would have without markers. The kernel's table has room for 64 at
// first; enlarging it takes some 10 ms in a process with threads. If the limit on descriptors is
// lower, MoveUp uses the last one.
func MoveUp(fd int) int {
	lowest := uint64(60)
	var lim syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &lim) == nil && lim.Cur > 0 {
		lowest = min(lowest, uint64(lim.Cur)-1)
	}
	n, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, uintptr(lowest))
	if e != 0 {
		return fd
	}
	syscall.Close(fd)
	return int(n)
}
