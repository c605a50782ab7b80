package datafile

import (
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"
)

// Shared memory is the same words as the file; after Unshare it is private again, with the same
// content.
func TestShare(t *testing.T) {
	var f File
	first := begin(t, &f, filepath.Join(t.TempDir(), "data"), Options{})
	defer f.Close()
	page := syscall.Getpagesize()
	if !CanShare(page) || CanShare(page/2) {
		t.Error("not just pages of the size that the system has, or larger, can be shared")
	}
	mapped := first[page : 2*page]
	own := unsafe.Slice((*byte)(Map(uintptr(page))), page)
	own[0], mapped[0] = 1, 2
	if !Share(own, mapped) || own[0] != 2 {
		t.Fatalf("not shared: %d", own[0])
	}
	if own[1] = 3; mapped[1] != 3 {
		t.Error("not the same memory")
	}
	if !Unshare(own) || own[0] != 2 || own[1] != 3 {
		t.Errorf("%d, %d", own[0], own[1])
	}
	if own[0] = 4; mapped[0] != 2 {
		t.Error("still the same memory")
	}
	if Empty(mapped); mapped[0] != 0 {
		t.Errorf("%d in memory that is empty", mapped[0])
	}
}
