//go:build !race && !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"
)

// The words of markers, and what counters point to, change while generated code reads them without
// synchronisation, and other processes change them, too.

func loadWord(p *uint32) uint32               { return atomic.LoadUint32(p) }
func storeWord(p *uint32, v uint32)           { atomic.StoreUint32(p, v) }
func setBits(p *uint32, bits uint32)          { atomic.OrUint32(p, bits) }
func clearBits(p *uint32, bits uint32) uint32 { return atomic.AndUint32(p, ^bits) }
func addWord(p *uint32, v uint32)             { atomic.AddUint32(p, v) }
func swapWord(p *uint32, old, v uint32) bool  { return atomic.CompareAndSwapUint32(p, old, v) }
func storePointer(p *unsafe.Pointer, v unsafe.Pointer) {
	atomic.StorePointer(p, v)
}

// tallied says whether stack units have their own counters.
const tallied = hasG
