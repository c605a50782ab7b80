package runfile_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/runtime/layout"
)

// demoReadings is what demoRead has for its first two markers, summed over both processors.
var demoReadings = map[string][]profile.Reading{
	"example.com/demo.main": {
		{Collector: "cache", Scopes: 2, Values: []profile.Value{{Name: "misses", Sum: 10, Self: 10}}},
		{Collector: "io", Scopes: 2, Values: []profile.Value{{Name: "read_bytes", Sum: 154}, {Name: "write_bytes", Sum: 2000, Self: 800}}},
	},
	"example.com/demo.(*Parser).Expr:for#1": {
		{Collector: "cache", Scopes: 18, Dropped: 6, Values: []profile.Value{{Name: "misses"}}},
		{Collector: "io", Scopes: 20, Dropped: 4, Values: []profile.Value{{Name: "read_bytes", Sum: 154, Self: 154, Nested: 14}, {Name: "write_bytes", Sum: 1200, Self: 200, Nested: 120}}},
	},
}

func TestReadings(t *testing.T) {
	for _, big := range []bool{false, true} {
		run := profiletest.DemoRead()
		run.Big = big
		p := profiletest.Load(t, run.File())
		if len(p.Warnings) > 0 {
			t.Errorf("%q", p.Warnings)
		}
		for i := range p.Markers {
			m := &p.Markers[i]
			if diff := cmp.Diff(demoReadings[m.Name], m.Readings); diff != "" {
				t.Errorf("%s (-want +got):\n%s", m.Name, diff)
			}
		}
	}
	loop := demoReadings["example.com/demo.(*Parser).Expr:for#1"][1]
	if v := loop.Values[1]; v.Total() != 1080 || loop.Mean(v) != 60 {
		t.Errorf("total %d, mean %v", v.Total(), loop.Mean(v))
	}
}

// Runs with different collectors are added up by name, in any order.
func TestMergeReadings(t *testing.T) {
	other := profiletest.DemoRead()
	other.Values = []string{"cache\thits", "cache\tmisses"}
	other.Tables[0].Read = map[int]profiletest.Read{0: {Scopes: [][2]uint64{{7, 1}}, Values: [][3]uint64{{3, 2, 1}, {30, 20, 10}}}}
	a, b := profiletest.Load(t, profiletest.DemoRead().File()), profiletest.Load(t, other.File())
	want := []profile.Reading{
		{Collector: "cache", Scopes: 16, Dropped: 2, Values: []profile.Value{{Name: "hits", Sum: 6, Self: 4, Nested: 2}, {Name: "misses", Sum: 70, Self: 50, Nested: 20}}},
		demoReadings["example.com/demo.main"][1],
	}
	for _, list := range [][]*profile.Profile{{a, b}, {b, a}} {
		sum := profile.Merge(list)
		if diff := cmp.Diff(want, profiletest.Named(t, sum, "example.com/demo.main").Readings); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	if diff := cmp.Diff(demoReadings["example.com/demo.main"], profiletest.Named(t, a, "example.com/demo.main").Readings); diff != "" {
		t.Errorf("what was merged has changed (-want +got):\n%s", diff)
	}
}

// Invalid readings are reported and dropped, and everything else is read.
func TestReadingsDamage(t *testing.T) {
	names := profiletest.BlockAt(t, profiletest.DemoRead().File(), layout.BlockReadings, 0)
	block := profiletest.BlockAt(t, profiletest.DemoRead().File(), layout.BlockRead, 0)
	put := func(at int, v uint64) func(file []byte) {
		return func(file []byte) { binary.LittleEndian.PutUint64(file[at:], v) }
	}
	for _, tt := range []struct {
		about  string
		damage func(file []byte)
		want   string
	}{
		{"length of the names", put(names+layout.OffReadingsLen, 1<<40), "names of readings, 1099511627776 bytes of them in a block of 128"},
		{"number of values", put(names+layout.OffReadingsValues, 4), "names of readings that can't be read"},
		{"number of collectors", put(names+layout.OffReadingsCollectors, 0), "names of readings that can't be read"},
		{"a name twice", func(file []byte) {
			copy(file[names+layout.OffReadingsText:], "io\twrite_bytes\nio\twrite_bytes\n io\tx")
		}, "names of readings that can't be read"},
		{"no tab", func(file []byte) { file[names+layout.OffReadingsText+2] = ' ' }, "names of readings that can't be read"},
		{"no text", func(file []byte) { file[names+layout.OffReadingsText] = 0xff }, "names of readings that can't be read"},
		{"values of a block", put(block+layout.OffReadValues, 1<<62), "4611686018427387904 values of 2 collectors, which are not those that the file names"},
		{"collectors of a block", put(block+layout.OffReadCollectors, 1), "3 values of 1 collector, which are not those that the file names"},
		{"marker of a block", put(block+layout.OffReadMarker, 2), "a second time readings of marker number 2 on processor"},
	} {
		file := profiletest.DemoRead().File()
		tt.damage(file)
		p := profiletest.Load(t, file)
		if !p.Damaged || !strings.Contains(strings.Join(p.Warnings, "\n"), tt.want) {
			t.Errorf("%s: %q, want %q", tt.about, p.Warnings, tt.want)
		}
		if m := profiletest.Named(t, p, "example.com/demo.main"); m.Count != 1 {
			t.Errorf("%s: %d scopes", tt.about, m.Count)
		}
	}
	// A call that is in some of the words only.
	file := profiletest.DemoRead().File()
	put(block+layout.OffReadData+2*layout.ReadSize+layout.ReadValueSelf, 1<<60)(file)
	p := profiletest.Load(t, file)
	if v := profiletest.Named(t, p, "example.com/demo.main").Readings[1].Values[1]; p.Damaged || v.Self != 1400 {
		t.Errorf("%+v, %q", v, p.Warnings)
	}
}
