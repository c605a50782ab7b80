package profile

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

// unpack gives the plain text of a table, which takes at most layout.MostPacked times the memory of
// what is in the file, and names no more than that has bytes for.
func unpack(text []byte) (string, error) {
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
	if size > mostText {
		return "", fmt.Errorf("it would become %d bytes, and %d is the most", size, mostText)
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
