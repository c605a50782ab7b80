package runfile

import (
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/table"
)

// A table without timed markers hides no marker of the table that begins at the same number.
func TestNamedBesideEmptyTables(t *testing.T) {
	parse, next := &profile.Marker{Name: "parse"}, &profile.Marker{Name: "next"}
	empty := func(first uint64) *unitTable { return &unitTable{Table: &table.Table{}, first: first} }
	r := &run{tables: map[uint64]*unitTable{
		0: empty(5), 1: {Table: &table.Table{Markers: []*profile.Marker{parse, next}}, first: 5}, 2: empty(7),
	}}
	for range 20 { // the tables are a map: each time in another order
		r.arrange()
		for index, want := range []*profile.Marker{4: nil, 5: parse, 6: next, 7: nil} {
			if got := r.named(uint64(index)); got != want {
				t.Fatalf("marker %d is %v, want %v", index, got, want)
			}
		}
	}
}
