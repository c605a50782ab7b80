//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/layout"
)

// pageSize is that of the pages in which markers are mapped. Where pages are
// larger, MarkerPad does not keep other variables out of them.
const pageSize = layout.MarkerPad * layout.MarkerSize

// sharePages puts the words of markers into the data file and maps them where the program has them,
// so that its code goes on testing its own variables, and who maps the file can change them. What
// the words are stays as it is. The markers have MarkerPad others before and behind them. Where the
// system cannot, the words are in the program only, and nobody outside turns markers on and off.
// The caller holds the lock, as does everybody in this process who changes them.
//
//go:norace
//go:nocheckptr
func (t *table) sharePages(number uint64) {
	if !t.padded || t.shared || !space.open || !datafile.CanShare(pageSize) {
		return
	}
	own := t.pages()
	b, size := takeSpace(layout.BlockAlign + pageSize + uintptr(len(own)))
	if b == nil {
		return
	}
	var head blockHead
	head.set(layout.BlockMarkers, size)
	defer publishParts(b, size, [][]byte{head.bytes()})
	if !space.inFile {
		return // it could not grow
	}
	data := (layout.BlockAlign+uintptr(b)+pageSize-1)&^(pageSize-1) - uintptr(b)
	mapped := unsafe.Slice((*byte)(unsafe.Add(b, data)), len(own))
	if t.shut || t.gates != nil || t.passed() { // else the words are zero, as the file is
		copy(mapped, own)
	}
	if t.shared = datafile.Share(own, mapped); t.shared {
		head[layout.OffMarkersTable/8] = number
		head[layout.OffMarkersLen/8] = uint64(t.markers)
		head[layout.OffMarkersData/8] = uint64(data + uintptr(unsafe.Pointer(t.of))%pageSize)
	}
}

// pages are those that hold the markers.
//
//go:norace
//go:nocheckptr
func (t *table) pages() []byte {
	before := uintptr(unsafe.Pointer(t.of)) % pageSize
	size := (before + uintptr(t.markers)*layout.MarkerSize + pageSize - 1) &^ (pageSize - 1)
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(t.of), -int(before))), size)
}

// passed says whether a marker of the table has been passed.
func (t *table) passed() bool {
	for _, m := range live {
		if _, ok := t.indexOf(m); ok {
			return true
		}
	}
	return false
}

// keepPages gives the program pages of its own again for its markers, with what is
// in them, since the data file is nobody's any more and may be cut off; false: it could not.
//
//go:norace
func (t *table) keepPages() bool {
	if t.shared {
		t.shared = !datafile.Unshare(t.pages())
	}
	return !t.shared
}
