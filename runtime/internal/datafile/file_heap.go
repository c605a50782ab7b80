//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package datafile

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A File is a data file. On these systems it is not mapped: its pieces are memory, which Complete
// writes. So a killed process leaves nothing, and an existing file of the same name is replaced.
type File struct{ path string }

// Open sets the path and returns the first piece, size bytes, or nil if it cannot. Whether the path
// can be written to only shows in Complete.
func (f *File) Open(path string, size uintptr, o Options) (first []byte, taken, problem string) {
	if o.Spool != "" {
		if _, problem = enterSpool(o.Spool, o.Room); problem != "" {
			return nil, "", problem
		}
	}
	f.path = Absolute(path)
	first, problem = f.Grow(size)
	return first, "", problem
}

// Grow returns memory that Complete will write.
func (f *File) Grow(size uintptr) (piece []byte, problem string) {
	p := Map(size)
	if p == nil {
		return nil, "there is no memory"
	}
	return unsafe.Slice((*byte)(p), size), ""
}

// WriteParts returns false: on these systems texts are copied to memory.
func (f *File) WriteParts(back uintptr, parts [][]byte) bool { return false }

// Complete writes the file, up to OffUsed in its header, and checksums.
//
//go:norace
//go:nocheckptr
func (f *File) Complete(pieces [][]byte, alone bool) (problem string) {
	var b []byte
	left := int(*word(pieces[0], layout.OffUsed))
	for _, p := range pieces {
		n := min(left, len(p))
		b = append(b, p[:n]...)
		left -= n
	}
	used := uintptr(len(b))
	b = append(b, make([]byte, maxSumsSize(used))...)
	size := fillSums(b[used:], b[:used])
	if size > 0 {
		*word(b, layout.OffUsed) += uint64(size)
		*word(b, layout.OffSums) = uint64(size)
	}
	return WriteWhole(f.path, b[:used+size])
}

// Remove does nothing: Complete makes the file, in a process that collects.
func (f *File) Remove() {}

// Close does nothing.
func (f *File) Close() {}

// heap keeps the memory that Map returned alive.
var heap [][]uint64

// Map returns size bytes of zeroed memory, or nil if there is none.
func Map(size uintptr) unsafe.Pointer {
	b := make([]uint64, (size+layout.BlockAlign)/8)
	heap = append(heap, b)
	p := unsafe.Pointer(unsafe.SliceData(b))
	return unsafe.Add(p, -uintptr(p)&(layout.BlockAlign-1))
}
