//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package platform

// CPUTime returns 0, 0: unknown on these systems.
func CPUTime() (ns, waits uint64) { return 0, 0 }

// Load returns false: the load is unknown on these systems, so no process declines because of it.
func Load() (load uint64, knows bool) { return 0, false }
