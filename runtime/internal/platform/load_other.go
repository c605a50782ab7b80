//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package platform

// Load is not known here, so no process declines for the load.
func Load() (load uint64, knows bool) { return 0, false }
