package runfile_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// sparse is a file of some bytes followed by zeros.
type sparse struct {
	head []byte
	size int64
}

func (s sparse) ReadAt(b []byte, offset int64) (int, error) {
	n := int(min(int64(len(b)), max(s.size-offset, 0)))
	clear(b[:n])
	if offset < int64(len(s.head)) {
		copy(b[:n], s.head[offset:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Huge files and blocks take no more memory than their useful content.
func TestHugeBlocks(t *testing.T) {
	const all = "a.F 1, b.F 1, a/a.go 5, b/b.go 6"
	const huge = 1 << 47
	for _, tt := range []struct {
		name  string
		kind  uint32
		size  uint64
		words map[int]uint64
		want  string // substring of the warning
		left  string
	}{
		{"table", layout.BlockTable, huge, map[int]uint64{layout.OffTableNumber: 7, layout.OffTableLen: huge - layout.OffTableText}, "bytes would have to be read at once", all},
		{"counters", layout.BlockCounters, huge, map[int]uint64{layout.OffCountersLen: (huge - layout.OffCountersData) / 8}, "counters for a table that names 1", all},
		{"bits of counters", layout.BlockCounters, huge, map[int]uint64{layout.OffCountersLen: huge / 16, layout.OffCountersOff: huge/2 + layout.OffCountersData}, "counters for a table that names 1", all},
		{"words", layout.BlockMarkers, huge, map[int]uint64{layout.OffMarkersLen: huge/layout.MarkerSize - 64, layout.OffMarkersData: 128}, "", all},
		{"pairs", layout.BlockPairs, huge, map[int]uint64{layout.OffPairsLen: huge}, "", all},
		{"readings", layout.BlockReadings, huge, map[int]uint64{layout.OffReadingsLen: huge - layout.OffReadingsText}, "bytes would have to be read at once", all},
		{"log", layout.BlockLog, huge, map[int]uint64{layout.OffLogLen: huge}, "", all},
		{"ring", layout.BlockRing, huge, map[int]uint64{layout.RingRoom: huge / 64, layout.RingWritten: huge}, "", all},
		{"scopes", layout.BlockStack, 1 << 26, map[int]uint64{layout.OffStackLen: 1 << 20}, "", all},
		{"picked", layout.BlockWild, 1 << 26, map[int]uint64{layout.OffWildOf: 1 << 21, layout.OffWildLen: 1 << 21}, "", all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := profiletest.TwoUnits()
			at := len(file)
			file = append(file, make([]byte, 4096)...)
			word := func(at int, v uint64) { binary.LittleEndian.PutUint64(file[at:], v) }
			binary.LittleEndian.PutUint32(file[at+layout.OffBlockType:], tt.kind)
			binary.LittleEndian.PutUint32(file[at+layout.OffBlockShard:], 3)
			word(at+layout.OffBlockSize, tt.size)
			for offset, v := range tt.words {
				word(at+offset, v)
			}
			word(layout.OffUsed, uint64(at)+tt.size)
			word(layout.OffFlags, layout.FlagPairs)
			p := small(t, sparse{file, int64(at) + int64(tt.size)})
			if tt.name != "picked" { // it names one marker only
				if got := counts(p); got != tt.left {
					t.Errorf("left is %s", got)
				}
			}
			if got := strings.Join(p.Warnings, "\n"); !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
		})
	}
	for _, size := range []int64{1 << 33, 1 << 50} {
		if _, err := runfile.ReadFrom(sparse{[]byte("markgen\x01"), size}, size, "x"); err == nil || !strings.Contains(err.Error(), "x: offset 0: a profile file of") {
			t.Errorf("a profile file of %d bytes: %v", size, err)
		}
	}
}

// small reads a file and checks that this takes little memory.
func small(t *testing.T, file sparse) *profile.Profile {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := runfile.ReadFrom(file, file.size, "x")
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("%d bytes were taken", took)
	}
	return p
}

// The buffer for a text grows as it is read, and packed texts have the same limits.
func TestTextBounds(t *testing.T) {
	file := profiletest.TwoUnits()
	at := profiletest.BlockAt(t, file, layout.BlockTable, 1)
	const long = 1 << 26
	binary.LittleEndian.PutUint64(file[at+layout.OffBlockSize:], long)
	binary.LittleEndian.PutUint64(file[at+layout.OffTableLen:], long-layout.OffTableText)
	binary.LittleEndian.PutUint64(file[layout.OffUsed:], uint64(at)+long)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(at)+long, "x")
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 || !p.Damaged || !strings.Contains(strings.Join(p.Warnings, "\n"), "the file ends here; it was cut off") {
		t.Errorf("%d bytes were taken: %q", took, p.Warnings)
	}

	packed := binary.LittleEndian.AppendUint32([]byte{layout.PackedText}, 1<<31)
	run := profiletest.Demo()
	run.Tables[0].Stored = string(append(packed, make([]byte, 1<<31/layout.MaxPacked)...))
	runtime.ReadMemStats(&before)
	p = profiletest.Load(t, run.File())
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<29 || !strings.Contains(strings.Join(p.Warnings, "\n"), "it would become 2147483648 bytes") {
		t.Errorf("%d bytes were taken: %q", took, p.Warnings)
	}
}
