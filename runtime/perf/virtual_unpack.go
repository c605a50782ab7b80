//go:build markgen_virtual && !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/internal/inflate"
	"github.com/markgen/markgen/runtime/layout"
)

// Texts of tables may be packed, see layout.PackedText: programs with many
// markers would spend most of their start on copying them. They go to the data
// file as they are, and are unpacked here for who looks into them: only=, skip=
// and the report.

// unpack gives the plain text of a table, "" when there is none in it.
func unpack(text string) string {
	if len(text) < layout.SizePackedHead || text[0] > layout.PackedSampled {
		return text
	}
	size := uint64(0)
	for i := layout.SizePackedHead - 1; i > 0; i-- {
		size = size<<8 | uint64(text[i])
	}
	packed := text[layout.SizePackedHead:]
	if size > layout.MostPacked*uint64(len(packed)) {
		return ""
	}
	plain, _ := inflate.Inflate(packed, int(size))
	return plain
}
