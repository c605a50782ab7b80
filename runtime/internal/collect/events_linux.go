//go:build amd64 || arm64

package collect

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
)

// perfSystem is the system calls of the collector hw; tests replace them.
type perfSystem struct {
	thread func() uint32 // the calling thread's ID
	lives  func(thread uint32) bool
	open   func(e *hwEvent, thread uint32, group int) (fd int, e2 syscall.Errno)
	close  func(fd int)
	// id stores the kernel's ID of the event. It returns false if fd is not an event.
	id func(fd int, to *uint64) bool
	// read reads words words of a group. It returns false if the group has another number of words.
	read func(fd int, to *Scratch, words int) bool
}

// perfLinux is Linux's perfSystem, see perf_event_open(2).
var perfLinux = perfSystem{threadID, threadLives, openEvent, closeEvent, eventID, readEvents}

// perfAttr is the first version of struct perf_event_attr.
type perfAttr struct {
	kind, size              uint32
	config, period, sampled uint64
	format, flags           uint64
	wakeup, breakpoint      uint32
	address                 uint64
}

const (
	perfAttrSize = 64          // PERF_ATTR_SIZE_VER0
	perfFormat   = 1 | 2 | 8   // PERF_FORMAT_TOTAL_TIME_ENABLED, _TOTAL_TIME_RUNNING, _GROUP
	perfUserOnly = 1<<5 | 1<<6 // exclude_kernel, exclude_hv
	perfCloexec  = 8           // PERF_FLAG_FD_CLOEXEC
	perfGetID    = 0x80082407  // PERF_EVENT_IOC_ID
)

var _ = [1]struct{}{}[unsafe.Sizeof(perfAttr{})-perfAttrSize]

//go:norace
func threadID() uint32 {
	id, _, _ := syscall.RawSyscall(syscall.SYS_GETTID, 0, 0, 0)
	return uint32(id)
}

func threadLives(thread uint32) bool {
	return syscall.Tgkill(syscall.Getpid(), int(thread), 0) != syscall.ESRCH
}

func openEvent(e *hwEvent, thread uint32, group int) (int, syscall.Errno) {
	attr := perfAttr{kind: uint32(e.kind), size: perfAttrSize, config: e.config, format: perfFormat, flags: perfUserOnly}
	fd, _, errno := syscall.RawSyscall6(syscall.SYS_PERF_EVENT_OPEN, uintptr(unsafe.Pointer(&attr)),
		uintptr(thread), ^uintptr(0), uintptr(group), perfCloexec, 0)
	if errno != 0 {
		return -1, errno
	}
	return datafile.MoveUp(int(fd)), 0
}

func closeEvent(fd int) { syscall.Close(fd) }

//go:norace
//go:nocheckptr
func eventID(fd int, to *uint64) bool {
	_, _, e := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), perfGetID, uintptr(unsafe.Pointer(to)))
	return e == 0
}

//go:norace
//go:nocheckptr
func readEvents(fd int, to *Scratch, words int) bool {
	n, _, e := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(to)), uintptr(8*words))
	return e == 0 && n == uintptr(8*words)
}
