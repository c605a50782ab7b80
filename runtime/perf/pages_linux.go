//go:build !markgen_off

package perf

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// pageSize is that of the pages in which markers are mapped. Where pages are
// larger, MarkerPad does not keep other variables out of them.
const pageSize = layout.MarkerPad * layout.MarkerSize

// Flags of linux/mman.h.
const (
	mayMove = 1 // MREMAP_MAYMOVE
	fixed   = 2 // MREMAP_FIXED
)

// sharePages puts the words of markers into the data file and maps them where the
// program has them, so that its code goes on testing its own variables, and who
// maps the file can change them. What the words are stays as it is. The markers
// have MarkerPad others before and behind them. The caller holds the lock, as does
// everybody in this process who changes them.
//
//go:norace
//go:nocheckptr
func (t *table) sharePages(number uint64) {
	if !t.padded || t.shared || !space.open || syscall.Getpagesize() > pageSize {
		return
	}
	from := uintptr(unsafe.Pointer(t.of)) &^ (pageSize - 1)
	to := (uintptr(unsafe.Pointer(t.of)) + uintptr(t.markers)*layout.MarkerSize + pageSize - 1) &^ (pageSize - 1)
	b, size := takeSpace(layout.BlockAlign + pageSize + to - from)
	if b == nil {
		return
	}
	var head blockHead
	head.set(layout.BlockMarkers, size)
	defer publishParts(b, size, []string{head.text()})
	if !space.inFile {
		return // it could not grow
	}
	data := (uintptr(b) + layout.BlockAlign + pageSize - 1) &^ (pageSize - 1)
	at := unsafe.Add(b, data-uintptr(b))
	if t.shut || t.gates != nil || t.passed() { // else the words are zero, as the file is
		copy(unsafe.Slice((*byte)(at), to-from), t.pages(from, to))
	}
	// With an old size of 0 this makes a second mapping of shared pages (mremap(2)),
	// also where the program has closed the file.
	_, _, e := syscall.Syscall6(syscall.SYS_MREMAP, uintptr(at), 0, to-from, mayMove|fixed, from, 0)
	if e == 0 {
		head[layout.OffMarkersTable/8] = number
		head[layout.OffMarkersLen/8] = uint64(t.markers)
		head[layout.OffMarkersData/8] = uint64(data - uintptr(b) + uintptr(unsafe.Pointer(t.of)) - from)
	}
	t.shared = e == 0
}

// pages are the bytes from one address to another, which hold the markers.
//
//go:norace
//go:nocheckptr
func (t *table) pages(from, to uintptr) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(t.of), int(from)-int(uintptr(unsafe.Pointer(t.of))))), to-from)
}

// passed says whether a marker of the table has been passed.
func (t *table) passed() bool {
	for _, m := range live {
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
	to := (uintptr(unsafe.Pointer(t.of)) + uintptr(t.markers)*layout.MarkerSize + pageSize - 1) &^ (pageSize - 1)
	p := mapMemory(to - from)
	if p == nil {
		return
	}
	copy(unsafe.Slice((*byte)(p), to-from), t.pages(from, to))
	_, _, e := syscall.Syscall6(syscall.SYS_MREMAP, uintptr(p), to-from, to-from, mayMove|fixed, from, 0)
	t.shared = e != 0
}

// emptyMemory puts memory that is zero, and takes nothing until it is written to, in the place of what is mapped there.
//
//go:norace
func emptyMemory(p unsafe.Pointer, size uintptr) {
	if empty := mapMemory(size); empty != nil {
		syscall.Syscall6(syscall.SYS_MREMAP, uintptr(empty), size, size, mayMove|fixed, uintptr(p), 0)
	}
}
