//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/internal/datafile"
)

// Guarded by the lock.
var (
	file  datafile.File // of the run
	space blocks.Space  // its blocks
	arena blocks.Arena  // memory that is in no file; guarded by starting before the lock exists
)

// header is the header page, in memory or in the file; nil before start and when inert.
var header unsafe.Pointer

func headerWord(off uintptr) *uint64 { return (*uint64)(unsafe.Add(header, off)) }

func setHeader(off uintptr, v uint64) { atomic.StoreUint64(headerWord(off), v) }

// setHeaderText stores s NUL-padded, cut to size-1 bytes.
//
//go:norace
//go:nocheckptr
//go:noinline
func setHeaderText(off, size uintptr, s string) {
	b := unsafe.Slice((*byte)(unsafe.Add(header, off)), size)
	clear(b)
	copy(b[:size-1], s)
}

// openFile opens the data file of the run, under that path or in the spool dir, and returns its
// first piece, or nil if it cannot be opened.
func openFile(path, dir string) (first []byte, problem string) {
	first, taken, problem := file.Open(path, blocks.FirstPiece, datafile.Options{Keeper: conf.Keeper, Spool: dir, Room: conf.Room})
	if taken != "" {
		complain(`MARKGEN: key "file": ` + taken + "; data go beside it, under the name with a number; give the name of a file that may be made")
	}
	return first, problem
}

// closeFile completes the data file, if there is one; it stays open to keep its lock. The caller
// holds the lock.
//
//go:norace
func closeFile() (problem string) {
	alone := true
	if space.IsOpen() {
		for i := range tables {
			alone = tables[i].keepPages() && alone
		}
	}
	return space.Complete(alone)
}
