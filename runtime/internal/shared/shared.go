//go:build !race

// Package shared has atomic operations on the words of markers, and on what counters point to:
// generated code reads them without synchronisation, and other processes change them in the data
// file.
//
//	shared.SetBits(&marker.Off, layout.OffByState)
//
// Under the race detector they are not atomic, see race.go.
package shared

import (
	"sync/atomic"
	"unsafe"
)

// Race says whether the race detector is on.
const Race = false

// Load returns *p.
func Load(p *uint32) uint32 { return atomic.LoadUint32(p) }

// Store sets *p to v.
func Store(p *uint32, v uint32) { atomic.StoreUint32(p, v) }

// SetBits sets the bits of *p.
func SetBits(p *uint32, bits uint32) { atomic.OrUint32(p, bits) }

// ClearBits clears the bits of *p, and returns *p as it was.
func ClearBits(p *uint32, bits uint32) uint32 { return atomic.AndUint32(p, ^bits) }

// Add adds v to *p.
func Add(p *uint32, v uint32) { atomic.AddUint32(p, v) }

// Swap sets *p to v if it is old, and reports whether it was.
func Swap(p *uint32, old, v uint32) bool { return atomic.CompareAndSwapUint32(p, old, v) }

// StorePointer sets *p to v.
func StorePointer(p *unsafe.Pointer, v unsafe.Pointer) { atomic.StorePointer(p, v) }
