package directory

import (
	"testing"

	"github.com/markgen/markgen/runtime/internal/blocks"
)

// Entries stay when the directory grows, and are made once.
func TestMake(t *testing.T) {
	var arena blocks.Arena
	var d *Of[uint32]
	if d.Get(0) != nil || Load(&d, 5) != nil {
		t.Error("an entry in no directory")
	}
	for _, i := range []uint32{3, 63, 64, 5000, 100, 3} {
		want := Load(&d, i)
		made := false
		got := Make(&d, &arena, i, i+1, func() *uint32 { made = true; return &i })
		if got == nil || *got != i || want != nil && want != got || made != (want == nil) {
			t.Errorf("entry %d is %p, was %p", i, got, want)
		}
	}
	for i := range uint32(10_000) {
		if p := d.Get(i); p != Load(&d, i) || (p != nil) != (i == 3 || i == 63 || i == 64 || i == 100 || i == 5000) {
			t.Errorf("entry %d is %p", i, p)
		}
	}
	if Make(&d, &arena, 7, 8, func() *uint32 { return nil }) != nil || d.Get(7) != nil {
		t.Error("an entry without memory")
	}
}
