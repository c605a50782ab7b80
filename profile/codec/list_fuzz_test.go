package codec

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"github.com/markgen/markgen/profile"
)

// A profile file that can be decoded can be listed, and List returns an error for any other bytes.
func FuzzList(f *testing.F) {
	for _, p := range []*profile.Profile{{}, {Main: "example.com/shop", CPU: "x", Version: "v1", Wild: &profile.Wild{}, Warnings: []string{"x"}}} {
		file, err := Encode(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		file = sealed(file)
		_, err := Decode(file, "fuzz")
		if err2 := List(io.Discard, file); err == nil && err2 != nil {
			t.Errorf("it can be read and not listed: %v", err2)
		}
	})
}

// sealed returns body with the magic, version and checksum of a profile file.
func sealed(file []byte) []byte {
	b := bytes.Clone(file)
	if len(b) < headSize {
		return b
	}
	copy(b, Magic)
	binary.LittleEndian.PutUint32(b[8:], version)
	binary.LittleEndian.PutUint32(b[12:], crc32.Checksum(b[headSize:], castagnoli))
	return b
}
