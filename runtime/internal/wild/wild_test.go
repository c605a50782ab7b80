//go:build go1.26

package wild

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// parsed returns the history with that text.
func parsed(t testing.TB, text string) History {
	t.Helper()
	h, problem := Parse(text)
	if problem != "" {
		t.Fatal(problem)
	}
	return h
}

// greedy returns the expected picks, computed from all functions at once.
func greedy(all []function, most int, h *History, without uint64) (picked []function) {
	for _, f := range all {
		if f.id != without && len(picked) < most && !slices.ContainsFunc(picked, func(g function) bool { return h.Conflict(f.id, g.id) }) {
			picked = append(picked, f)
		}
	}
	return picked
}

// Adding functions in any order and in any batches gives the same picks as adding all at once; each
// limit separates picked from not picked; and on and off of all updates add up to the picks.
func TestPicker(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		n, most := 1+rnd.IntN(30), 1+rnd.IntN(8)
		var text strings.Builder
		var ids []uint64
		for id := range uint64(n) {
			ids = append(ids, id+1)
			if rnd.IntN(2) == 0 {
				fmt.Fprintf(&text, "%016x %d\n", id+1, rnd.IntN(100))
			}
			for range rnd.IntN(3) {
				fmt.Fprintf(&text, "%016x conflicts %016x %016x\n", id+1, 1+rnd.IntN(n), 1+rnd.IntN(n))
			}
		}
		rnd.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		p := Picker{Seed: uint64(round + 1), Max: most, History: parsed(t, text.String())}
		var picked []Pick
		on := map[uint32]bool{}
		for number, id := range ids {
			p.Add(id, uint32(number))
			if number < n-1 && rnd.IntN(3) > 0 {
				continue
			}
			now, begun, ended := p.Update()
			if now != nil {
				picked = now
			}
			for _, number := range begun {
				if on[number] {
					t.Fatalf("%d is turned on twice", number)
				}
				on[number] = true
			}
			for _, number := range ended {
				if !on[number] {
					t.Fatalf("%d is turned off twice", number)
				}
				delete(on, number)
			}
		}
		if now, begun, ended := p.Update(); now != nil || begun != nil || ended != nil {
			t.Fatalf("nothing was added, and picked are %v, on %v, off %v", now, begun, ended)
		}
		all := slices.SortedFunc(slices.Values(p.all), func(a, b function) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
		})
		var want []Pick
		for _, f := range greedy(all, most, &p.History, 0) {
			limit := uint64(layout.NoLimit)
			for j, g := range greedy(all, most, &p.History, f.id) {
				if p.History.Conflict(f.id, g.id) || j == most-1 {
					limit = g.rank
					break
				}
			}
			want = append(want, Pick{f.number, uint32(p.History.Runs(ids[f.number])), limit})
			if !on[f.number] {
				t.Fatalf("round %d: %d is picked and not on", round, f.number)
			}
		}
		if len(all) != n || !slices.Equal(picked, want) || len(on) != len(want) {
			t.Fatalf("round %d: picked %v of %d, %v are on; want %v of %d", round, picked, len(all), on, want, n)
		}
	}
}

func TestParse(t *testing.T) {
	h := parsed(t, "# of two runs\n00000000000000ff 7\r\n\n000000000000000a conflicts 00000000000000ff 000000000000000b\n000000000000000a 99999999999\n")
	if h.Runs(0xff) != 7 || h.Runs(10) != maxRuns || h.Runs(11) != 0 || !h.Conflict(10, 0xff) || !h.Conflict(0xff, 10) || !h.Conflict(11, 10) || h.Conflict(11, 0xff) {
		t.Errorf("%+v", h)
	}
	for _, bad := range []string{"x", "00000000000000ff", "00000000000000ff -1", "00000000000000FF 1", "00000000000000ff conflicts", "00000000000000ff conflicts x", "0ff 1", "00000000000000ff 1 2"} {
		if _, problem := Parse("00000000000000ff 1\n" + bad); problem != "line 2 is not ID RUNS, or ID conflicts ID" {
			t.Errorf("%q: %q", bad, problem)
		}
	}
}

// FuzzParse: Parse ends for any text, and conflicts are symmetric.
func FuzzParse(f *testing.F) {
	f.Add("00000000000000ff 7\n000000000000000a conflicts 00000000000000ff 000000000000000b\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, _ := Parse(text)
		for _, e := range h.conflicts {
			if !h.Conflict(e.a, e.b) || !h.Conflict(e.b, e.a) || e.a >= e.b {
				t.Errorf("%+v", e)
			}
		}
		for _, e := range h.runs {
			if h.Runs(e.a) > maxRuns {
				t.Errorf("%+v", e)
			}
		}
	})
}

// BenchmarkUpdate measures picking 5 of 20,000 functions that come in 200 tables, with a history of
// each function and two conflicts each, as markgen merge writes it.
func BenchmarkUpdate(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const functions, inTable = 20_000, 100
	var text strings.Builder
	for id := range functions {
		fmt.Fprintf(&text, "%016x %d\n", id+1, rnd.IntN(100))
	}
	for id := range functions {
		fmt.Fprintf(&text, "%016x conflicts %016x %016x\n", id+1, id+2+rnd.IntN(100), id+102+rnd.IntN(100))
	}
	for seed := uint64(1); b.Loop(); seed++ {
		p := Picker{Seed: seed, Max: 5, History: parsed(b, text.String())}
		for i := range uint32(functions) {
			if p.Add(uint64(i)+1, i); i%inTable == inTable-1 {
				p.Update()
			}
		}
	}
}
