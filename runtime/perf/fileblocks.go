//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/layout"
)

// space allocates the blocks of the data file in order. The file is mapped in pieces. A block for
// which it has no room, and cannot grow, is in memory only. Guarded by the lock.
var space struct {
	next    unsafe.Pointer // free part of the current piece
	free    uintptr
	pieces  [][]byte
	file    datafile.File
	open    bool    // there is a data file, and it is not complete
	inFile  bool    // the latest block is in the file
	refused uintptr // size by which the file could not grow; 0 if it never failed
}

// header is the header page, in memory or in the file; nil before start and when inert.
var header unsafe.Pointer

func headerWord(off uintptr) *uint64 { return (*uint64)(unsafe.Add(header, off)) }

func setHeader(off uintptr, v uint64) { atomic.StoreUint64(headerWord(off), v) }

// setHeaderText stores s NUL-padded, cut to size-1 bytes.
//
//go:norace
//go:nocheckptr
func setHeaderText(off, size uintptr, s string) {
	b := unsafe.Slice((*byte)(unsafe.Add(header, off)), size)
	clear(b)
	copy(b[:size-1], s)
}

const (
	firstPiece = 256 << 10
	maxPiece   = 4 << 20
	filePage   = 4 << 10 // page size of the system's file cache, or a divisor of it
)

// newBlock returns a zeroed block of at least size bytes with its header filled in, not yet
// published, or nil if there is no memory left. The caller holds the lock until it has published
// the block.
//
//go:norace
//go:nocheckptr
func newBlock(kind, shard uint32, size uintptr) unsafe.Pointer {
	p, size := takeSpace(size)
	if p == nil {
		return nil
	}
	*(*uint32)(unsafe.Add(p, layout.OffBlockType)) = kind
	*(*uint32)(unsafe.Add(p, layout.OffBlockShard)) = shard
	*(*uint64)(unsafe.Add(p, layout.OffBlockSize)) = uint64(size)
	return p
}

// publish makes the latest block, now complete, part of the file.
func publish(p unsafe.Pointer) {
	if space.inFile {
		atomic.AddUint64(headerWord(layout.OffUsed), *(*uint64)(unsafe.Add(p, layout.OffBlockSize)))
	}
}

// A blockHead is the part of a block before its data.
type blockHead [layout.BlockAlign / 8]uint64

// set sets the kind of the block and its size.
//
//go:norace
func (h *blockHead) set(kind uint32, size uintptr) {
	*(*uint32)(unsafe.Pointer(&h[layout.OffBlockType/8])) = kind
	h[layout.OffBlockSize/8] = uint64(size)
}

// bytes returns the memory of the head, which shows later changes, too.
//
//go:norace
func (h *blockHead) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(h)), unsafe.Sizeof(*h))
}

// aligned returns the space that a block of size bytes takes.
//
//go:norace
func aligned(size uintptr) uintptr { return (size + layout.BlockAlign - 1) &^ (layout.BlockAlign - 1) }

// takeSpace returns the next free memory, at least size bytes, zeroed and not touched yet, and its
// size. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func takeSpace(size uintptr) (p unsafe.Pointer, taken uintptr) {
	size = aligned(size)
	if space.inFile = hasRoom(size); !space.inFile {
		if p = anonymous(size); p == nil {
			return nil, 0
		}
		return p, size
	}
	p = space.next
	space.next = unsafe.Add(p, size)
	space.free -= size
	return p, size
}

// publishParts makes one or several blocks part of the file: size bytes at p, the latest space
// taken, which begin with the parts. The rest is already there, or zero. Programs may have many
// megabytes of text, and all of it is published at their start. So it is written with a system call
// where possible, which costs a fraction of touching every page of mapped memory for the first
// time. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func publishParts(p unsafe.Pointer, size uintptr, parts [][]byte) {
	if !space.inFile || !space.file.WriteParts(size+space.free, parts) {
		for at, k := p, 0; k < len(parts); k++ {
			copy(unsafe.Slice((*byte)(at), len(parts[k])), parts[k])
			at = unsafe.Add(at, len(parts[k]))
		}
	}
	if space.inFile {
		atomic.AddUint64(headerWord(layout.OffUsed), uint64(size))
	}
}

// hasRoom reports whether the data file has room for size bytes, and makes room if it can. The rest
// of the current piece then becomes padding, because the next piece is elsewhere in memory. A full
// disk may still have room for a smaller block.
//
//go:norace
//go:nocheckptr
func hasRoom(size uintptr) bool {
	if !space.open || size <= space.free {
		return space.open
	}
	least := (size + firstPiece - 1) &^ (firstPiece - 1)
	if space.refused != 0 && least >= space.refused {
		return false
	}
	want := uintptr(firstPiece)
	for want < maxPiece && want < 2*uintptr(atomic.LoadUint64(headerWord(layout.OffUsed))) {
		want *= 2
	}
	want = max(want, least)
	piece, problem := space.file.Grow(want)
	if problem != "" && want > least {
		want = least
		piece, problem = space.file.Grow(want)
	}
	if problem != "" {
		if space.refused == 0 {
			complain("the data file cannot grow: " + problem + "; what has no room in it is collected in memory only")
		}
		space.refused = least
		atomic.OrUint64(headerWord(layout.OffFlags), layout.FlagPartial)
		return false
	}
	if space.free > 0 {
		publish(newBlock(layout.BlockPad, 0, space.free))
	}
	addPiece(piece)
	return true
}

func addPiece(b []byte) {
	space.next, space.free = unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b))
	space.pieces = append(space.pieces, b)
}

// openFile opens the data file of the run, under that path or in the spool dir, and returns its
// first piece, or nil if it cannot be opened.
func openFile(path, dir string) (first []byte, problem string) {
	first, taken, problem := space.file.Open(path, firstPiece, datafile.Options{Keeper: conf.Keeper, Spool: dir, Room: conf.Room})
	if taken != "" {
		complain(`MARKGEN: key "file": ` + taken + "; data go beside it, under the name with a number; give the name of a file that may be made")
	}
	return first, problem
}

// closeFile completes the data file, if there is one; it stays open to keep its lock. The caller
// holds the lock.
//
//go:norace
func closeFile() (problem string) {
	if !space.open {
		return ""
	}
	alone := true
	for i := range tables {
		alone = tables[i].keepPages() && alone
	}
	return space.file.Complete(space.pieces, alone)
}

// openSpace begins the space with the header, at the beginning of its first piece: first, from the
// data file, or else memory. It reports whether there is any.
//
//go:norace
//go:nocheckptr
func openSpace(first []byte) bool {
	space.open = first != nil
	if first == nil {
		p := anonymous(firstPiece)
		if p == nil {
			return false
		}
		first = unsafe.Slice((*byte)(p), firstPiece)
	}
	addPiece(first)
	header = space.next
	copy(first, layout.Magic)
	*(*uint32)(unsafe.Add(header, layout.OffVersion)) = layout.Version
	*(*uint32)(unsafe.Add(header, layout.OffHeaderSize)) = layout.HeaderSize
	space.next = unsafe.Add(header, layout.HeaderSize)
	space.free -= layout.HeaderSize
	setHeader(layout.OffUsed, layout.HeaderSize)
	return true
}
