package runfile_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/runtime/layout"
)

// First calls add up over runs, one per run.
func TestFirsts(t *testing.T) {
	run := func(first uint64) *profile.Profile {
		r := profiletest.Demo()
		r.Tables[0].Early = map[int][]uint64{1: {first, 6, 7}}
		return profiletest.Load(t, r.File())
	}
	p := profile.Merge([]*profile.Profile{run(1000), run(4_000_000), run(1200)})
	f := profiletest.Named(t, p, "example.com/demo.(*Parser).Expr:for#1").First
	want := profile.Firsts{MinNS: 1000, MaxNS: 4_000_000, Buckets: []profile.Bucket{
		{K: 9, Count: 1, SumNS: 1000, SumSq: profile.Square(1000)},
		{K: 10, Count: 1, SumNS: 1200, SumSq: profile.Square(1200)},
		{K: 21, Count: 1, SumNS: 4_000_000, SumSq: profile.Square(4_000_000)},
	}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n, mean, dev := f.Count(), f.MeanNS(), f.StddevNS(); n != 3 || mean != 4_002_200./3 || math.Abs(dev-1_885_099.4) > 1 {
		t.Errorf("%d of them, mean %v, deviation %v", n, mean, dev)
	}
	if f := profiletest.Named(t, p, "example.com/demo.main").First; f.Count() != 0 || f.MeanNS() != 0 || f.StddevNS() != 0 {
		t.Errorf("of main, of which nothing is known: %+v", f)
	}
}

// A first call that is not among the calls in the buckets is damage.
func TestFirstDamaged(t *testing.T) {
	file := profiletest.Demo().File()
	order := binary.LittleEndian
	for at, size := uint64(layout.HeaderSize), uint64(0); at < uint64(len(file)); at += size {
		size = order.Uint64(file[at+layout.OffBlockSize:])
		if order.Uint32(file[at:]) == layout.BlockAlias {
			order.PutUint64(file[at+layout.OffAliasFirst:], 1<<40)
		}
	}
	p := profiletest.Load(t, file)
	if f := profiletest.Named(t, p, "example.com/demo.(*Parser).Expr:for#1").First; f.Count() != 0 || !p.Damaged || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "a first scope of marker number") {
		t.Errorf("%+v, damaged %v, %q", f, p.Damaged, p.Warnings)
	}
}
