package datafile

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// The data file of a run that has ended normally ends with the checksums of all its blocks, see
// BlockSums. They do not slow down scopes: they are computed once, when the file no longer changes.

// word returns the word of a data file, or of a block, at an offset.
func word(b []byte, at uintptr) *uint64 { return (*uint64)(unsafe.Pointer(&b[at])) }

// maxSumsSize returns an upper bound for the size of the block of checksums, for a file of that
// size.
//
//go:norace
func maxSumsSize(used uintptr) uintptr {
	return layout.OffSumsData + 8*(used/layout.BlockAlign) + layout.BlockAlign
}

// fillSums fills in the block of checksums, which is zero, and returns its size; 0 if the file does
// not end at the end of a block.
//
//go:norace
//go:nocheckptr
func fillSums(block, file []byte) uintptr {
	n := uintptr(0)
	for at := uint64(layout.HeaderSize); at < uint64(len(file)); n++ {
		kind, size := *(*uint32)(unsafe.Pointer(&file[at])), *word(file[at:], layout.OffBlockSize)
		if size < layout.BlockAlign || size > uint64(len(file))-at {
			return 0
		}
		*word(block, layout.OffSumsData+8*n) = layout.SumBlock(kind, file[at:at+layout.Summed(kind, size)])
		at += size
	}
	size := (layout.OffSumsData + 8*n + layout.BlockAlign - 1) &^ (layout.BlockAlign - 1)
	*(*uint32)(unsafe.Pointer(&block[0])) = layout.BlockSums
	*word(block, layout.OffBlockSize) = uint64(size)
	*word(block, layout.OffSumsLen) = uint64(n)
	*word(block, layout.OffSumsBytes) = uint64(len(file) - layout.HeaderSize)
	*word(block, layout.OffSumsHeader) = layout.SumHeader(file[:layout.HeaderSize])
	*word(block, layout.OffSumsOwn) = layout.SumHead(block[:size], layout.OffSumsOwn)
	return size
}
