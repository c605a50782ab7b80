package overlay

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/iotest"
)

// The copy equals the original, wherever it has zeros, and long runs of zeros use no space.
func TestCopySparse(t *testing.T) {
	text := make([]byte, 100*holeSize+777)
	for i := range 5000 {
		text[i] = 1
	}
	text[50*holeSize-1], text[70*holeSize] = 1, 1
	for _, size := range []int{0, 1, 5000, 10 * holeSize, 50 * holeSize, 50*holeSize + 1, 71 * holeSize, len(text)} {
		for _, offset := range []int64{0, 4096, 12345} {
			f, err := os.Create(filepath.Join(t.TempDir(), "copy"))
			if err != nil {
				t.Fatal(err)
			}
			n, err := copySparse(f, offset, bytes.NewReader(text[:size]))
			if err != nil || n != int64(size) {
				t.Fatalf("%d bytes at %d: %d, %v", size, offset, n, err)
			}
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(f.Name())
			if err != nil || !bytes.Equal(got, append(make([]byte, offset), text[:size]...)) {
				t.Errorf("%d bytes at %d: the copy is another, %v", size, offset, err)
			}
			if blocks := info.Sys().(*syscall.Stat_t).Blocks * 512; blocks > 5*holeSize {
				t.Errorf("%d bytes at %d take %d", size, offset, blocks)
			}
			f.Close()
		}
	}
	failing := errors.New("the disk has an error")
	f, err := os.Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := copySparse(f, 0, iotest.ErrReader(failing)); !errors.Is(err, failing) {
		t.Error(err)
	}
}

func TestCopySparseRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		text := make([]byte, rnd.IntN(20*holeSize))
		for range rnd.IntN(10) {
			if len(text) > 0 {
				text[rnd.IntN(len(text))] = 1
			}
		}
		f, err := os.Create(filepath.Join(t.TempDir(), "copy"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = copySparse(f, 0, iotest.HalfReader(bytes.NewReader(text)))
		got, read := os.ReadFile(f.Name())
		if f.Close(); err != nil || read != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes: the copy is another, %v, %v", len(text), err, read)
		}
	}
}
