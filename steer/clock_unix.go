//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package steer

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// monoClocks are the clock IDs that nanotime of the Go runtime reads (runtime/sys_*.s): on macOS
// mach_absolute_time, which is CLOCK_UPTIME_RAW; elsewhere CLOCK_MONOTONIC.
var monoClocks = map[string]int32{"linux": 1, "darwin": 8, "freebsd": 4, "dragonfly": 4, "netbsd": 3, "openbsd": 3}

// monoNS returns the time of the monotonic clock that a marked program records in its header, in
// ns.
func monoNS() (uint64, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(monoClocks[runtime.GOOS], &t); err != nil {
		return 0, os.NewSyscallError("clock_gettime", err)
	}
	return uint64(t.Nano()), nil
}
