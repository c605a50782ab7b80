//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/layout"
)

// arena is the rest of the latest piece of memory from which anonymous allocates, so that a
// directory does not cost a system call: package syscall uses a mutex for it, which under the race
// detector would order the program's goroutines. Guarded by the lock, and by starting before the
// lock exists.
var arena struct {
	next unsafe.Pointer
	free uintptr
}

const arenaPiece = 1 << 20

// anonymous returns size bytes of zeroed memory, not backed by a file, aligned to a cache line and
// never freed; nil if there is no memory.
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
