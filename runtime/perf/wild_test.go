//go:build !markgen_off

package perf

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/internal/wild"
	"github.com/markgen/markgen/runtime/layout"
)

// Candidates are the functions of all tables up to that of package main, except those that are only
// counted and those that only= or skip= excludes. The data have their number.
func TestEnter(t *testing.T) {
	kept, keptConf := picking, conf
	defer func() { picking, conf = kept, keptConf }()
	const most, first = 5, 1 << 29
	var s blocks.Space
	file := make([]byte, blocks.FirstPiece)
	s.Open(&datafile.File{}, file, &arena, nil)
	picking.block, _ = wild.NewBlock(&s, layout.WildPicked, most, layout.NoLoad)
	word := func(off int) uint64 { return binary.NativeEndian.Uint64(file[layout.HeaderSize+off:]) }
	picking.Picker, picking.over = wild.Picker{Seed: 1, Max: most}, false
	conf.Skip = "p.skipped"
	for k, text := range []string{
		"p\tp\nm\t00000000000000a0\tfunc\t0\t1\t1\t0\t-\t-\t1\tp.f\nm\t00000000000000a1\tloop\t0\t1\t1\t0\t-\t-\t1\tp.f:for#1\n",
		"m\t00000000000000a2\tfunc\t0\t1\t1\t0\tc\t-\t1\tp.counted\nm\t00000000000000a3\tfunc\t0\t1\t1\t0\t-\t-\t1\tp.g\n",
		"e\nm\t00000000000000a4\tfunc\t0\t1\t1\t0\t-\t-\t1\tp.skipped\nm\t00000000000000a5\tfunc\t0\t1\t1\t0\t-\t-\t1\tmain.main\n",
		"m\t00000000000000a6\tfunc\t0\t1\t1\t0\t-\t-\t1\tplugin.f\nm\t00000000000000a7\tfunc\t0\t1\t1\t0\t-\t-\t1\tplugin.g\n",
	} {
		e := table{text: text, markers: 2, first: first + 2*uint32(k)}
		e.enter()
	}
	var picked []uint64
	for i := range word(layout.OffWildLen) {
		at := layout.OffWildData + int(i)*layout.WildSize
		picked = append(picked, word(at+layout.WildMarker))
		if limit := word(at + layout.WildLimit); limit != layout.NoLimit {
			t.Errorf("the limit is %d where all are picked", limit)
		}
	}
	slices.Sort(picked)
	if want := []uint64{first, first + 3, first + 5}; !slices.Equal(picked, want) || word(layout.OffWildOf) != 3 {
		t.Errorf("picked %d of %d, want %d", picked, word(layout.OffWildOf), want)
	}
}
