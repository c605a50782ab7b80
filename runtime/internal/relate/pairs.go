package relate

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A Row is a BlockPairs: which markers had scopes open on one goroutine's stack while a scope of
// its marker was open. A bit for each marker with a smaller number follows, and one for the marker
// itself, which is set if it was open inside itself.
type Row [layout.OffPairsData / 8]uint64

// RowSize returns the size in bytes of the row of a marker, with its bits.
func RowSize(marker uint64) uintptr { return layout.OffPairsData + uintptr(marker/64+1)*8 }

// Begin initialises the row of a marker, which is zero except for the head of the block.
//
//go:norace
func (r *Row) Begin(marker uint64) {
	r[layout.OffPairsMarker/8], r[layout.OffPairsLen/8] = marker, marker+1
}

// Add sets the bit of a marker. Most calls find it already set.
//
//go:norace
//go:nocheckptr
func (r *Row) Add(marker uint64) {
	w := (*uint64)(unsafe.Add(unsafe.Pointer(r), layout.OffPairsData+uintptr(marker)/64*8))
	if bit := uint64(1) << (marker % 64); atomic.LoadUint64(w)&bit == 0 {
		atomic.OrUint64(w, bit)
	}
}

// Has reports whether the bit of a marker is set.
//
//go:norace
//go:nocheckptr
func (r *Row) Has(marker uint64) bool {
	w := (*uint64)(unsafe.Add(unsafe.Pointer(r), layout.OffPairsData+uintptr(marker)/64*8))
	return atomic.LoadUint64(w)>>(marker%64)&1 != 0
}
