//go:build !markgen_off && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package perf

// loadPercent is not known here, so no process declines for the load.
func loadPercent() (load uint64, knows bool) { return 0, false }
