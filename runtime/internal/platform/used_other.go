//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package platform

// Used is not known.
func Used() (ns, waits uint64) { return 0, 0 }
