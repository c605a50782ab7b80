//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package steer

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// mappable reports whether programs map their data files on this system.
const mappable = true

// A mapping is a part of the data file mapped into this process.
type mapping struct {
	pages []byte
	bytes []byte // the requested part of pages
}

// mapPart maps size bytes from offset on, which must lie within the file. It maps full pages; the
// bytes before and after the part are not touched.
func mapPart(f *os.File, offset, size uint64) (*mapping, error) {
	before := offset % uint64(os.Getpagesize())
	pages, err := syscall.Mmap(int(f.Fd()), int64(offset-before), int(before+size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return &mapping{pages, pages[before:][:size]}, nil
}

func (m *mapping) close() error { return syscall.Munmap(m.pages) }

// word returns the 8 bytes at an offset, which must be a multiple of 8.
func (m *mapping) word(offset int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&m.bytes[offset : offset+8][0]))
}

// half returns the 4 bytes at an offset, which must be a multiple of 4.
func (m *mapping) half(offset int) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&m.bytes[offset : offset+4][0]))
}

// owner returns the user ID of a file's owner.
func owner(info os.FileInfo) (uid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}
