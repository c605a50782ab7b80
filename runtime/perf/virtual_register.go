//go:build markgen_virtual && !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/internal/inflate"
	"github.com/markgen/markgen/runtime/layout"
)

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

// The texts of tables may be packed, see layout.PackedText: programs with many markers would
// otherwise spend most of their start on copying them. They are written to the data file packed,
// and unpacked here for only=, skip= and the report.

// unpack returns the plain text of a table, or "" if it cannot be unpacked.
func unpack(text string) string {
	if len(text) < layout.SizePackedHead || text[0] > layout.PackedSampled {
		return text
	}
	size := uint64(0)
	for i := layout.SizePackedHead - 1; i > 0; i-- {
		size = size<<8 | uint64(text[i])
	}
	packed := text[layout.SizePackedHead:]
	if size > layout.MaxPacked*uint64(len(packed)) {
		return ""
	}
	plain, _ := inflate.Inflate(packed, int(size))
	return plain
}
