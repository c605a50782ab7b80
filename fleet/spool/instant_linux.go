package spool

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// currentInstant returns the current instant.
func currentInstant() instant {
	m := instant{WallNS: time.Now().UnixNano()}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	var ts unix.Timespec
	if err == nil && unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) == nil {
		m.Boot, m.BootNS = strings.TrimSpace(string(boot)), ts.Nano()
	}
	return m
}
