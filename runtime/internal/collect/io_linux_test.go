package collect

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The values of io are the program's reads and writes, without reads of /proc/self/io and without
// writes passed to Wrote.
func TestIO(t *testing.T) {
	r, read := open(t, "io")
	writes, written := slices.Index(r.Values, "write_ops"), slices.Index(r.Values, "write_bytes")
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := make([]byte, 1000)
	write := func() {
		if _, err := f.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		about        string
		f            func()
		read, readOf uint64 // bytes, calls
		wrote, of    uint64
	}{
		{"nothing", func() {}, 0, 0, 0, 0},
		{"a write", write, 0, 0, 1000, 1},
		{"a write of ours", func() { write(); Wrote(len(text)) }, 0, 0, 0, 0},
		{"a write that failed", func() { Wrote(-1) }, 0, 0, 0, 0},
		{"a read", func() {
			if _, err := f.ReadAt(text[:100], 0); err != nil {
				t.Fatal(err)
			}
		}, 100, 1, 0, 0},
	} {
		for _, v := range []struct {
			value int
			want  uint64
		}{
			{slices.Index(r.Values, "read_bytes"), tt.read}, {slices.Index(r.Values, "read_ops"), tt.readOf}, {written, tt.wrote}, {writes, tt.of},
		} {
			if got := least(read, v.value, tt.f); got != v.want {
				t.Errorf("%s: %s grows by %d, want %d", tt.about, r.Values[v.value], got, v.want)
			}
		}
	}
}

// Only a text that begins like /proc/self/io, with all required numbers, is accepted.
func TestParseIO(t *testing.T) {
	const text = "rchar: 12\nwchar: 0\nsyscr: 18446744073709551615\nsyscw: 4\n"
	var into [4]uint64
	if !parseIO([]byte(text), into[:]) || into != [4]uint64{12, 0, 1<<64 - 1, 4} {
		t.Errorf("%q is read as %d", text, into)
	}
	for _, other := range []string{"", "rchar", "rchar: ", "rchar: 1", "wchar: 1\nrchar: 2\nsyscr: 3\nsyscw: 4\n", "rchar: 1\nwchar: x\nsyscr: 3\nsyscw: 4\n", text[:len(text)-1]} {
		if parseIO([]byte(other), into[:]) {
			t.Errorf("%q is read as %d", other, into)
		}
	}
}
