//go:build go1.26 && !markgen_off

package perf

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/layout"
)

// picking makes ready to pick without a run, and puts back what was.
func picking(t testing.TB, pick uint64, k known) {
	t.Helper()
	kept, keptConf := wild, conf
	t.Cleanup(func() { wild, conf = kept, keptConf })
	conf.Pick = pick
	block := make([]uint64, (layout.OffWildData+config.MostPick*layout.WildSize)/8)
	wild.known, wild.block = k, unsafe.Pointer(&block[0])
	wild.heap, wild.order, wild.picked = nil, nil, nil
	wild.worst, wild.enough, wild.over = candidate{}, false, false
}

// tablesOf are tables with functions of those IDs, some in each.
func tablesOf(rnd *rand.Rand, ids []uint64) (list []*table) {
	for first := uint32(1 << 29); len(ids) > 0; {
		n := 1 + rnd.IntN(len(ids))
		var text strings.Builder
		for _, id := range ids[:n] {
			fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t1\t1\t0\t-\t-\t1\tp.f%d\nm\t%016x\tloop\t0\t1\t1\t0\t-\t-\t1\tp.f%d:for#1\n", id, id, id+1<<40, id)
		}
		list = append(list, &table{text: text.String(), markers: 2 * n, first: first})
		first += uint32(2 * n)
		ids = ids[n:]
	}
	return list
}

// greedy is what is to be picked, worked out from all candidates at once.
func greedy(all []candidate, pick int, k *known, without uint64) (picked []candidate) {
	for _, c := range all {
		if c.id != without && len(picked) < pick && !slices.ContainsFunc(picked, func(d candidate) bool { return k.share(c.id, d.id) }) {
			picked = append(picked, c)
		}
	}
	return picked
}

// Whatever functions come in whatever tables, those are picked that would be if all had
// been there at once, and the limits are what makes the difference.
func TestPick(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		n, pick := 1+rnd.IntN(30), 1+rnd.IntN(8)
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
		k, trouble := parseKnown(text.String())
		if trouble != "" {
			t.Fatal(trouble)
		}
		rnd.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		picking(t, uint64(pick), k)
		wild.seed = uint64(round + 1)
		for _, table := range tablesOf(rnd, ids) {
			table.enter()
		}
		all := slices.SortedFunc(slices.Values(append(slices.Clone(wild.heap), wild.order...)), func(a, b candidate) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
		})
		if len(all) != n || *wildWord(layout.OffWildOf) != uint64(n) {
			t.Fatalf("%d candidates, want %d", len(all), n)
		}
		want := greedy(all, pick, &k, 0)
		if !slices.Equal(wild.picked, want) || *wildWord(layout.OffWildLen) != uint64(len(want)) {
			t.Fatalf("round %d: picked %v, want %v", round, wild.picked, want)
		}
		for i, c := range want {
			limit := uint64(layout.NoLimit)
			others := greedy(all, pick, &k, c.id)
			for j, d := range others {
				if k.share(c.id, d.id) || j == pick-1 {
					limit = d.rank
					break
				}
			}
			if got := *wildWord(layout.OffWildData + uintptr(i)*layout.WildSize + layout.WildLimit); got != limit || *wildWord(layout.OffWildData + uintptr(i)*layout.WildSize) != uint64(c.number) {
				t.Fatalf("round %d: limit %d, want %d", round, got, limit)
			}
		}
	}
}

func TestParseKnown(t *testing.T) {
	k, trouble := parseKnown("# of two runs\n00000000000000ff 7\r\n\n000000000000000a conflicts 00000000000000ff 000000000000000b\n000000000000000a 99999999999\n")
	if trouble != "" || k.of(0xff) != 7 || k.of(10) != mostRuns || k.of(11) != 0 || !k.share(10, 0xff) || !k.share(0xff, 10) || !k.share(11, 10) || k.share(11, 0xff) {
		t.Errorf("%+v, %s", k, trouble)
	}
	for _, bad := range []string{"x", "00000000000000ff", "00000000000000ff -1", "00000000000000FF 1", "00000000000000ff conflicts", "00000000000000ff conflicts x", "0ff 1", "00000000000000ff 1 2"} {
		if _, trouble := parseKnown("00000000000000ff 1\n" + bad); trouble != "line 2 is not ID RUNS, or ID conflicts ID" {
			t.Errorf("%q: %q", bad, trouble)
		}
	}
}

// FuzzKnown: whatever is in the file, reading it ends, and what shares a stack does so both ways.
func FuzzKnown(f *testing.F) {
	f.Add("00000000000000ff 7\n000000000000000a conflicts 00000000000000ff 000000000000000b\n")
	f.Fuzz(func(t *testing.T, text string) {
		k, _ := parseKnown(text)
		for _, c := range k.conflicts {
			if !k.share(c.a, c.b) || !k.share(c.b, c.a) || c.a >= c.b {
				t.Errorf("%+v", c)
			}
		}
		for _, r := range k.runs {
			if k.of(r.id) > mostRuns {
				t.Errorf("%+v", r)
			}
		}
	})
}

// BenchmarkEnter is what it takes to pick 5 of 20,000 functions that come in 200 tables, of
// which is known how often each was measured, and that each shares stacks with two others, as
// markgen merge has written it.
func BenchmarkEnter(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const functions, inTable = 20_000, 100
	var known strings.Builder
	for id := range functions {
		fmt.Fprintf(&known, "%016x %d\n", id+1, rnd.IntN(100))
	}
	for id := range functions {
		fmt.Fprintf(&known, "%016x conflicts %016x %016x\n", id+1, id+2+rnd.IntN(100), id+102+rnd.IntN(100))
	}
	var list []*table
	for first := 0; first < functions; first += inTable {
		var text strings.Builder
		for id := first + 1; id <= first+inTable; id++ {
			fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t1\t1\t0\t-\t-\t1\tp.f%d\n", id, id)
		}
		list = append(list, &table{text: text.String(), markers: inTable, first: uint32(1<<29 + first)})
	}
	for seed := uint64(1); b.Loop(); seed++ {
		k, _ := parseKnown(known.String())
		picking(b, 5, k)
		wild.seed = seed
		for _, t := range list {
			t.enter()
		}
	}
}
