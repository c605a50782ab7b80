package datafile

import (
	"syscall"
	"unsafe"
)

// CanShare says whether Share can be asked for memory that begins and ends where pages of that
// size, in bytes, do.
//
//go:norace
func CanShare(page int) bool { return syscall.Getpagesize() <= page }

// Share maps what is mapped of the data file a second time, in the place of the process's own
// memory, which then has what is in the file; false: it could not. Both have the same size. The
// data file may be closed.
//
//go:norace
func Share(own, mapped []byte) bool {
	// With an old size of 0 this makes a second mapping of shared pages (mremap(2)).
	return remap(mapped, 0, own)
}

// Unshare undoes Share: the memory is the process's own again, with what is in it; false: it could not.
//
//go:norace
func Unshare(own []byte) bool { return replace(own, own) }

// Empty puts memory that is zero, and takes nothing until it is written to, in the place of what is mapped.
//
//go:norace
func Empty(mapped []byte) { replace(mapped, nil) }

// replace puts memory that begins with a text, and is zero behind it, in the place of what is mapped.
//
//go:norace
//go:nocheckptr
func replace(mapped, with []byte) bool {
	p := Map(uintptr(len(mapped)))
	if p == nil {
		return false
	}
	b := unsafe.Slice((*byte)(p), len(mapped))
	copy(b, with)
	return remap(b, len(b), mapped)
}

// remap moves what is mapped at from, size bytes, to the place of what is at to, see mremap(2).
//
//go:norace
func remap(from []byte, size int, to []byte) bool {
	const mayMove, fixed = 1, 2 // MREMAP_MAYMOVE and MREMAP_FIXED of linux/mman.h
	_, _, e := syscall.Syscall6(syscall.SYS_MREMAP, uintptr(unsafe.Pointer(unsafe.SliceData(from))), uintptr(size), uintptr(len(to)),
		mayMove|fixed, uintptr(unsafe.Pointer(unsafe.SliceData(to))), 0)
	return e == 0
}
