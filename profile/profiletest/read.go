package profiletest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// Load reads a file from memory. An unreadable header fails the test; other damage is in Warnings.
func Load(t testing.TB, file []byte) *profile.Profile {
	t.Helper()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "demo.markgen")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Encoded returns what is read from the encoding of p.
func Encoded(t testing.TB, p *profile.Profile) *profile.Profile {
	t.Helper()
	file, err := codec.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return Load(t, file)
}

// Named returns the marker with the name.
func Named(t testing.TB, p *profile.Profile, name string) *profile.Marker {
	t.Helper()
	for i := range p.Markers {
		if p.Markers[i].Name == name {
			return &p.Markers[i]
		}
	}
	t.Fatalf("no marker %q", name)
	return nil
}

// Timed returns a marker that has had calls with these times.
func Timed(t testing.TB, times []uint64) *profile.Marker {
	t.Helper()
	// The table of a package p with one file and a function F (package profile/table).
	const text = "p\tp\nf\tf.go\nm\t0000000000000001\tfunc\t0\t1\t1\t0\t-\t-\t1\tp.F\n"
	p := Load(t, Run{Tables: []Table{{Text: text, Times: map[int][]uint64{0: times}}}}.File())
	if len(p.Warnings) > 0 {
		t.Fatalf("%q", p.Warnings)
	}
	return &p.Markers[0]
}

// BlockAt returns the offset of the nth block of the kind; the first has n = 0.
func BlockAt(t testing.TB, file []byte, kind uint32, n int) int {
	t.Helper()
	for at := layout.HeaderSize; at < len(file); at += int(binary.LittleEndian.Uint64(file[at+layout.OffBlockSize:])) {
		if binary.LittleEndian.Uint32(file[at:]) == kind {
			if n == 0 {
				return at
			}
			n--
		}
	}
	t.Fatalf("no such block")
	return 0
}
