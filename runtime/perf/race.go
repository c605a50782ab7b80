//go:build race && !markgen_off

package perf

import "unsafe"

// The race detector would report an atomic operation here and the plain read in generated code as a
// race of the program. So here words are changed in functions that it does not see. A simultaneous
// change by another process may be lost.

//go:norace
func loadWord(p *uint32) uint32 { return *p }

//go:norace
func storeWord(p *uint32, v uint32) { *p = v }

//go:norace
func setBits(p *uint32, bits uint32) { *p |= bits }

// clearBits returns the word as it was.
//
//go:norace
func clearBits(p *uint32, bits uint32) uint32 {
	old := *p
	*p = old &^ bits
	return old
}

//go:norace
func addWord(p *uint32, v uint32) { *p += v }

//go:norace
func swapWord(p *uint32, old, v uint32) bool {
	if *p != old {
		return false
	}
	*p = v
	return true
}

//go:norace
func storePointer(p *unsafe.Pointer, v unsafe.Pointer) { *p = v }

// tallied is false: the race detector would see successive owners of a stack unit add to its
// counters, but not what orders them.
const tallied = false
