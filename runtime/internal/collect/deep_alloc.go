//go:build markgen_deep && !markgen_off

package collect

import "runtime"

// openAlloc returns the reader of the goroutine's heap allocation, as the deep build's package
// runtime counts it, by the rules of MemStats.TotalAlloc and Mallocs.
func openAlloc(*Process) (*Reader, []string) {
	return &Reader{Name: "alloc", Values: []string{"bytes", "objects"}, Read: readAlloc, Distribution: true}, nil
}

//go:norace
func readAlloc(_ *Scratch, into []uint64) (where uint64, ok bool) {
	g := runtime.Markgen()
	into[0], into[1] = g.Bytes, g.Objects
	return 0, true
}
