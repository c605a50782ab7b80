package profile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/markgen/markgen/registry"
)

// relist makes a profile file of what List wrote of one.
func relist(t *testing.T, list string) []byte {
	t.Helper()
	b := make(encoder, headSize)
	var sections []encoder
	var names strings.Builder
	for line := range strings.Lines(list) {
		form, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if form == "section" {
			sections = append(sections, nil)
			continue
		}
		to := &sections[len(sections)-1]
		var err error
		var n uint64
		var i int64
		var s string
		switch form {
		case "uint":
			_, err = fmt.Sscan(rest, &n)
			to.uint(n)
		case "int":
			_, err = fmt.Sscan(rest, &i)
			to.int(i)
		case "word":
			_, err = fmt.Sscanf(rest, "%x", &n)
			to.word(n)
		case "text":
			_, err = fmt.Sscanf(rest, "%q", &s)
			to.text(s)
		case "line":
			_, err = fmt.Sscanf(rest, "%q", &s)
			names.WriteString(s + "\n")
		default:
			t.Fatalf("a line %q", line)
		}
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	sections[1] = Pack(names.String())
	for _, s := range sections {
		b.section(func() { b = append(b, s...) })
	}
	copy(b, Magic)
	binary.LittleEndian.PutUint32(b[8:], version)
	binary.LittleEndian.PutUint32(b[12:], crc32.Checksum(b[headSize:], castagnoli))
	return b
}

// A list has all of the file: the file can be made from it again.
func TestList(t *testing.T) {
	marker := func(id int) Marker {
		m := Marker{ID: registry.ID(id), Name: fmt.Sprintf("example.com/shop.f%03d", id), Package: "example.com/shop", Kind: "func", File: "main.go", Line: id, Col: 1,
			Runs: 2, Count: 7, Open: 1, SelfNS: 3, NestedNS: 2, MinNS: 4, MaxNS: 5, Ticks: 9, Buckets: []Bucket{{K: 2, Count: 2, SumNS: 9, SumSq: Uint128{1, 41}}},
			Sample: 10, Samples: 2, Seen: 7, CountVar: Uint128{2, 3}, SumVar: Uint128{4, 5}, Unsure: true, Off: "enough", Notes: []string{"seen"},
			First:    Firsts{4, 4, []Bucket{{K: 2, Count: 1, SumNS: 4, SumSq: Uint128{0, 16}}}},
			Sizes:    []SizeBucket{{K: 1, Count: 1, SumSize: Uint128{0, 1}, SumNS: 4, SumSq: Uint128{0, 16}, Logged: 1, SumLog: 1100, SumLogSq: 1210000}},
			Readings: []Reading{{"io", 3, 1, []Value{{"bytes", 5, 4, 1, []ValueBucket{{2, 1, 3, Uint128{0, 9}}}, []ValueBucket{{1, 1, 1, Uint128{0, 1}}}}}}},
			Picks:    &Picks{3, Uint128{0, 2048}, Uint128{0, 4096}, Uint128{0, 1}}, AsOf: 99}
		m.Callers = []Caller{{Marker: Marker{ID: 77, Name: "example.com/shop.caller", Count: 2, MinNS: 4, MaxNS: 5, Buckets: m.Buckets}}}
		return m
	}
	full := &Profile{App: "shop \"quoted\"", Run: "3 runs", Runs: 3, ElapsedNS: 12, GOOS: "linux", GOARCH: "amd64", Go: "go1.26.8", CPU: "x", Main: "example.com/shop",
		Version: "v1", State: "stopped", Lost: 2, Sampling: &Sampling{10, 1, 2, 3, 4}, Wild: &Wild{1, 2, 3, 4, 5, 6}, Trace: &Traced{1, 2},
		Changes: []Change{{1, "configured", "profiling", "begin", 3}}, Unlogged: 3, Warnings: []string{"of two\nlines"}, Pairs: &Pairs{1, 2, []Pair{{1, 2}}}, Newest: 1e18,
		Clock: Clock{"tsc", 2e9, 0.5, 9, 10, 25}, Blocks: []Block{{"example.com/shop/a.go", 1, 2, 3, 4, 5, 6}}}
	for id := range 40 {
		full.Markers = append(full.Markers, marker(id+1))
	}
	for name, p := range map[string]*Profile{"full": full, "empty": {}} {
		file, err := Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		var list bytes.Buffer
		if err := List(&list, file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again := relist(t, list.String()); !bytes.Equal(again, file) {
			t.Errorf("%s: the list of %d bytes makes %d others", name, len(file), len(again))
		}
		for i := range file {
			broken := bytes.Clone(file)
			broken[i] ^= 1
			if err := List(&list, broken); err == nil && i > 16 {
				t.Fatalf("%s: byte %d was changed, and it is listed", name, i)
			}
		}
	}
}
