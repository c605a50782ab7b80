//go:build markgen_virtual && !markgen_off

package perf

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// packed packs a text at a level of compress/flate, as the writer of tables does
// at one of them.
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

func TestUnpack(t *testing.T) {
	source, err := os.ReadFile("testdata/demo/main.go")
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	for _, text := range []string{"", "m", "p\tdemo\n", string(source), string(noise), string(source) + string(noise[:500]) + string(source),
		strings.Repeat("abc", 40)} {
		for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
			p := packed(t, text, level)
			if got := unpack(p); got != text {
				t.Errorf("level %d: %d bytes became %d", level, len(text), len(got))
			}
			for range 20 { // cut off
				if got := unpack(p[:rand.IntN(len(p))]); got != "" && got[0] != layout.PackedText {
					t.Errorf("level %d: part of %d bytes became %d", level, len(text), len(got))
				}
			}
		}
	}
	if got := unpack("p\tplain\n"); got != "p\tplain\n" {
		t.Errorf("plain text became %q", got)
	}
	if got := unpack(packed(t, strings.Repeat("a", 1<<20), flate.BestCompression)); got != "" {
		t.Errorf("a text packed beyond MostPacked became %d bytes", len(got))
	}
}

// FuzzUnpack: what compress/flate takes is taken and what it refuses is refused.
func FuzzUnpack(f *testing.F) {
	for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
		f.Add(uint32(100), []byte(packed(f, strings.Repeat("p\tdemo\n", 10)+"abcdefghijklmnopqrstuvwxyz01", level)[layout.SizePackedHead:]))
	}
	f.Fuzz(func(t *testing.T, size uint32, data []byte) {
		size %= 1 << 20
		text := binary.LittleEndian.AppendUint32([]byte{layout.PackedText}, size)
		got := unpack(string(append(text, data...)))
		var want bytes.Buffer
		r := flate.NewReader(bytes.NewReader(data))
		_, err := want.ReadFrom(r)
		if err != nil || want.Len() != int(size) || int(size) > layout.MostPacked*len(data) {
			want.Reset()
		}
		if got != want.String() {
			t.Errorf("%q, want %q, %v", got, want.String(), err)
		}
	})
}
