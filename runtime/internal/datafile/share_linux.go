package datafile

import (
	"syscall"
	"unsafe"
)

// CanShare reports whether Share can be used for memory that begins and ends at a multiple of page
// bytes.
//
//go:norace
func CanShare(page int) bool { return syscall.Getpagesize() <= page }

// Share maps the file pages behind mapped over own as well, so that both are the same memory; own's
// content is lost. Both must have the same size. It reports whether it succeeded. The data file may
// be closed already.
//
//go:norace
func Share(own, mapped []byte) bool {
	// With an old size of 0, mremap(2) makes a second mapping of shared pages.
	return remap(mapped, 0, own)
}

// Unshare undoes Share: own is private memory again, with the same content. It reports whether it
// succeeded.
//
//go:norace
func Unshare(own []byte) bool { return replace(own, own) }

// Empty replaces mapped memory by zeros, which use no memory until they are written to.
//
//go:norace
func Empty(mapped []byte) { replace(mapped, nil) }

// replace replaces mapped memory by private memory that begins with a copy of with, and is zero
// after it.
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

// remap moves the mapping of size bytes at from to the address of to, see mremap(2).
//
//go:norace
func remap(from []byte, size int, to []byte) bool {
	const mayMove, fixed = 1, 2 // MREMAP_MAYMOVE and MREMAP_FIXED of linux/mman.h
	_, _, e := syscall.Syscall6(syscall.SYS_MREMAP, uintptr(unsafe.Pointer(unsafe.SliceData(from))), uintptr(size), uintptr(len(to)),
		mayMove|fixed, uintptr(unsafe.Pointer(unsafe.SliceData(to))), 0)
	return e == 0
}
