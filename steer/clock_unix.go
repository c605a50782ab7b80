//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package steer

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// monoClocks are the numbers of the clock that the Go runtime's nanotime reads
// (runtime/sys_*.s). On macOS that is mach_absolute_time, CLOCK_UPTIME_RAW; elsewhere
// CLOCK_MONOTONIC.
var monoClocks = map[string]int32{"linux": 1, "darwin": 8, "freebsd": 4, "dragonfly": 4, "netbsd": 3, "openbsd": 3}

// monoNS is the time by the monotonic clock that a marked program has in its header.
func monoNS() (uint64, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(monoClocks[runtime.GOOS], &t); err != nil {
		return 0, os.NewSyscallError("clock_gettime", err)
	}
	return uint64(t.Nano()), nil
}
