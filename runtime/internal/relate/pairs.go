package relate

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A Row is a BlockPairs: which markers had scopes open on one goroutine's stack while one of its
// marker was. A bit for each marker with a smaller number follows, and one for the marker itself,
// for when it was open inside itself.
type Row [layout.OffPairsData / 8]uint64

// RowSize is how many bytes the row of a marker takes, with the bits.
func RowSize(marker uint64) uintptr { return layout.OffPairsData + uintptr(marker/64+1)*8 }

// Begin makes the row, of zeros but for the head of a block, that of a marker.
//
//go:norace
func (r *Row) Begin(marker uint64) {
	r[layout.OffPairsMarker/8], r[layout.OffPairsLen/8] = marker, marker+1
}

// Add sets the bit of a marker. Most calls find it set.
//
//go:norace
//go:nocheckptr
func (r *Row) Add(marker uint64) {
	w := (*uint64)(unsafe.Add(unsafe.Pointer(r), layout.OffPairsData+uintptr(marker)/64*8))
	if bit := uint64(1) << (marker % 64); atomic.LoadUint64(w)&bit == 0 {
		atomic.OrUint64(w, bit)
	}
}

// Has says whether the bit of a marker is set.
//
//go:norace
//go:nocheckptr
func (r *Row) Has(marker uint64) bool {
	w := (*uint64)(unsafe.Add(unsafe.Pointer(r), layout.OffPairsData+uintptr(marker)/64*8))
	return atomic.LoadUint64(w)>>(marker%64)&1 != 0
}
