package datafile

import (
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// addSums ends the file with the checksums of its blocks. Other goroutines run until the program
// exits, perhaps in the middle of a scope, and counters continue to count; so the process first
// makes its mappings private, which leaves the file as it is at that moment. If a system call
// fails, there are no checksums, and nothing else is lost.
//
//go:norace
//go:nocheckptr
func (f *File) addSums(pieces [][]byte) {
	if !f.leave(pieces) {
		return
	}
	header := pieces[0]
	used := uintptr(atomic.LoadUint64(word(header, layout.OffUsed)))
	file, e := mapping(f.fd, 0, used, syscall.MAP_SHARED)
	if e != 0 {
		return
	}
	defer unmap(file)
	block, e := mapping(-1, 0, maxSumsSize(used), syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if e != 0 {
		return
	}
	defer unmap(block)
	size := fillSums(block, file)
	end := int64(used + size)
	if size == 0 || end > f.size && f.reserve(end) != "" || !f.write(int64(used), block[:size]) {
		return
	}
	// Both words in one write: a process killed here has left both or neither.
	var words [(layout.OffSums + 8 - layout.OffUsed) / 8]uint64
	b := unsafe.Slice((*byte)(unsafe.Pointer(&words)), unsafe.Sizeof(words))
	copy(b, file[layout.OffUsed:])
	words[0], words[len(words)-1] = uint64(end), uint64(size)
	if f.write(layout.OffUsed, b) {
		atomic.StoreUint64(word(header, layout.OffUsed), words[0]) // the mapped memory is private now
		atomic.StoreUint64(word(header, layout.OffSums), words[len(words)-1])
	}
}

// unmap undoes mapping.
//
//go:norace
func unmap(b []byte) {
	syscall.Syscall(syscall.SYS_MUNMAP, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0)
}

// leave replaces the mapping of the file by a private one with the same content, which is copied
// page by page when written to. It reports whether it succeeded.
//
//go:norace
func (f *File) leave(pieces [][]byte) bool {
	at := int64(0)
	for _, p := range pieces {
		own, e := mapping(f.fd, at, uintptr(len(p)), syscall.MAP_PRIVATE)
		if e != 0 {
			return false
		}
		if !remap(own, len(own), p) {
			unmap(own)
			return false
		}
		at += int64(len(p))
	}
	return true
}
