package platform

import (
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// Load is how many processes ran or waited to in the last minute, on average, per
// hundred processors; false: it is not known.
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
	return percent(100*x + y), true
}
