package platform

import (
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// Load returns the load average of the last minute, the mean number of running and runnable
// processes, in percent of the number of CPUs. knows is false if it is unknown.
func Load() (load uint64, knows bool) {
	var b [64]byte
	n := ReadFile("/proc/loadavg", b[:])
	minute, _ := lite.Cut(string(b[:n]), ' ')
	whole, part := lite.Cut(minute, '.')
	x, ok := config.Uint(whole)
	y, ok2 := config.Uint(part)
	if !ok || !ok2 || len(part) != 2 || x > 1e9 {
		return 0, false
	}
	return loadPercent(100*x + y), true
}
