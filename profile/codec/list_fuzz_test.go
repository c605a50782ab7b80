package codec

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"github.com/markgen/markgen/profile"
)

// A profile file that can be read can be listed, and no bytes make List fail otherwise than by an error.
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

// sealed is the bytes with the magic, the version and the checksum of a profile file.
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
