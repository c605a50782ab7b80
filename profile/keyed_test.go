package profile

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/registry"
)

// Sums of keyed lists do not depend on their order, and take linear time.
func TestAddKeyed(t *testing.T) {
	type entry struct{ key, n int }
	looks := 0
	key := func(e *entry) int { looks++; return e.key }
	add := func(sum, e *entry) { sum.key, sum.n = e.key, sum.n+e.n }
	made := func(r *rand.Rand, n, keys int) (list []entry) {
		for _, k := range r.Perm(keys)[:n] {
			list = append(list, entry{k, 1 + r.IntN(9)})
		}
		return list
	}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		keys := 1 + r.IntN(60)
		a, b := made(r, r.IntN(keys+1), keys), made(r, r.IntN(keys+1), keys)
		b = append(b, b[:len(b)/2]...) // some keys twice
		want := map[int]int{}
		for _, e := range slices.Concat(a, b) {
			want[e.key] += e.n
		}
		kept, order := slices.Clone(b), slices.Clone(a)
		sum := addKeyed(a, b, key, add)
		got := map[int]int{}
		for i, e := range sum {
			got[e.key] = e.n
			if i < len(order) && order[i].key != e.key {
				t.Errorf("seed %d: what was there first has moved", seed)
			}
		}
		if !maps.Equal(got, want) || len(sum) != len(want) || !slices.Equal(b, kept) {
			t.Fatalf("seed %d: %v, want %v", seed, sum, want)
		}
	}
	const n = 20_000
	r := rand.New(rand.NewPCG(1, 2))
	for what, lists := range map[string][2][]entry{"new": {nil, made(r, n, n)}, "as many": {made(r, n, n), made(r, n, n)}, "others": {made(r, n, 2*n), made(r, n, 2*n)}} {
		looks = 0
		if addKeyed(lists[0], lists[1], key, add); looks > 10*n {
			t.Errorf("%s: %d keys of %d and %d were looked at", what, looks, len(lists[0]), len(lists[1]))
		}
		looks = 0
		if hasDuplicate(lists[1], key) || looks > 10*n {
			t.Errorf("%s: twice, or %d keys of %d were looked at", what, looks, len(lists[1]))
		}
	}
}

// A renamed caller is sorted by its new name, whichever run comes first.
func TestRenamedCaller(t *testing.T) {
	run := func(callers ...Caller) *Profile {
		return &Profile{Runs: 1, Markers: []Marker{{ID: 1, Name: "a.F", Kind: "func", Callers: callers}}}
	}
	old, renamed := run(Caller{ID: 2, Name: "a.A"}, Caller{ID: 3, Name: "a.B"}), run(Caller{ID: 2, Name: "a.C"})
	for _, runs := range [][]*Profile{{old, renamed}, {renamed, old}} {
		if got := Merge(runs).Markers[0].Callers; len(got) != 2 || got[0].Name != "a.B" || got[1].Name != "a.C" {
			t.Errorf("%+v", got)
		}
	}
}

// Callers are sorted by name and added up, however many there are.
func TestAddCallers(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		var runs []*Profile
		want := map[registry.ID]uint64{}
		for range 1 + r.IntN(5) {
			m := Marker{ID: 1, Name: "a.F", Kind: "func"}
			for _, id := range r.Perm(40)[:r.IntN(40)] {
				c := Caller{ID: registry.ID(id), Name: fmt.Sprintf("a.%d", id%20), Marker: Marker{Count: 1 + r.Uint64N(9)}}
				c.Readings = []Reading{{Collector: "io", Scopes: c.Count}}
				want[c.ID] += c.Count
				m.Callers = append(m.Callers, c)
			}
			runs = append(runs, &Profile{Runs: 1, Markers: []Marker{m}})
		}
		got := Merge(runs).Markers[0].Callers
		if !slices.IsSortedFunc(got, func(a, b Caller) int { return compareCallers(&a, &b) }) || len(got) != len(want) {
			t.Errorf("seed %d: %d callers, want %d, in order", seed, len(got), len(want))
		}
		for _, c := range got {
			if diff := cmp.Diff(Caller{ID: c.ID, Name: fmt.Sprintf("a.%d", c.ID%20), Marker: Marker{Count: want[c.ID], Readings: []Reading{{Collector: "io", Scopes: want[c.ID]}}}}, c); diff != "" {
				t.Errorf("seed %d (-want +got)\n%s", seed, diff)
			}
		}
	}
}
