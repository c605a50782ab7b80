//go:build !markgen_off

package perf

import "unsafe"

// A run that has ended in order ends its data file with the checksums of all its blocks, see
// BlockSums. Nothing that is passed costs more for that: they are worked out once, when the file
// does not change any more.

// mostSums is how large the block may be for a file of that size.
//
//go:norace
func mostSums(used uintptr) uintptr { return OffSumsData + aligned(8*(used/BlockAlign)) }

// fillSums fills in the block, of zeros, for a file whose blocks end where it does, and says how
// large it is; 0: they do not.
//
//go:norace
//go:nocheckptr
func fillSums(p unsafe.Pointer, file []byte) uintptr {
	word := func(at uintptr) *uint64 { return (*uint64)(unsafe.Add(p, at)) }
	n := uintptr(0)
	for at := uint64(HeaderSize); at < uint64(len(file)); n++ {
		head := unsafe.Pointer(&file[at])
		kind, size := *(*uint32)(head), *(*uint64)(unsafe.Add(head, OffBlockSize))
		if size < BlockAlign || size > uint64(len(file))-at {
			return 0
		}
		*word(OffSumsData + 8*n) = SumBlock(kind, file[at:at+Summed(kind, size)])
		at += size
	}
	size := aligned(OffSumsData + 8*n)
	*(*uint32)(p) = BlockSums
	*word(OffBlockSize) = uint64(size)
	*word(OffSumsLen) = uint64(n)
	*word(OffSumsBytes) = uint64(len(file) - HeaderSize)
	*word(OffSumsHeader) = SumHeader(file[:HeaderSize])
	*word(OffSumsOwn) = SumHead(unsafe.Slice((*byte)(p), size), OffSumsOwn)
	return size
}
