package profile_test

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/registry"
	layout "github.com/markgen/markgen/runtime"
)

// paired is a run of which it is known what was open at once: of its first two markers the
// second inside the first, which was open inside itself as well, and a scope of the second
// that was recorded before it was registered.
func paired() profiletest.Run {
	r := demo()
	r.Flags |= layout.FlagPairs
	r.Pairs = [][2]uint64{{1, 1}, {1, 2}, {0, 1}}
	return r
}

func TestPairs(t *testing.T) {
	for _, big := range []bool{false, true} {
		r := paired()
		r.Big = big
		p := read(t, r.File())
		a, b := p.Markers, registry.ID(0)
		_ = b
		// Index 0 is an alias of the second marker; the tables begin with 1.
		first, second := indexed(t, p, 0), indexed(t, p, 1)
		want := &profile.Pairs{Runs: 1, List: []profile.Pair{profile.NewPair(first, first), profile.NewPair(first, second)}}
		if diff := cmp.Diff(sorted(want), p.Pairs); diff != "" {
			t.Errorf("big %v (-want +got)\n%s", big, diff)
		}
		if !p.Pairs.Has(second, first) || !p.Pairs.Has(first, first) || p.Pairs.Has(second, second) {
			t.Errorf("Has contradicts the list %v", p.Pairs.List)
		}
		if len(a) == 0 {
			t.Error("no markers")
		}
		twice := profile.Merge([]*profile.Profile{p, read(t, demo().File()), p})
		want.Runs = 2
		if diff := cmp.Diff(sorted(want), twice.Pairs); diff != "" {
			t.Errorf("of a sum (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(twice, encoded(t, twice), everything); diff != "" {
			t.Errorf("(-written +read)\n%s", diff)
		}
	}
}

// A profile without pairs is as older programs read it.
func TestPairsVersion(t *testing.T) {
	for _, tt := range []struct {
		run  profiletest.Run
		want uint32
	}{{demo(), 1}, {paired(), 2}} {
		file, err := profile.Encode(read(t, tt.run.File()))
		if err != nil {
			t.Fatal(err)
		}
		if v := binary.LittleEndian.Uint32(file[8:]); v != tt.want {
			t.Errorf("version %d, want %d", v, tt.want)
		}
	}
}

// indexed is the ID of marker i of the demo's table.
func indexed(t *testing.T, p *profile.Profile, i int) registry.ID {
	t.Helper()
	names := []string{"example.com/demo.main", "example.com/demo.work"}
	return named(t, p, names[i]).ID
}

func sorted(p *profile.Pairs) *profile.Pairs {
	return profile.Merge([]*profile.Profile{{Pairs: p}}).Pairs
}
