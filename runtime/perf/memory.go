//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/layout"
)

// arena is the rest of the latest piece of memory that anonymous cuts from, so
// that directories cost no system call each: package syscall has a mutex in
// there, which under the race detector would order the program's goroutines.
// Guarded by the lock, and by starting before there is one.
var arena struct {
	next unsafe.Pointer
	free uintptr
}

const arenaPiece = 1 << 20

// anonymous gives size bytes of zeroed memory that no file keeps, aligned to a
// cache line and never freed; nil when there is none.
//
//go:norace
//go:nocheckptr
func anonymous(size uintptr) unsafe.Pointer {
	size = (size + layout.BlockAlign - 1) &^ (layout.BlockAlign - 1)
	if size > arenaPiece/8 {
		return datafile.Map(size)
	}
	if size > arena.free {
		p := datafile.Map(arenaPiece)
		if p == nil {
			return nil
		}
		arena.next, arena.free = p, arenaPiece
	}
	p := arena.next
	arena.next = unsafe.Add(p, size)
	arena.free -= size
	return p
}
