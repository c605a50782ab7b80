//go:build markgen_virtual && !markgen_off

package perf

// RegisterPadded is Register for markers that have MarkerPad others before and
// behind them, which nobody uses: those can be steered from outside the process.
func RegisterPadded(markers *Marker, nm int, counters *Counter, nc int, text string) bool {
	return enlist(markers, nm, counters, nc, text, registeredPadded, nil)
}

// Last is called when all tables have come, with what Register said of the last, and gives that back.
//
//go:norace
func Last(ok bool) bool {
	if collects() {
		lock()
		writeHeld()
		unlock()
	}
	return ok
}
