package registry

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// ID identifies a marker for good. 0 is no ID.
type ID uint64

// String returns the ID as 16 lower-case hexadecimal digits, the form it has in every file and report.
func (id ID) String() string {
	var digits [16]byte
	for i := range digits {
		digits[i] = "0123456789abcdef"[id>>(60-4*i)&15]
	}
	return string(digits[:])
}

// MarshalText makes an ID its 16 digits in JSON.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (id *ID) UnmarshalText(text []byte) error {
	got, err := ParseID(string(text))
	if err == nil {
		*id = got
	}
	return err
}

// ParseID reads what String writes. 0 is refused.
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

// parseHex reads exactly 16 lower-case hexadecimal digits.
func parseHex(s string) (uint64, error) {
	if len(s) != 16 || strings.Trim(s, "0123456789abcdef") != "" {
		return 0, fmt.Errorf("%q is not 16 lower-case hexadecimal digits", s)
	}
	return strconv.ParseUint(s, 16, 64)
}

// derive returns the ID a marker is born with: the first 64 bits of the SHA-256 of its parts, each with its length
// before it so that no two lists of parts read alike. taken are the IDs that may not be used; salt counts the
// attempts, and stays out of the hash at the first one.
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
