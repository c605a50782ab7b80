//go:build !markgen_off && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// Here files are not mapped. The pieces of the data file are kept in memory and
// written by Finish; a process that is killed leaves nothing, and a name that is
// taken is replaced.
var dataPath string

// openFile sets the place and gives the first piece; whether the place can be
// written shows at the end.
func openFile(path string) (first unsafe.Pointer, trouble string) {
	dataPath = absolute(path)
	return growFile(firstPiece)
}

// growFile gives memory that closeFile will write.
func growFile(size uintptr) (p unsafe.Pointer, trouble string) {
	if p = anonymous(size); p == nil {
		return nil, "there is no memory"
	}
	return p, ""
}

// closeFile writes the file.
//
//go:nocheckptr
func closeFile() (trouble string) {
	if !space.open {
		return ""
	}
	var b []byte
	left := uintptr(*headerWord(layout.OffUsed))
	for _, p := range space.pieces {
		n := min(left, p.size)
		b = append(b, unsafe.Slice((*byte)(p.p), n)...)
		left -= n
	}
	used := len(b)
	b = append(b, make([]byte, mostSums(uintptr(used)))...)
	size := fillSums(unsafe.Pointer(unsafe.SliceData(b[used:])), b[:used])
	if size > 0 {
		*(*uint64)(unsafe.Pointer(&b[layout.OffUsed])) += uint64(size)
		*(*uint64)(unsafe.Pointer(&b[layout.OffSums])) = uint64(size)
	}
	return writeWhole(dataPath, b[:used+int(size)])
}

// dropFile does nothing: the file is made by Finish, of a process that collects.
func dropFile() {}

// heap keeps what mapMemory gave alive.
var heap [][]uint64

// mapMemory gives size bytes of zeroed memory; nil when there is none.
func mapMemory(size uintptr) unsafe.Pointer {
	b := make([]uint64, (size+layout.BlockAlign)/8)
	heap = append(heap, b)
	p := unsafe.Pointer(unsafe.SliceData(b))
	return unsafe.Add(p, -uintptr(p)&(layout.BlockAlign-1))
}

// fillFile does nothing: here texts are copied to memory.
func fillFile(off, size uintptr, parts []string) bool { return false }

// releaseFile has nothing to release.
func releaseFile() {}
