//go:build !markgen_off

package perf

import (
	"syscall"
	"unsafe"
)

// usedTime is the processor time that the process's threads have used, ns, to the moment; 0: it is not known. That of the whole process
// has what other threads have used since the latest tick of the system's only later. The clock of each is pthread_getcpuclockid(3)'s.
// one is what the thread of that number has of it. Anybody may call it.
//
//go:norace
//go:nocheckptr
func usedTime(thread int32) (all, one uint64) {
	const ofThread, scheduled = 4, 2
	for i := range min(threads.n, len(threads.id)) {
		var t syscall.Timespec
		clock := ^int(threads.id[i])<<3 | ofThread | scheduled
		if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, uintptr(clock), uintptr(unsafe.Pointer(&t)), 0); e == 0 {
			all += uint64(t.Nano())
			if threads.id[i] == thread {
				one = uint64(t.Nano())
			}
		}
	}
	return all, one
}

// thisThread is the number of the thread that calls it.
//
//go:norace
func thisThread() int32 {
	id, _, _ := syscall.RawSyscall(syscall.SYS_GETTID, 0, 0, 0)
	return int32(id)
}
