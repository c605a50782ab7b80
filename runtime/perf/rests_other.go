//go:build !markgen_off && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package perf

// processUse is not known: the program is taken for one that rests.
func processUse() (ns, waits uint64) { return 0, 0 }
