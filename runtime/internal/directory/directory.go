// Package directory maps the indexes of markers, or of call paths, to what a processor has of them.
//
//	var cells *directory.Of[cell.Cell]
//	directory.Make(&cells, &arena, i, i+1, newCell)
//	c := cells.Get(i)
package directory

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
)

// Max is the maximum number of indexes.
const Max = 1 << 24

// An Of is a directory. When it is too small, a larger copy replaces it, and the old one is left in
// memory, since its processor may be reading it; an entry missing in the old one is looked up again
// in the new one.
type Of[T any] struct {
	n  uint64
	of [Max]*T // only n of them exist
}

// Get returns the entry of index i, or nil if there is none. d may be nil.
//
//go:norace
func (d *Of[T]) Get(i uint32) *T {
	if d == nil || uint64(i) >= d.n {
		return nil
	}
	return d.of[i%Max]
}

// Load is Get of the directory at a place, for entries that several processors use.
//
//go:norace
//go:nocheckptr
func Load[T any](at **Of[T], i uint32) *T {
	d := (*Of[T])(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(at))))
	if d == nil || uint64(i) >= d.n {
		return nil
	}
	return (*T)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&d.of[i%Max]))))
}

// Make returns the entry of index i in the directory at a place. If there is none, it makes one with
// create; it returns nil if there is no memory. If i has no room, least indexes get room, and i is
// one of them. Callers exclude each other.
//
//go:norace
//go:nocheckptr
func Make[T any](at **Of[T], arena *blocks.Arena, i, least uint32, create func() *T) *T {
	return (*T)(unsafe.Pointer(entry((**Of[byte])(unsafe.Pointer(at)), arena, i, least, *(*func() *byte)(unsafe.Pointer(&create)))))
}

// entry is Make. It is the same code for directories of all types.
//
//go:norace
//go:nocheckptr
//go:noinline
func entry(at **Of[byte], arena *blocks.Arena, i, least uint32, create func() *byte) *byte {
	d := *at
	if d == nil || uint64(i) >= d.n {
		n := uint64(64)
		for n < uint64(least) {
			n *= 2
		}
		bigger := (*Of[byte])(arena.New(8 + uintptr(n)*unsafe.Sizeof(uintptr(0))))
		if bigger == nil {
			return nil
		}
		bigger.n = n
		if d != nil {
			copy(bigger.of[:d.n], d.of[:d.n])
		}
		d = bigger
		atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(at)), unsafe.Pointer(d))
	}
	e := &d.of[i]
	if *e == nil {
		atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(e)), unsafe.Pointer(create()))
	}
	return *e
}
