package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/registry"
)

// relist returns the profile file described by the output of List.
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
	sections[1] = table.Pack(names.String())
	for _, s := range sections {
		b.section(func() { b = append(b, s...) })
	}
	copy(b, Magic)
	binary.LittleEndian.PutUint32(b[8:], version)
	binary.LittleEndian.PutUint32(b[12:], crc32.Checksum(b[headSize:], castagnoli))
	return b
}

// A list is complete: the file can be rebuilt from it.
func TestList(t *testing.T) {
	marker := func(id int) profile.Marker {
		m := profile.Marker{ID: registry.ID(id), Name: fmt.Sprintf("example.com/shop.f%03d", id), Package: "example.com/shop", Kind: "func", File: "main.go", Line: id, Col: 1,
			Runs: 2, Count: 7, Open: 1, SelfNS: 3, NestedNS: 2, MinNS: 4, MaxNS: 5, Ticks: 9, Buckets: []profile.Bucket{{K: 2, Count: 2, SumNS: 9, SumSq: profile.Uint128{Hi: 1, Lo: 41}}},
			Sample: 10, Samples: 2, Seen: 7, CountVar: profile.Uint128{Hi: 2, Lo: 3}, SumVar: profile.Uint128{Hi: 4, Lo: 5}, Unsure: true, Off: "enough", Levels: profile.Levels{TimedNS: 6, CountedNS: 7, OffNS: 8}, Notes: []string{"seen"},
			First:    profile.Firsts{MinNS: 4, MaxNS: 4, Buckets: []profile.Bucket{{K: 2, Count: 1, SumNS: 4, SumSq: profile.Uint128{Hi: 0, Lo: 16}}}},
			Sizes:    []profile.SizeBucket{{K: 1, Count: 1, SumSize: profile.Uint128{Hi: 0, Lo: 1}, SumNS: 4, SumSq: profile.Uint128{Hi: 0, Lo: 16}, Logged: 1, SumLog: 1100, SumLogSq: 1210000}},
			Readings: []profile.Reading{{Collector: "io", Scopes: 3, Dropped: 1, Values: []profile.Value{{Name: "bytes", Sum: 5, Self: 4, Nested: 1, Buckets: []profile.ValueBucket{{K: 2, Count: 1, Sum: 3, SumSq: profile.Uint128{Hi: 0, Lo: 9}}}, SelfBuckets: []profile.ValueBucket{{K: 1, Count: 1, Sum: 1, SumSq: profile.Uint128{Hi: 0, Lo: 1}}}}}}},
			Picks:    &profile.Picks{Runs: 3, Weight: profile.Uint128{Hi: 0, Lo: 2048}, Scopes: profile.Uint128{Hi: 0, Lo: 4096}, ScopesVar: profile.Uint128{Hi: 0, Lo: 1}}, AsOf: 99}
		m.Callers = []profile.Caller{{Marker: profile.Marker{ID: 77, Name: "example.com/shop.caller", Count: 2, MinNS: 4, MaxNS: 5, Buckets: m.Buckets}}}
		return m
	}
	full := &profile.Profile{App: "shop \"quoted\"", Run: "3 runs", Runs: 3, ElapsedNS: 12, GOOS: "linux", GOARCH: "amd64", Go: "go1.26.8", CPU: "x", Main: "example.com/shop",
		Version: "v1", State: "stopped", Lost: 2, BudgetPPM: 10_000, Sampling: &profile.Sampling{N: 10, Windows: 1, OpenNS: 2, NetNS: 3, OfNS: 4}, Wild: &profile.Wild{Runs: 1, Picked: 2, Of: 3, Loaded: 4, Full: 5, NoPlace: 6}, Trace: &profile.Traced{Records: 1, Lost: 2},
		Changes: []profile.Change{{AtNS: 1, From: "configured", To: "profiling", Cause: "begin", Marker: 3}}, Unlogged: 3, Warnings: []string{"of two\nlines"}, Pairs: &profile.Pairs{Runs: 1, Lost: 2, List: []profile.Pair{{1, 2}}}, Newest: 1e18,
		Clock: profile.Clock{Kind: "tsc", Hz: 2e9, QuantumNS: 0.5, ReadNS: 9, InsideNS: 10, WholeNS: 25}, Blocks: []profile.Block{{File: "example.com/shop/a.go", StartLine: 1, StartCol: 2, EndLine: 3, EndCol: 4, NumStmt: 5, Count: 6}}}
	for id := range 40 {
		full.Markers = append(full.Markers, marker(id+1))
	}
	full.Paths = profile.NewPaths([]profile.Path{{Parent: -1, ID: full.Markers[3].ID, Count: 2}, {Parent: 0, Count: 1}, {Parent: 0, ID: full.Markers[0].ID, Label: "a b", Go: true,
		Count: 3, SumNS: 4, NestedNS: 1, SelfNS: 2, Readings: full.Markers[0].Readings, Buckets: []profile.Bucket{{K: 1, Count: 2, SumNS: 2}, {K: 2, Count: 1, SumNS: 2}}}})
	for name, p := range map[string]*profile.Profile{"full": full, "empty": {}} {
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
