//go:build !markgen_off

package perf

import (
	"syscall"
	"unsafe"
)

// mostThreads is how many threads are asked how long they have waited.
const mostThreads = 256

// Names of the system's files, and room for what they hold: the sampler allocates nothing.
var (
	taskFolder = [...]byte{'/', 'p', 'r', 'o', 'c', '/', 's', 'e', 'l', 'f', '/', 't', 'a', 's', 'k', '/', 0}
	statName   = [...]byte{'/', 's', 'c', 'h', 'e', 'd', 's', 't', 'a', 't', 0}
	taskList   [4096]byte
	taskPath   [64]byte
	taskStat   [96]byte
)

// threads are the numbers of the process's threads, as waitedTime has seen them last; more than there is room for are not known.
var threads struct {
	n  int
	id [64]int32
}

// waitedTime is how long the process's threads could have run and did not, since others had the processors, ns, of those that there
// are: the second figure of their schedstat (Documentation/scheduler/sched-stats.rst of Linux). It is 0 where that is not to be had.
// Only the sampler may call it.
//
//go:norace
//go:nocheckptr
func waitedTime() (ns uint64) {
	folder, ok := openQuietly(&taskFolder[0], syscall.O_DIRECTORY)
	if !ok {
		return 0
	}
	seen := 0
	for seen < mostThreads {
		n, _, e := syscall.RawSyscall(syscall.SYS_GETDENTS64, folder, uintptr(unsafe.Pointer(&taskList[0])), unsafe.Sizeof(taskList))
		if e != 0 || int(n) <= 0 {
			break
		}
		for at := uintptr(0); at < n && seen < mostThreads; {
			// struct linux_dirent64: ino 8, off 8, reclen 2, type 1, name.
			size := uintptr(*(*uint16)(unsafe.Pointer(&taskList[at+16])))
			if name := taskList[at+19 : at+size]; name[0] != '.' {
				ns += threadWaited(name)
				if seen < len(threads.id) {
					threads.id[seen] = int32(numberAt(0, name))
				}
				seen++
			}
			at += size
		}
	}
	syscall.RawSyscall(syscall.SYS_CLOSE, folder, 0, 0)
	if threads.n = seen; seen > len(threads.id) {
		threads.n = 0
	}
	return ns
}

// threadWaited is waitedTime for one thread, whose number is in digits up to a 0.
//
//go:norace
func threadWaited(digits []byte) uint64 {
	n := copy(taskPath[:], taskFolder[:len(taskFolder)-1])
	for i := 0; i < len(digits) && digits[i] != 0 && n < len(taskPath)-len(statName); i++ {
		taskPath[n] = digits[i]
		n++
	}
	copy(taskPath[n:], statName[:])
	fd, ok := openQuietly(&taskPath[0], 0)
	if !ok {
		return 0 // it has ended
	}
	got, _, e := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(&taskStat[0])), unsafe.Sizeof(taskStat))
	syscall.RawSyscall(syscall.SYS_CLOSE, fd, 0, 0)
	if e != 0 || got > unsafe.Sizeof(taskStat) {
		return 0
	}
	return numberAt(1, taskStat[:got])
}

// numberAt is a number, counted from 0, of those that stand in decimal digits with blanks between, up to a 0.
func numberAt(k int, text []byte) (v uint64) {
	for _, c := range text {
		switch {
		case c == ' ':
			k--
		case c == 0:
			return v
		case k == 0 && c >= '0' && c <= '9':
			v = v*10 + uint64(c-'0')
		}
	}
	return v
}

// openQuietly opens a file of the system's for reading, whose name ends in a 0.
//
//go:norace
//go:nocheckptr
func openQuietly(name *byte, flags uintptr) (fd uintptr, ok bool) {
	const here = -100 // AT_FDCWD
	at := here
	fd, _, e := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(name)), flags|syscall.O_CLOEXEC, 0, 0, 0)
	return fd, e == 0
}
