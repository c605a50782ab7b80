package runfile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/runtime/layout"
)

// damage is an error about a place in a data file.
type damage struct {
	file   string
	offset uint64
	what   string
}

func (d *damage) Error() string {
	return fmt.Sprintf("%s: offset %d: %s", d.file, d.offset, d.what)
}

// input reads a data file through a window of bounded size. Lengths in the file never decide how
// much memory is allocated.
type input struct {
	r     io.ReaderAt
	name  string
	size  uint64 // of the file
	order byteOrder

	window []byte // bytes of the file from start on, in buf
	start  uint64
	buf    []byte
	ahead  uint64 // how much to read at once for now; 0 for windowSize
}

// byteOrder is the byte order of the machine that wrote the file. (A binary.ByteOrder would cost a
// call per word.)
type byteOrder struct{ big bool }

func (o byteOrder) Uint32(b []byte) uint32 {
	if o.big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func (o byteOrder) Uint64(b []byte) uint64 {
	if o.big {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

// windowSize is the number of bytes read at once; a larger request is read as a whole.
const windowSize = 1 << 18

// smallWindow is the number of bytes read at the start of a block that follows a large one: it is likely
// to be large, too, and most of a large block is never read.
const smallWindow = 4 << 10

// bytes returns n bytes at the offset, valid until the next call. The caller must check that they
// lie within the file's size; if the file has become shorter since, bytes returns an error.
func (in *input) bytes(offset, n uint64) ([]byte, error) {
	if offset < in.start || offset+n > in.start+uint64(len(in.window)) {
		want := min(max(n, cmp.Or(in.ahead, windowSize)), in.size-min(offset, in.size))
		if want < n {
			return nil, in.damaged(offset, "the file ends here; it was cut off")
		}
		err := in.fill(offset, int(want))
		if got := uint64(len(in.window)); got < n {
			if err == io.EOF {
				return nil, in.damaged(offset+got, "the file ends here; it was cut off")
			}
			return nil, in.damaged(offset+got, "%v", err)
		}
	}
	return in.window[offset-in.start:][:n], nil
}

// fill reads want bytes at the offset into the window. The buffer grows with the bytes read, since
// the file may be shorter than its stated size.
func (in *input) fill(offset uint64, want int) (err error) {
	in.buf, in.start = in.buf[:0], offset
	for had := 0; had < want && err == nil; had = len(in.buf) {
		to := min(want, max(windowSize, 2*had, cap(in.buf)))
		in.buf = slices.Grow(in.buf, to-had)
		var got int
		got, err = in.r.ReadAt(in.buf[had:to], int64(offset)+int64(had))
		in.buf = in.buf[:had+got]
	}
	in.window = in.buf
	return err
}

// readAt fills b from the offset on. It bypasses the window.
func (in *input) readAt(b []byte, offset uint64) error {
	got, err := in.r.ReadAt(b, int64(offset))
	switch {
	case got == len(b):
		return nil
	case err == io.EOF:
		return in.damaged(offset+uint64(got), "the file ends here; it was cut off")
	}
	return in.damaged(offset+uint64(got), "%v", err)
}

func (in *input) damaged(offset uint64, format string, args ...any) error {
	return &damage{in.name, offset, fmt.Sprintf(format, args...)}
}

// block is a block of a data file.
type block struct {
	kind   uint32
	shard  uint32
	offset uint64
	size   uint64 // including its header
}

// blocks calls visit for every block between the header and end, in order. It stops with an error
// where the chain of blocks is broken. visit may read the file.
func (in *input) blocks(end uint64, visit func(block)) error {
	return in.blocksFrom(layout.HeaderSize, end, visit)
}

// blocksFrom is like blocks from an offset on, which must be the start of a block.
func (in *input) blocksFrom(offset, end uint64, visit func(block)) error {
	defer func() { in.ahead = 0 }()
	for offset < end {
		if end-offset < layout.BlockHeader {
			return in.damaged(offset, "%d bytes are left, too few for a block; what follows is lost", end-offset)
		}
		head, err := in.bytes(offset, layout.BlockHeader)
		if err != nil {
			return err
		}
		b := block{
			kind:   in.order.Uint32(head[layout.OffBlockType:]),
			shard:  in.order.Uint32(head[layout.OffBlockShard:]),
			offset: offset,
			size:   in.order.Uint64(head[layout.OffBlockSize:]),
		}
		if b.size < layout.BlockHeader || b.size%8 != 0 {
			return in.damaged(offset, "a block of %d bytes can't be; what follows is lost", b.size)
		}
		if b.size > end-offset {
			return in.damaged(offset, "a block of %d bytes where %d are left; what follows is lost", b.size, end-offset)
		}
		visit(b)
		offset += b.size
		if in.ahead = 0; b.size >= windowSize/4 {
			in.ahead = smallWindow
		}
	}
	return nil
}

// content returns the first n bytes of the block.
func (in *input) content(b block, n uint64) ([]byte, error) {
	if n > b.size {
		return nil, in.damaged(b.offset, "a block of %d bytes that should have %d; it is left out", b.size, n)
	}
	if n > table.MaxText {
		return nil, in.damaged(b.offset, "a block of which %d bytes would have to be read at once, and %d is the most; it is left out", n, table.MaxText)
	}
	return in.bytes(b.offset, n)
}

// each calls visit with the n elements of size bytes at the offset, as many at a time as fit the
// window.
func (in *input) each(offset, n, size uint64, visit func(data []byte)) error {
	for n > 0 {
		some := min(n, windowSize/size)
		data, err := in.bytes(offset, some*size)
		if err != nil {
			return err
		}
		visit(data)
		offset, n = offset+some*size, n-some
	}
	return nil
}
