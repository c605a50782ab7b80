//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package platform

// CPUTime returns 0, 0: unknown on these systems.
func CPUTime() (ns, waits uint64) { return 0, 0 }
