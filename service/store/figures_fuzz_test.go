package store_test

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/service/store"
)

// FuzzFigures: the statistics of any profile file are summed as package profile sums them.
func FuzzFigures(f *testing.F) {
	r := newMaker(16)
	for i := range 10 {
		r.large = i%2 > 0
		r.apis = 3
		f.Add(r.batch().Body[16:])
	}
	f.Fuzz(func(t *testing.T, rest []byte) {
		body := binary.LittleEndian.AppendUint32([]byte("markgen\x01\x01\x00\x00\x00"), crc32.Checksum(rest, crc32.MakeTable(crc32.Castagnoli)))
		body = append(body, rest...)
		p, err := codec.Decode(body, "x")
		if err != nil {
			return
		}
		want := profile.Merge([]*profile.Profile{p, p})
		for i := range p.Markers {
			got, err := store.Twice(&p.Markers[i])
			if err != nil {
				t.Fatal(err)
			}
			for k := range want.Markers {
				if m := want.Markers[k]; m.ID == got.ID {
					if diff := gocmp.Diff(m, *got, same); diff != "" {
						t.Fatalf("(-profile +store)\n%s", diff)
					}
				}
			}
		}
	})
}
