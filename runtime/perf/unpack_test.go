//go:build markgen_virtual && !markgen_off

package perf

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// packed packs a text at a level of compress/flate, as the writer of tables does at one of them.
func packed(t testing.TB, text string, level int) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteByte(layout.PackedText)
	binary.Write(&b, binary.LittleEndian, uint32(len(text)))
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Packed texts are unpacked; damaged ones, and ones that no writer makes, yield "".
func TestUnpack(t *testing.T) {
	const text = "p\tdemo\nf\tdemo.go\n"
	stored := packed(t, text, flate.DefaultCompression)
	longer := []byte(stored)
	longer[1]++
	for _, tt := range []struct{ what, text, want string }{
		{"plain", text, text},
		{"nothing", "", ""},
		{"packed", stored, text},
		{"packed with the mark of sampled ones", string([]byte{layout.PackedSampled}) + stored[1:], text},
		{"nothing, packed", packed(t, "", flate.DefaultCompression), ""},
		{"of another size", string(longer), ""},
		{"cut off", stored[:10], ""},
		{"packed beyond MaxPacked", packed(t, strings.Repeat("a", 1<<20), flate.BestCompression), ""},
	} {
		if got := unpack(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.what, got, tt.want)
		}
	}
}
