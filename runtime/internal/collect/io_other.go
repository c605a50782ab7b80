//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package collect

import "runtime"

// openIO returns no reader: there are no counters.
func openIO(*Process) (r *Reader, missing []string) {
	return nil, []string{runtime.GOOS + " does not report what a process reads and writes"}
}

// Wrote does nothing: written bytes are not counted on these systems.
func Wrote(n int) {}
