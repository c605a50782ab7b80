package blocks

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
)

// An Arena allocates memory outside of files, which is never freed, in pieces, so that a small
// allocation does not cost a system call: package syscall uses a mutex for it, which under the race
// detector would order the program's goroutines. One goroutine at a time may use it.
type Arena struct {
	next unsafe.Pointer
	free uintptr
}

const arenaPiece = 1 << 20

// New returns size bytes of zeroed memory, aligned to a cache line; nil if there is no memory.
//
//go:norace
//go:nocheckptr
func (a *Arena) New(size uintptr) unsafe.Pointer {
	size = Aligned(size)
	if size > arenaPiece/8 {
		return datafile.Map(size)
	}
	if size > a.free {
		p := datafile.Map(arenaPiece)
		if p == nil {
			return nil
		}
		a.next, a.free = p, arenaPiece
	}
	p := a.next
	a.next = unsafe.Add(p, size)
	a.free -= size
	return p
}
