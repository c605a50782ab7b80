//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package platform

// Used returns 0, 0: unknown on these systems.
func Used() (ns, waits uint64) { return 0, 0 }
