//go:build !markgen_off

package perf

import "github.com/markgen/markgen/runtime/config"

// loadPercent is how many processes ran or waited to in the last minute, on average, per
// hundred processors; false: it is not known.
func loadPercent() (load uint64, knows bool) {
	var b [64]byte
	n := readFile("/proc/loadavg", b[:])
	minute, _ := cut(string(b[:n]), ' ')
	whole, part := cut(minute, '.')
	x, ok := config.Uint(whole)
	y, ok2 := config.Uint(part)
	if !ok || !ok2 || len(part) != 2 || x > 1e9 {
		return 0, false
	}
	return percent(100*x + y), true
}
