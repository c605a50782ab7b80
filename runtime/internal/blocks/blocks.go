// Package blocks allocates the blocks of a run's data file, in order.
//
//	var s blocks.Space
//	header := s.Open(file, first, &arena, warn) // first is the first piece of the file, or nil
//	b := s.New(layout.BlockCell, shard, layout.CellSize)
//	… // fill it in
//	s.Publish(b)
//	problem := s.Complete(true)
//
// The file is mapped in pieces. A block for which it has no room, and cannot grow, is in memory
// only. Readers see a block when it is published. One goroutine at a time may use a Space.
package blocks

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/layout"
)

// A Space is the data file of a run, or memory in its place. The zero Space has no room.
type Space struct {
	file   *datafile.File
	arena  *Arena
	warn   func(string)
	header unsafe.Pointer

	next    unsafe.Pointer // free part of the current piece
	free    uintptr
	pieces  [][]byte
	open    bool    // there is a data file, and it is not complete
	inFile  bool    // the latest block is in the file
	refused uintptr // size by which the file could not grow; 0 if it never failed
}

const (
	// FirstPiece is the size of the first piece of a file.
	FirstPiece = 256 << 10

	// Page is the page size of the system's file cache, or a divisor of it. Pieces are multiples.
	Page = 4 << 10

	maxPiece = 4 << 20
)

// Open begins with the header, which it returns, at the beginning of first, or of memory from the
// arena if first is nil; it returns nil if there is none. warn is called, once, if the file cannot
// grow.
//
//go:norace
//go:nocheckptr
func (s *Space) Open(file *datafile.File, first []byte, arena *Arena, warn func(string)) (header unsafe.Pointer) {
	*s = Space{file: file, arena: arena, warn: warn, open: first != nil}
	if first == nil {
		p := arena.New(FirstPiece)
		if p == nil {
			return nil
		}
		first = unsafe.Slice((*byte)(p), FirstPiece)
	}
	s.addPiece(first)
	s.header = s.next
	copy(first, layout.Magic)
	*(*uint32)(unsafe.Add(s.header, layout.OffVersion)) = layout.Version
	*(*uint32)(unsafe.Add(s.header, layout.OffHeaderSize)) = layout.HeaderSize
	s.next = unsafe.Add(s.header, layout.HeaderSize)
	s.free -= layout.HeaderSize
	atomic.StoreUint64(s.word(layout.OffUsed), layout.HeaderSize)
	return s.header
}

// InMemory returns a Space whose blocks are in the arena, and in no file.
func InMemory(arena *Arena) Space { return Space{arena: arena} }

//go:norace
func (s *Space) word(off uintptr) *uint64 { return (*uint64)(unsafe.Add(s.header, off)) }

// IsOpen reports whether there is a data file that is not complete.
//
//go:norace
func (s *Space) IsOpen() bool { return s.open }

// InFile reports whether the latest block is in the data file.
//
//go:norace
func (s *Space) InFile() bool { return s.inFile }

// Partial reports whether a block had no room in the data file.
//
//go:norace
func (s *Space) Partial() bool { return s.refused != 0 }

// Pieces returns the pieces in use.
//
//go:norace
func (s *Space) Pieces() [][]byte { return s.pieces }

// New returns a zeroed block of at least size bytes with its header filled in, not yet published,
// or nil if there is no memory left. No other block may be made before it is published.
//
//go:norace
//go:nocheckptr
func (s *Space) New(kind, shard uint32, size uintptr) unsafe.Pointer {
	p, size := s.Take(size)
	if p == nil {
		return nil
	}
	*(*uint32)(unsafe.Add(p, layout.OffBlockType)) = kind
	*(*uint32)(unsafe.Add(p, layout.OffBlockShard)) = shard
	*(*uint64)(unsafe.Add(p, layout.OffBlockSize)) = uint64(size)
	return p
}

// Publish makes the latest block, now complete, part of the file.
//
//go:norace
//go:noinline
func (s *Space) Publish(p unsafe.Pointer) {
	if s.inFile {
		atomic.AddUint64(s.word(layout.OffUsed), *(*uint64)(unsafe.Add(p, layout.OffBlockSize)))
	}
}

// A Head is the part of a block before its data.
type Head [layout.BlockAlign / 8]uint64

// Set sets the kind of the block and its size.
//
//go:norace
func (h *Head) Set(kind uint32, size uintptr) {
	*(*uint32)(unsafe.Pointer(&h[layout.OffBlockType/8])) = kind
	h[layout.OffBlockSize/8] = uint64(size)
}

// Bytes returns the memory of the head, which shows later changes, too.
//
//go:norace
func (h *Head) Bytes() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(h)), unsafe.Sizeof(*h)) }

// A Ref is an address in a block, 8 bytes on every platform. It is meaningless to readers of the
// file.
type Ref[T any] struct {
	_ [8 - unsafe.Sizeof(uintptr(0))]byte
	P *T
}

// Aligned returns the space that a block of size bytes takes.
//
//go:norace
func Aligned(size uintptr) uintptr { return (size + layout.BlockAlign - 1) &^ (layout.BlockAlign - 1) }

// Take returns the next free memory, at least size bytes, zeroed and not touched yet, and its size,
// for PublishParts; nil if there is no memory left.
//
//go:norace
//go:nocheckptr
func (s *Space) Take(size uintptr) (p unsafe.Pointer, taken uintptr) {
	size = Aligned(size)
	if s.inFile = s.hasRoom(size); !s.inFile {
		if s.arena == nil { // between two runs
			return nil, 0
		}
		if p = s.arena.New(size); p == nil {
			return nil, 0
		}
		return p, size
	}
	p = s.next
	s.next = unsafe.Add(p, size)
	s.free -= size
	return p, size
}

// PadToPage returns how many bytes have to follow size bytes for them to end at the end of a page of
// the file; 0 if they have no room there.
//
//go:norace
func (s *Space) PadToPage(size uintptr) uintptr {
	if !s.hasRoom(size) {
		return 0
	}
	return (s.free - size) % Page
}

// PublishParts makes one or several blocks part of the file: size bytes at p, the latest memory
// taken, which begin with the parts. The rest is already there, or zero. Programs may have many
// megabytes of text, and all of it is published at their start. So it is written with a system call
// where possible, which costs a fraction of touching every page of mapped memory for the first
// time.
//
//go:norace
//go:nocheckptr
func (s *Space) PublishParts(p unsafe.Pointer, size uintptr, parts [][]byte) {
	if !s.inFile || !s.file.WriteParts(size+s.free, parts) {
		for at, k := p, 0; k < len(parts); k++ {
			copy(unsafe.Slice((*byte)(at), len(parts[k])), parts[k])
			at = unsafe.Add(at, len(parts[k]))
		}
	}
	if s.inFile {
		atomic.AddUint64(s.word(layout.OffUsed), uint64(size))
	}
}

// hasRoom reports whether the data file has room for size bytes, and makes room if it can. The rest
// of the current piece then becomes padding, because the next piece is elsewhere in memory. A full
// disk may still have room for a smaller block.
//
//go:norace
func (s *Space) hasRoom(size uintptr) bool {
	if !s.open || size <= s.free {
		return s.open
	}
	least := (size + FirstPiece - 1) &^ (FirstPiece - 1)
	if s.refused != 0 && least >= s.refused {
		return false
	}
	want := uintptr(FirstPiece)
	for want < maxPiece && want < 2*uintptr(atomic.LoadUint64(s.word(layout.OffUsed))) {
		want *= 2
	}
	want = max(want, least)
	piece, problem := s.file.Grow(want)
	if problem != "" && want > least {
		want = least
		piece, problem = s.file.Grow(want)
	}
	if problem != "" {
		if s.refused == 0 {
			s.warn("the data file cannot grow: " + problem + "; what has no room in it is collected in memory only")
		}
		s.refused = least
		atomic.OrUint64(s.word(layout.OffFlags), layout.FlagPartial)
		return false
	}
	if s.free > 0 {
		s.Publish(s.New(layout.BlockPad, 0, s.free))
	}
	s.addPiece(piece)
	return true
}

//go:norace
//go:noinline
func (s *Space) addPiece(b []byte) {
	s.next, s.free = unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b))
	s.pieces = append(s.pieces, b)
}

// Complete completes the data file, if there is one: later blocks are in memory only. alone says
// that nothing else of the file is mapped in this process.
//
//go:norace
func (s *Space) Complete(alone bool) (problem string) {
	if s.open {
		problem = s.file.Complete(s.pieces, alone)
	}
	s.open = false
	return problem
}
