//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package platform

import (
	"syscall"
	"unsafe"
)

// A loadavg is the result of sysctl vm.loadavg (sys/sysctl.h, struct loadavg).
type loadavg struct {
	of    [3]uint32 // load averages of the last 1, 5 and 15 minutes
	scale uintptr   // the value that stands for 1
}

// Load returns the load average of the last minute, the mean number of running and runnable
// processes, in percent of the number of CPUs. knows is false if it is unknown.
func Load() (load uint64, knows bool) {
	s, err := syscall.Sysctl("vm.loadavg")
	var l loadavg
	b := unsafe.Slice((*byte)(unsafe.Pointer(&l)), unsafe.Sizeof(l))
	if err != nil || len(s) < len(b)-1 { // a zero at the end is cut off
		return 0, false
	}
	copy(b, s)
	if l.scale == 0 {
		return 0, false
	}
	return loadPercent(100 * uint64(l.of[0]) / uint64(l.scale)), true
}
