//go:build markgen_deep && !markgen_off

package perf

import "runtime"

// openAlloc makes the collector alloc ready: what the goroutine has allocated on the
// heap, as the deep build's package runtime counts it, which is by the rules of
// MemStats.TotalAlloc and Mallocs.
func openAlloc() reader {
	return reader{name: "alloc", values: []string{"bytes", "objects"}, read: readAlloc, spread: true}
}

//go:norace
func readAlloc(_ *[scratchWords]uint64, into []uint64) (where uint64, ok bool) {
	g := runtime.Markgen()
	into[0], into[1] = g.Bytes, g.Objects
	return 0, true
}
