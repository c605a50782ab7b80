//go:build markgen_virtual && !markgen_off

package perf

// RegisterPadded is Register for markers with MarkerPad unused markers before and after them: other
// processes can turn these on and off.
func RegisterPadded(markers *Marker, nm int, counters *Counter, nc int, text string) bool {
	return register(markers, nm, counters, nc, text, registeredPadded, nil)
}

// Last is called when all tables are registered, with the result of the last Register, and returns
// it.
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
