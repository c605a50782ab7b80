//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A run that has ended in order ends its data file with the checksums of all its blocks, see
// BlockSums. Nothing that is passed costs more for that: they are worked out once, when the file
// does not change any more.

// mostSums is how large the block may be for a file of that size.
//
//go:norace
func mostSums(used uintptr) uintptr { return layout.OffSumsData + aligned(8*(used/layout.BlockAlign)) }

// fillSums fills in the block, of zeros, for a file whose blocks end where it does, and says how
// large it is; 0: they do not.
//
//go:norace
//go:nocheckptr
func fillSums(p unsafe.Pointer, file []byte) uintptr {
	word := func(at uintptr) *uint64 { return (*uint64)(unsafe.Add(p, at)) }
	n := uintptr(0)
	for at := uint64(layout.HeaderSize); at < uint64(len(file)); n++ {
		head := unsafe.Pointer(&file[at])
		kind, size := *(*uint32)(head), *(*uint64)(unsafe.Add(head, layout.OffBlockSize))
		if size < layout.BlockAlign || size > uint64(len(file))-at {
			return 0
		}
		*word(layout.OffSumsData + 8*n) = layout.SumBlock(kind, file[at:at+layout.Summed(kind, size)])
		at += size
	}
	size := aligned(layout.OffSumsData + 8*n)
	*(*uint32)(p) = layout.BlockSums
	*word(layout.OffBlockSize) = uint64(size)
	*word(layout.OffSumsLen) = uint64(n)
	*word(layout.OffSumsBytes) = uint64(len(file) - layout.HeaderSize)
	*word(layout.OffSumsHeader) = layout.SumHeader(file[:layout.HeaderSize])
	*word(layout.OffSumsOwn) = layout.SumHead(unsafe.Slice((*byte)(p), size), layout.OffSumsOwn)
	return size
}
