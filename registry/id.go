package registry

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// ID identifies a marker permanently. 0 is not a valid ID.
type ID uint64

// String returns the ID as 16 lower-case hexadecimal digits, as in all files and reports.
func (id ID) String() string {
	var digits [16]byte
	for i := range digits {
		digits[i] = "0123456789abcdef"[id>>(60-4*i)&15]
	}
	return string(digits[:])
}

// MarshalText encodes an ID as its 16 digits, also in JSON.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText parses the output of MarshalText.
func (id *ID) UnmarshalText(text []byte) error {
	got, err := ParseID(string(text))
	if err == nil {
		*id = got
	}
	return err
}

// ParseID parses the output of String. 0 is an error.
func ParseID(s string) (ID, error) {
	n, err := parseHex(s)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, fmt.Errorf("0 is not a marker ID")
	}
	return ID(n), nil
}

// parseHex parses exactly 16 lower-case hexadecimal digits.
func parseHex(s string) (uint64, error) {
	if len(s) != 16 || strings.Trim(s, "0123456789abcdef") != "" {
		return 0, fmt.Errorf("%q is not 16 lower-case hexadecimal digits", s)
	}
	return strconv.ParseUint(s, 16, 64)
}

// derive returns the ID of a new marker: the first 64 bits of the SHA-256 of its properties, each
// preceded by its length so that the encoding is unambiguous. IDs in taken are not used: salt
// counts the attempts, and the first attempt is without salt.
func derive(p *Point, ordinal int, taken map[ID]bool) ID {
	buf := make([]byte, 0, 256)
	part := func(s string) {
		buf = binary.AppendUvarint(buf, uint64(len(s)))
		buf = append(buf, s...)
	}
	part(p.Package)
	part(p.Func)
	part(p.Kind)
	part(p.Given)
	part(p.Header)
	buf = binary.AppendUvarint(buf, uint64(ordinal))
	for salt := uint64(0); ; salt++ {
		text := buf
		if salt > 0 {
			text = binary.AppendUvarint(text[:len(text):len(text)], salt)
		}
		sum := sha256.Sum256(text)
		if id := ID(binary.BigEndian.Uint64(sum[:])); id != 0 && !taken[id] {
			return id
		}
	}
}
