package codec_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/registry"
)

// Decoding returns what was encoded, and sums of files do not depend on earlier merges.
func TestProfileFile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		var runs []*profile.Profile
		for range 2 + rnd.IntN(4) {
			runs = append(runs, profiletest.Load(t, profiletest.RandomRun(rnd).File()))
		}
		want := profile.Merge(runs)
		if diff := cmp.Diff(want, profiletest.Encoded(t, want)); diff != "" {
			t.Fatalf("(-written +read)\n%s", diff)
		}
		if diff := cmp.Diff(runs[0], profiletest.Encoded(t, runs[0])); diff != "" {
			t.Fatalf("of one run (-written +read)\n%s", diff)
		}
		cut := 1 + rnd.IntN(len(runs)-1)
		var sum profile.Sum
		sum.Add(profiletest.Encoded(t, profile.Merge(runs[cut:])))
		sum.Add(profiletest.Encoded(t, profile.Merge(runs[:cut])))
		if diff := cmp.Diff(want, sum.Profile()); diff != "" {
			t.Fatalf("in parts (-want +got)\n%s", diff)
		}
	}
	limited := profiletest.Random(5, 1)
	limited.BudgetPPM, limited.Markers[3].Levels = 10_000, profile.Levels{TimedNS: 1, CountedNS: 2, OffNS: 3}
	for _, p := range []*profile.Profile{{}, {Runs: 1}, limited, profiletest.Random(500, 1), profiletest.Load(t, profiletest.DemoRead().File()), profiletest.Load(t, profiletest.Demo().File()), profiletest.Load(t, profiletest.DemoWild().File())} {
		if diff := cmp.Diff(profile.Merge([]*profile.Profile{p}), profiletest.Encoded(t, p)); diff != "" {
			t.Errorf("(-written +read)\n%s", diff)
		}
	}
}

// Files of both kinds add up, by every API.
func TestAddFile(t *testing.T) {
	dir, rnd := t.TempDir(), rand.New(rand.NewPCG(9, 10))
	var sum runfile.Sum
	var runs []*profile.Profile
	for i := range 50 {
		file := filepath.Join(dir, string(rune('a'+i)))
		run := profiletest.RandomRun(rnd).File()
		p := profiletest.Load(t, run)
		p.Warnings = nil // they contain the file name
		runs = append(runs, p)
		if i%2 == 0 {
			if err := codec.Write(file, p); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(file, run, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := sum.AddFile(file); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 { // returned profiles do not change
			before := sum.Profile()
			kept := sum.Profile()
			sum.Add(p)
			runs = append(runs, p)
			if diff := cmp.Diff(kept, before); diff != "" {
				t.Fatal(diff)
			}
		}
	}
	got, want := sum.Profile(), profile.Merge(runs)
	got.Warnings = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A file that is damaged, truncated or of another version is an error, and adds nothing.
func TestProfileFileDamage(t *testing.T) {
	file, err := codec.Encode(profiletest.Random(100, 1))
	if err != nil {
		t.Fatal(err)
	}
	var sum runfile.Sum
	dir := t.TempDir()
	add := func(file []byte, want string) {
		t.Helper()
		name := filepath.Join(dir, "x.markgen")
		if err := os.WriteFile(name, file, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := sum.AddFile(name); err == nil || !strings.Contains(err.Error(), name+": offset ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for _, cut := range []int{9, 15, 16, 100, len(file) - 1} {
		add(file[:cut], "cut off")
	}
	for i := range 16 {
		at := 16 + i*(len(file)-16)/16
		damaged := bytes.Clone(file)
		damaged[at] ^= 4
		add(damaged, "checksum")
	}
	other := bytes.Clone(file)
	other[8]++
	add(other, "version 3, and this markgen reads version 2")
	if p := sum.Profile(); p.Runs != 0 || len(p.Markers) > 0 {
		t.Errorf("%d runs and %d markers were added", p.Runs, len(p.Markers))
	}
}

// Duplicates are errors: sums have none, and adding up files with duplicates could take forever.
func TestProfileFileTwice(t *testing.T) {
	marker := func(id registry.ID, name string) profile.Marker {
		return profile.Marker{ID: id, Name: "a." + name, Package: "a", Kind: "func", File: "f.go", Count: 1}
	}
	m := marker(0x3f9a6c17e2b8d405, "Quick")
	m.Callers = []profile.Caller{{ID: 0x7171717171717171, Name: "x"}, {ID: 0x7272727272727272, Name: "y", Marker: profile.Marker{Readings: []profile.Reading{{Collector: "inner1"}, {Collector: "inner2"}}}}}
	m.Readings = []profile.Reading{{Collector: "cache1"}, {Collector: "cache2", Values: []profile.Value{{Name: "misses1"}, {Name: "misses2"}}}}
	p := &profile.Profile{Runs: 1, Markers: []profile.Marker{m, marker(0x1d5e90ba4477c821, "Zebra")}}
	file, err := codec.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	// Store the names unpacked, so that the test can change them.
	head := 20 + int(binary.LittleEndian.Uint32(file[16:]))
	names := "p\ta\nf\tf.go\nm\t3f9a6c17e2b8d405\tfunc\t0\t0\t0\t0\t-\t-\t1\ta.Quick\nm\t1d5e90ba4477c821\tfunc\t0\t0\t0\t0\t-\t-\t1\ta.Zebra\n"
	rest := file[head+4+int(binary.LittleEndian.Uint32(file[head:])):]
	file = append(binary.LittleEndian.AppendUint32(file[:head:head], uint32(len(names))), names...)
	file = append(file, rest...)
	for _, tt := range []struct{ from, to, want string }{
		{"Quick", "Quack", ""},
		{"1d5e90ba4477c821", "3f9a6c17e2b8d405", "a marker that the table has twice"},
		{"qqqqqqqq", "rrrrrrrr", "figures of marker 3f9a6c17e2b8d405 that have a caller twice"},
		{"inner1", "inner2", "have a collector twice"},
		{"cache1", "cache2", "have a collector twice"},
		{"misses1", "misses2", "have a value twice"},
	} {
		other := bytes.Replace(file, []byte(tt.from), []byte(tt.to), 1)
		if bytes.Equal(other, file) {
			t.Fatalf("no %q in the file", tt.from)
		}
		binary.LittleEndian.PutUint32(other[12:], crc32.Checksum(other[16:], crc32.MakeTable(crc32.Castagnoli)))
		if _, err := runfile.ReadFrom(bytes.NewReader(other), int64(len(other)), "x"); tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) || tt.want == "" && err != nil {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// Profiles that could not be decoded are not written.
func TestEncodeRefuses(t *testing.T) {
	for _, m := range []profile.Marker{
		{ID: 1, Name: "a\nb", Kind: "func"},
		{ID: 1, Name: "a\xff", Kind: "func"},
		{ID: 1, Name: "a", Kind: "a\tb"},
		{ID: 1, Name: "a", Kind: "func", Group: "\n"},
		{ID: 1, Name: "", Kind: "func"},
		{ID: 0, Name: "a", Kind: "func"},
		{ID: 1, Name: "a", Kind: "func", Line: -1},
		{ID: 1, Name: "a.F", Package: "b", Kind: "func"},
		{ID: 1, Name: "a [a.test].F", Package: "a [a.test]", Kind: "func"},
		{ID: 1, Name: "a", Kind: "func", Callers: []profile.Caller{{ID: 7, Name: "b"}, {ID: 7, Name: "c"}}},
		{ID: 1, Name: "a", Kind: "func", Readings: []profile.Reading{{Collector: "io"}, {Collector: "io"}}},
		{ID: 1, Name: "a", Kind: "func", Readings: []profile.Reading{{Collector: "io", Values: make([]profile.Value, 40)}}},
	} {
		if _, err := codec.Encode(&profile.Profile{Markers: []profile.Marker{m}}); err == nil {
			t.Errorf("%+v was written", m)
		}
	}
	if _, err := codec.Encode(&profile.Profile{Markers: []profile.Marker{{ID: 1, Name: "a", Kind: "func"}, {ID: 1, Name: "b", Kind: "func"}}}); err == nil {
		t.Error("a marker that is there twice was written")
	}
}

// FuzzProfileFile checks that any bytes after a valid header are read without a panic, and that a
// decoded profile is the same after encoding and decoding it again.
func FuzzProfileFile(f *testing.F) {
	paths := profiletest.Random(20, 1)
	paths.Paths = profiletest.RandomPaths(paths, 30, 1)
	paths.Paths.Nodes[3].Buckets = []profile.Bucket{{K: 5, Count: 1, SumNS: 30}, {K: 7, Count: 2, SumNS: 200}}
	for _, p := range []*profile.Profile{{}, paths, profiletest.Random(20, 1), profiletest.Load(f, profiletest.DemoRead().File()), profiletest.Load(f, profiletest.DemoSpread().File()), profiletest.Load(f, profiletest.Demo().File()), profiletest.Load(f, profiletest.DemoPairs().File()), profiletest.Load(f, profiletest.DemoWild().File()), profiletest.Load(f, profiletest.TwoUnits())} {
		file, err := codec.Encode(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file[16:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		file := binary.LittleEndian.AppendUint32([]byte("markgen\x01\x01\x00\x00\x00"), crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
		file = append(file, body...)
		p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
		if err != nil {
			return
		}
		profiletest.CheckAny(t, p)
		again, err := codec.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := runfile.ReadFrom(bytes.NewReader(again), int64(len(again)), "x")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, q); diff != "" {
			t.Errorf("(-read +written and read)\n%s", diff)
		}
	})
}
