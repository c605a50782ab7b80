//go:build !markgen_off && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package perf

// processUse is not known.
func processUse() (ns, waits uint64) { return 0, 0 }
