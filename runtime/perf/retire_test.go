//go:build !markgen_off && (amd64 || arm64)

package perf

import (
	"testing"
	"unsafe"
)

// The memory of a run is retired once, even if the next run failed to begin and another is tried:
// otherwise two runs would share slots.
func TestRetireOnce(t *testing.T) {
	collected(t)
	lock()
	defer unlock()
	kept, had, more, slots := header, retired, moreSlots, owners
	defer func() { header, retired, moreSlots, owners = kept, had, more, slots }()
	retire()
	header = unsafe.Pointer(&noHeader)
	retire()
	if n := len(retired) - len(had); n != 1 {
		t.Errorf("%d were retired, want 1", n)
	}
}
