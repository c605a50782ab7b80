//go:build !plan9

package datafile

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

const firstSize = 256 << 10

// begin opens a data file and writes a header, and one block after it.
func begin(t *testing.T, f *File, path string, o Options) []byte {
	t.Helper()
	first, taken, problem := f.Open(path, firstSize, o)
	if len(first) != firstSize || taken != "" || problem != "" {
		t.Fatalf("%d bytes, taken %q, problem %q", len(first), taken, problem)
	}
	copy(first, layout.Magic)
	*word(first, layout.OffStartWall) = 1
	block(first[layout.HeaderSize:], 7)
	*word(first, layout.OffUsed) = layout.HeaderSize + layout.BlockAlign
	return first
}

// block makes a small block with a number in it.
func block(b []byte, number uint64) {
	*(*uint32)(unsafe.Pointer(&b[layout.OffBlockType])) = layout.BlockAlias
	*word(b, layout.OffBlockSize) = layout.BlockAlign
	*word(b, layout.OffAliasTo) = number
}

// A complete file has the used part of its pieces, and checksums of all of it.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	var f File
	first := begin(t, &f, path, Options{})
	more, problem := f.Grow(1 << 20)
	if len(more) != 1<<20 || problem != "" {
		t.Fatalf("%d bytes, %q", len(more), problem)
	}
	rest := first[layout.HeaderSize+layout.BlockAlign:]
	*(*uint32)(unsafe.Pointer(&rest[layout.OffBlockType])) = layout.BlockPad
	*word(rest, layout.OffBlockSize) = uint64(len(rest))
	block(more, 8)
	*word(first, layout.OffUsed) = firstSize + layout.BlockAlign
	if problem := f.Complete([][]byte{first, more}, true); problem != "" {
		t.Fatal(problem)
	}
	*word(more, layout.OffAliasTo) = 9 // as a goroutine may that has not noticed the end
	f.Close()

	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	used, sums := *word(b, layout.OffUsed), *word(b, layout.OffSums)
	if used != uint64(len(b)) || sums == 0 && len(b) != firstSize+layout.BlockAlign {
		t.Fatalf("%d of %d bytes used, %d of checksums", used, len(b), sums)
	}
	if sums == 0 {
		if runtime.GOOS == "linux" {
			t.Error("no checksums")
		}
		return
	}
	if got := *word(b[firstSize:], layout.OffAliasTo); got != 8 {
		t.Errorf("the last block has %d", got)
	}
	file, own := b[:used-sums], b[used-sums:]
	for k, at := range []int{layout.HeaderSize, layout.HeaderSize + layout.BlockAlign, firstSize} {
		size := *word(file[at:], layout.OffBlockSize)
		if *word(own, layout.OffSumsData+8*uintptr(k)) != layout.SumBlock(*(*uint32)(unsafe.Pointer(&file[at])), file[at:at+int(size)]) {
			t.Errorf("block %d has another checksum", k)
		}
	}
	if *word(own, layout.OffSumsLen) != 3 || *word(own, layout.OffSumsHeader) != layout.SumHeader(file[:layout.HeaderSize]) {
		t.Error("the header has another checksum, or there are more blocks")
	}
}

// ReadAll reads a complete file, or says why it cannot.
func TestReadAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "text")
	want := bytes.Repeat([]byte("0123456789"), 10_000)
	if err := os.WriteFile(path, want, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, problem := ReadAll(path); !bytes.Equal(text, want) || problem != "" {
		t.Errorf("%d bytes, %q", len(text), problem)
	}
	if _, problem := readAtMost(len(want)-1, path, false); problem != "it is too long" {
		t.Errorf("%q", problem)
	}
	if _, problem := ReadAll(filepath.Join(dir, "none")); !NoFile(problem) {
		t.Errorf("a file that there is not: %q", problem)
	}
	if _, problem := ReadAll(dir); problem == "" || NoFile(problem) {
		t.Errorf("a directory: %q", problem)
	}
}

// WriteWhole replaces a file, and leaves no other file behind.
func TestWriteWhole(t *testing.T) {
	t.Cleanup(func() { OnWrite = func(int) {} })
	written := 0
	OnWrite = func(n int) { written += n }
	dir := t.TempDir()
	path := filepath.Join(dir, "report")
	for _, text := range []string{"a long text", "text"} {
		if problem := WriteWhole(path, []byte(text)); problem != "" {
			t.Fatal(problem)
		}
		if b, err := os.ReadFile(path); string(b) != text {
			t.Errorf("%q, %v", b, err)
		}
	}
	if written != len("a long texttext") {
		t.Errorf("told of %d bytes", written)
	}
	if problem := WriteWhole(filepath.Join(dir, "none", "report"), nil); problem == "" {
		t.Error("written to a directory that there is not")
	}
	if list, err := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

// Absolute agrees with package path/filepath.
func TestAbsolute(t *testing.T) {
	want, err := filepath.Abs("a")
	if got := Absolute("a"); err != nil || got != want || Absolute(got) != want {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
}

// A spool is created with its parents, and refuses files when it is full.
func TestSpool(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "spool")
	var f File
	begin(t, &f, dir+"/run", Options{Spool: dir, Room: 100})
	defer f.Close()
	if err := os.WriteFile(filepath.Join(dir, layout.SpoolHeld), []byte("101\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 2; n++ {
		var g File
		first, _, problem := g.Open(dir+"/other", firstSize, Options{Spool: dir, Room: 100})
		if want := dir + " holds more than the 100 bytes that it may; run markgen push " + dir; first != nil || problem != want {
			t.Fatalf("%d bytes, %q, want %q", len(first), problem, want)
		}
		if b, err := os.ReadFile(filepath.Join(dir, layout.SpoolRefusals)); string(b) != strings.Repeat("+", n) {
			t.Errorf("refusals %q, %v", b, err)
		}
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var g File
	if first, _, problem := g.Open(path+"/deep/run", firstSize, Options{Spool: path + "/deep"}); first != nil || !strings.HasPrefix(problem, "cannot be "+path+"/deep: ") {
		t.Errorf("%d bytes, %q", len(first), problem)
	}
}
