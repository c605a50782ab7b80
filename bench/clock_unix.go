//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime is what this process has used of the processors, the garbage
// collector's part included. It is what a core that did nothing else would
// take, however many other programs share it.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0 // cannot fail with these arguments
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
