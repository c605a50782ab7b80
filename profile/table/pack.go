package table

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/markgen/markgen/runtime/layout"
)

// MaxText is the maximum number of bytes of a file that are read at once, such as the text of a
// table, and the maximum unpacked size of such a text. No real program comes near it. A profile of
// many programs may be up to four times as large.
const MaxText uint64 = 1 << (27 + 3*(^uint(0)>>63)) // 1 GB; 128 MB where an int has 32 bits

// mostTexts is the maximum size of a Cache in bytes of stored text.
const mostTexts = 64 << 20

// A Cache parses tables, and each only once: runs of one program have the same tables. The zero
// value is empty.
type Cache struct {
	tables map[string]*Table // by text as stored
	size   int               // bytes of the keys
}

// Parse parses the text of a table as stored in a file.
func (c *Cache) Parse(text []byte) (*Table, error) {
	if t := c.tables[string(text)]; t != nil {
		return t, nil
	}
	plain, err := Unpack(text)
	if err != nil {
		return nil, err
	}
	t := parse(plain)
	if len(text) > mostTexts {
		return t, nil
	}
	if c.size += len(text); c.tables == nil || c.size > mostTexts {
		c.tables, c.size = map[string]*Table{}, len(text)
	}
	c.tables[string(text)] = t
	return t, nil
}

// Pack returns the text of a table as stored in a file.
func Pack(text string) []byte {
	b := bytes.NewBuffer(binary.LittleEndian.AppendUint32([]byte{layout.PackedText}, uint32(len(text))))
	w, err := flate.NewWriter(b, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	// Writing to memory does not fail.
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	if b.Len() >= len(text) || len(text) > layout.MaxPacked*(b.Len()-layout.SizePackedHead) || leastStored(text) > uint64(b.Len()) {
		return []byte(text)
	}
	return b.Bytes()
}

// Unpack returns the plain text of a stored table. The text is at most layout.MaxPacked times as
// long as the stored one, and names at most as much as fits the stored size.
func Unpack(text []byte) (string, error) {
	plain, err := inflate(text)
	if least := leastStored(plain); err == nil && least > uint64(len(text)) {
		return "", fmt.Errorf("%d bytes that name what takes %d at least", len(text), least)
	}
	return plain, err
}

// leastStored returns the minimum stored size of a plain text in bytes.
func leastStored(text string) (n uint64) {
	for line := range strings.Lines(text) {
		switch kind, _, fields := strings.Cut(line, "\t"); {
		case kind == "m" || kind == "c":
			n += layout.MinMarker
		case fields:
			n += layout.MinLine
		}
	}
	return n
}

func inflate(text []byte) (string, error) {
	if len(text) == 0 || text[0] > layout.PackedSampled {
		return string(text), nil
	}
	if len(text) < layout.SizePackedHead {
		return "", errors.New("it ends in its head")
	}
	size := uint64(binary.LittleEndian.Uint32(text[1:]))
	data := text[layout.SizePackedHead:]
	if size > layout.MaxPacked*uint64(len(data)) {
		return "", fmt.Errorf("%d bytes can't become %d", len(data), size)
	}
	if size > MaxText {
		return "", fmt.Errorf("it would become %d bytes, and %d is the most", size, MaxText)
	}
	plain := make([]byte, size)
	r := flate.NewReader(bytes.NewReader(data))
	if _, err := io.ReadFull(r, plain); err != nil {
		return "", err
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return "", fmt.Errorf("it is longer than %d bytes", size)
	}
	return string(plain), nil
}
