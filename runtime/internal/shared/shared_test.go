package shared

import (
	"testing"
	"unsafe"
)

func TestWords(t *testing.T) {
	var w uint32
	Store(&w, 5)
	SetBits(&w, 2)
	if old := ClearBits(&w, 1); old != 7 || Load(&w) != 6 {
		t.Errorf("%d, then %d", old, w)
	}
	Add(&w, 1<<32-2)
	if Swap(&w, 6, 9) || !Swap(&w, 4, 9) || w != 9 {
		t.Errorf("swapped to %d", w)
	}
	var p unsafe.Pointer
	if StorePointer(&p, unsafe.Pointer(&w)); p != unsafe.Pointer(&w) {
		t.Error("the pointer is not stored")
	}
}
