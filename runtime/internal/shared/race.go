//go:build race

package shared

import "unsafe"

// The race detector would report an atomic operation here and the plain read in generated code as a
// race of the program. So here words are changed in functions that it does not see. A simultaneous
// change by another process may be lost.

// Race says whether the race detector is on.
const Race = true

// Load returns *p.
//
//go:norace
func Load(p *uint32) uint32 { return *p }

// Store sets *p to v.
//
//go:norace
func Store(p *uint32, v uint32) { *p = v }

// SetBits sets the bits of *p.
//
//go:norace
func SetBits(p *uint32, bits uint32) { *p |= bits }

// ClearBits clears the bits of *p, and returns *p as it was.
//
//go:norace
func ClearBits(p *uint32, bits uint32) uint32 {
	old := *p
	*p = old &^ bits
	return old
}

// Add adds v to *p.
//
//go:norace
func Add(p *uint32, v uint32) { *p += v }

// Swap sets *p to v if it is old, and reports whether it was.
//
//go:norace
func Swap(p *uint32, old, v uint32) bool {
	if *p != old {
		return false
	}
	*p = v
	return true
}

// StorePointer sets *p to v.
//
//go:norace
func StorePointer(p *unsafe.Pointer, v unsafe.Pointer) { *p = v }
