package overlay

import (
	"bytes"
	"io"
	"os"
)

// Blocks of holeSize zero bytes, at multiples of it, are not written: a ring for trace records that
// was not filled is mostly zeros.
const holeSize = 64 << 10

// copySparse writes text to a new file from an offset on, with holes for long runs of zeros, and
// returns the number of bytes, including holes.
func copySparse(f *os.File, offset int64, text io.Reader) (n int64, err error) {
	part, zeros := make([]byte, holeSize), make([]byte, holeSize)
	for {
		k, err := io.ReadFull(text, part)
		if !bytes.Equal(part[:k], zeros[:k]) {
			if _, err := f.WriteAt(part[:k], offset+n); err != nil {
				return n, err
			}
		}
		n += int64(k)
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return n, f.Truncate(offset + n)
		default:
			return n, err
		}
	}
}
