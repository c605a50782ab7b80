package blocks

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/layout"
)

// Blocks follow each other in the file, also where it has grown, and only published ones count.
func TestSpace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	var f datafile.File
	first, _, problem := f.Open(path, FirstPiece, datafile.Options{})
	if problem != "" {
		t.Fatal(problem)
	}
	var s Space
	var arena Arena
	if s.Open(&f, first, &arena, func(what string) { t.Error(what) }) == nil {
		t.Fatal("no header")
	}
	want := map[uint32]int{}
	for i := range 100 {
		kind, size := uint32(layout.BlockCell), uintptr(1+997*i)
		if i%10 == 9 {
			kind = layout.BlockTable
			p, taken := s.Take(size)
			var h Head
			h.Set(kind, taken)
			s.PublishParts(p, taken, [][]byte{h.Bytes(), []byte("text")})
		} else {
			s.Publish(s.New(kind, 7, size))
		}
		if !s.InFile() {
			t.Fatalf("block %d is not in the file", i)
		}
		want[kind]++
	}
	if s.New(layout.BlockCell, 0, 64) == nil {
		t.Fatal("no memory")
	} // never published
	if problem := s.Complete(false); problem != "" || s.IsOpen() || s.Partial() {
		t.Fatalf("%q", problem)
	}
	f.Close()

	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if used := binary.NativeEndian.Uint64(data[layout.OffUsed:]); used != uint64(len(data)) {
		t.Errorf("%d bytes are used of %d", used, len(data))
	}
	got := map[uint32]int{}
	for at := uint64(layout.HeaderSize); at < uint64(len(data)); at += binary.NativeEndian.Uint64(data[at+layout.OffBlockSize:]) {
		if kind := binary.NativeEndian.Uint32(data[at:]); kind != layout.BlockPad {
			got[kind]++
		}
	}
	if len(got) != len(want) || got[layout.BlockCell] != want[layout.BlockCell] || got[layout.BlockTable] != want[layout.BlockTable] {
		t.Errorf("blocks by kind %v, want %v", got, want)
	}
}

// What has no room in the file is in memory, and the user is told once.
func TestNoRoom(t *testing.T) {
	var s Space
	var arena Arena
	var f datafile.File // it cannot grow
	warnings := 0
	header := s.Open(&f, make([]byte, FirstPiece), &arena, func(string) { warnings++ })
	for range 100 {
		if s.Publish(s.New(layout.BlockCell, 0, FirstPiece/10)); !s.IsOpen() {
			t.Fatal("closed")
		}
	}
	if used := *(*uint64)(unsafe.Add(header, layout.OffUsed)); warnings != 1 || !s.Partial() || s.InFile() || used >= FirstPiece {
		t.Errorf("%d warnings, partial %t, in the file %t, %d bytes used", warnings, s.Partial(), s.InFile(), used)
	}
	if s.PadToPage(2*FirstPiece) != 0 {
		t.Error("padded without room")
	}
}

// Without a file all blocks are in memory.
func TestInMemory(t *testing.T) {
	var s Space
	if s.New(layout.BlockCell, 0, layout.CellSize) != nil {
		t.Error("a block of no run")
	}
	var arena Arena
	if s.Open(nil, nil, &arena, nil) == nil || s.IsOpen() || s.New(layout.BlockCell, 0, 4<<20) == nil || s.InFile() {
		t.Error("no block in memory")
	}
	if problem := s.Complete(true); problem != "" {
		t.Error(problem)
	}
}
