//go:build !markgen_off && !linux

package perf

// waitedTime is 0: how long threads have waited for processors is not to be had here.
func waitedTime() (ns uint64) { return 0 }
