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

// MostText is how many bytes of a file are looked at as one thing, as the text of a table is, and what such a text
// may become when it is unpacked. No program comes near it. Profiles of many have up to four times as much.
const MostText uint64 = 1 << (27 + 3*(^uint(0)>>63)) // 1 GB; 128 MB where an int has 32 bits

// mostTexts is how many bytes of tables are remembered.
const mostTexts = 64 << 20

// A Cache reads tables as files have them, and each only once: runs of one program have the same tables. The zero value
// is empty.
type Cache struct {
	tables map[string]*Table // by what files have for it
	size   int               // bytes of the keys
}

// Parse is what the text of a table says, as a file has it.
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

// Pack is the text of a table as a file has it.
func Pack(text string) []byte {
	b := bytes.NewBuffer(binary.LittleEndian.AppendUint32([]byte{layout.PackedText}, uint32(len(text))))
	w, err := flate.NewWriter(b, flate.BestSpeed)
	if err != nil {
		panic(err) // there is no such level
	}
	// Writing to memory does not fail.
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	if b.Len() >= len(text) || len(text) > layout.MostPacked*(b.Len()-layout.SizePackedHead) || leastStored(text) > uint64(b.Len()) {
		return []byte(text)
	}
	return b.Bytes()
}

// Unpack gives the plain text of a table, which takes at most layout.MostPacked times the memory of
// what is in the file, and names no more than that has bytes for.
func Unpack(text []byte) (string, error) {
	plain, err := inflate(text)
	if least := leastStored(plain); err == nil && least > uint64(len(text)) {
		return "", fmt.Errorf("%d bytes that name what takes %d at least", len(text), least)
	}
	return plain, err
}

// leastStored is how many bytes a plain text takes at least in a file.
func leastStored(text string) (n uint64) {
	for line := range strings.Lines(text) {
		switch kind, _, fields := strings.Cut(line, "\t"); {
		case kind == "m" || kind == "c":
			n += layout.LeastMarker
		case fields:
			n += layout.LeastLine
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
	if size > layout.MostPacked*uint64(len(data)) {
		return "", fmt.Errorf("%d bytes can't become %d", len(data), size)
	}
	if size > MostText {
		return "", fmt.Errorf("it would become %d bytes, and %d is the most", size, MostText)
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
