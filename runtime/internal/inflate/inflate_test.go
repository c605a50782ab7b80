package inflate

import (
	"bytes"
	"compress/flate"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// packed packs a text at a level of compress/flate.
func packed(t testing.TB, text string, level int) string {
	t.Helper()
	var b bytes.Buffer
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

func TestInflate(t *testing.T) {
	source, err := os.ReadFile("inflate.go")
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	for _, text := range []string{"", "m", "p\tdemo\n", string(source), string(noise), string(source) + string(noise[:500]) + string(source),
		strings.Repeat("abc", 40), strings.Repeat("a", 1<<20)} {
		for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
			data := packed(t, text, level)
			if got, ok := Inflate(data, len(text)); got != text || !ok {
				t.Errorf("level %d: %d bytes became %d, %t", level, len(text), len(got), ok)
			}
			for _, size := range []int{len(text) - 1, len(text) + 1} {
				if got, ok := Inflate(data, max(size, 0)); ok && size >= 0 {
					t.Errorf("level %d: %d bytes became %d, which were asked for", level, len(text), len(got))
				}
			}
			for range 20 { // cut off
				if got, ok := Inflate(data[:rand.IntN(len(data))], len(text)); ok || got != "" {
					t.Errorf("level %d: part of %d bytes became %d", level, len(text), len(got))
				}
			}
		}
	}
}

// FuzzInflate: what compress/flate takes is taken and what it refuses is refused.
func FuzzInflate(f *testing.F) {
	for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
		f.Add(uint32(100), []byte(packed(f, strings.Repeat("p\tdemo\n", 10)+"abcdefghijklmnopqrstuvwxyz0123", level)))
	}
	f.Fuzz(func(t *testing.T, size uint32, data []byte) {
		size %= 1 << 20
		got, ok := Inflate(string(data), int(size))
		var want bytes.Buffer
		_, err := want.ReadFrom(flate.NewReader(bytes.NewReader(data)))
		wanted := err == nil && want.Len() == int(size)
		if !wanted {
			want.Reset()
		}
		if got != want.String() || ok != wanted {
			t.Errorf("%q, %t, want %q, %v", got, ok, want.String(), err)
		}
	})
}
