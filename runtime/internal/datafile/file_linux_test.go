package datafile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// Bytes written to the file are visible where it is mapped.
func TestWriteParts(t *testing.T) {
	var f File
	first := begin(t, &f, filepath.Join(t.TempDir(), "data"), Options{})
	defer f.Close()
	const at = layout.HeaderSize + layout.BlockAlign
	if !f.WriteParts(firstSize-at, [][]byte{[]byte("one "), nil, []byte("two")}) || string(first[at:at+8]) != "one two\x00" {
		t.Errorf("%q", first[at:at+8])
	}
}

// A program may close a descriptor that it has not opened, and open another file under that number.
func TestClosedByProgram(t *testing.T) {
	dir := t.TempDir()
	var f File
	first := begin(t, &f, filepath.Join(dir, "data"), Options{})
	fd := f.fd
	other, err := os.Create(filepath.Join(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Dup3(int(other.Fd()), fd, 0); err != nil {
		t.Fatal(err)
	}
	if piece, problem := f.Grow(firstSize); piece != nil || problem != "its descriptor was closed by the program" {
		t.Errorf("%d bytes, %q", len(piece), problem)
	}
	if f.WriteParts(firstSize, [][]byte{[]byte("text")}) {
		t.Error("written")
	}
	if problem := f.Complete([][]byte{first}, true); problem != "" {
		t.Error(problem)
	}
	f.Close()
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || st.Size != 0 {
		t.Errorf("the other file has %d bytes, %v", st.Size, err)
	}
	syscall.Close(fd)
}
