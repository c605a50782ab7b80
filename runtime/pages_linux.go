//go:build !markgen_off

package runtime

import (
	"syscall"
	"unsafe"
)

// pageSize is that of the pages in which markers are mapped. Where pages are
// larger, MarkerPad does not keep other variables out of them.
const pageSize = MarkerPad * MarkerSize

// sharePages puts the words of markers into the data file and maps them where the
// program has them, so that its code goes on testing its own variables, and who
// maps the file can change them. What the words are stays as it is. The markers
// have MarkerPad others before and behind them. The caller holds the lock, as does
// everybody in this process who changes them.
//
//go:norace
//go:nocheckptr
func (t *table) sharePages(number uint64) {
	if !space.inFile || t.markers == 0 || syscall.Getpagesize() > pageSize || !dataFile.ours() {
		return
	}
	from := uintptr(unsafe.Pointer(t.of)) &^ (pageSize - 1)
	to := (uintptr(unsafe.Pointer(t.of)) + uintptr(t.markers)*MarkerSize + pageSize - 1) &^ (pageSize - 1)
	b := newBlock(BlockMarkers, 0, BlockAlign+pageSize+to-from)
	if b == nil || !space.inFile {
		return
	}
	last := space.pieces[len(space.pieces)-1]
	data := (uintptr(b) + BlockAlign + pageSize - 1) &^ (pageSize - 1)
	at := unsafe.Add(b, data-uintptr(b))
	inFile := dataFile.size - int64(last.size) + int64(data-uintptr(last.p))
	if t.shut || t.hasEarly() { // else the words are zero, as the file is
		copy(unsafe.Slice((*byte)(at), to-from), t.pages(from, to))
	}
	_, _, e := syscall.Syscall6(syscall.SYS_MMAP, from, to-from, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED|syscall.MAP_FIXED, uintptr(dataFile.fd), uintptr(inFile))
	if e == 0 {
		*(*uint64)(unsafe.Add(b, OffMarkersTable)) = number
		*(*uint64)(unsafe.Add(b, OffMarkersLen)) = uint64(t.markers)
		*(*uint64)(unsafe.Add(b, OffMarkersData)) = uint64(data - uintptr(b) + uintptr(unsafe.Pointer(t.of)) - from)
	}
	publish(b)
	t.shared = e == 0
}

// pages are the bytes from one address to another, which hold the markers.
//
//go:norace
//go:nocheckptr
func (t *table) pages(from, to uintptr) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(t.of), int(from)-int(uintptr(unsafe.Pointer(t.of))))), to-from)
}

// hasEarly says whether a marker of the table has been passed before the table was
// registered.
func (t *table) hasEarly() bool {
	for _, m := range early {
		if _, ok := t.place(m); ok {
			return true
		}
	}
	return false
}

// keepPages gives the program pages of its own again for its markers, with what is
// in them, since the data file is nobody's any more and may be cut off.
//
//go:norace
//go:nocheckptr
func (t *table) keepPages() {
	if !t.shared {
		return
	}
	from := uintptr(unsafe.Pointer(t.of)) &^ (pageSize - 1)
	to := (uintptr(unsafe.Pointer(t.of)) + uintptr(t.markers)*MarkerSize + pageSize - 1) &^ (pageSize - 1)
	p := mapMemory(to - from)
	if p == nil {
		return
	}
	copy(unsafe.Slice((*byte)(p), to-from), t.pages(from, to))
	const mayMove, fixed = 1, 2 // MREMAP_MAYMOVE, MREMAP_FIXED of linux/mman.h
	_, _, e := syscall.Syscall6(syscall.SYS_MREMAP, uintptr(p), to-from, to-from, mayMove|fixed, from, 0)
	t.shared = e != 0
}
