//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package platform

// Load returns false: the load is unknown on these systems, so no process declines because of it.
func Load() (load uint64, knows bool) { return 0, false }
