//go:build !markgen_off && (amd64 || arm64)

package perf

// hasG says whether goroutines can be distinguished.
const hasG = true

// ticks reads the processor's counter: on amd64 the time stamp counter, on arm64 the virtual counter,
// which has one rate on all processors. The read is not fenced: the processor may execute it a few
// ns early, and a fence would cost more than that.
//
//go:noescape
func ticks() uint64

// ticksAndG reads the counter and returns the address of the running g, which identifies
// the goroutine while it exists.
//
//go:noescape
func ticksAndG() (t uint64, gp uintptr)

//go:noescape
func getg() uintptr
