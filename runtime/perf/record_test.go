//go:build go1.26 && !markgen_off

package perf

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/clock"
	"github.com/markgen/markgen/runtime/internal/report"
	"github.com/markgen/markgen/runtime/layout"
)

func TestToNS(t *testing.T) {
	collected(t)
	kept := hot.mult
	defer func() { hot.mult = kept }()
	for _, hz := range []uint64{1e6, 24e6, 62_500_000, 1e9, 2_699_998_123, 6e9} {
		hot.mult = clock.Multiplier(hz)
		for _, d := range []uint64{0, 1, 2, 1000, 1e9, 1<<32 - 1, 1 << 32, 6<<32 + 5, 1e12, 1e16} {
			exact := float64(d) / float64(hz) * 1e9
			if got := float64(toNS(d)); math.Abs(got-exact) > exact*1e-9+0.5 {
				t.Errorf("%d ticks at %d Hz are %.0f ns, want %.3f", d, hz, got, exact)
			}
		}
	}
	if clock.Multiplier(0) != 1<<32 || clock.Multiplier(1e9) != 1<<32 {
		t.Error("one tick a ns")
	}
}

// Each goroutine finds its own slot, in whichever table that is.
func TestSlots(t *testing.T) {
	collected(t)
	first := firstSlots(slotSet{})
	const n = 100_000 // three times the size of the first table
	owner := map[*slot]uintptr{}
	at := func(i int) uintptr { return 0x10000000 + uintptr(i)*448 }
	for i := range n {
		g := at(i)
		p := lineOf(first, slotBits, g).find(g, g)
		if p == nil || owner[p] != 0 || p.key != g {
			t.Fatalf("goroutine %d: slot %p of %#x", i, p, owner[p])
		}
		owner[p] = g
	}
	for i := range n {
		g := at(i)
		if p := lineOf(first, slotBits, g).find(g, g); owner[p] != g {
			t.Fatalf("goroutine %d finds the slot of %#x", i, owner[p])
		}
	}
	if unsafe.Sizeof(slot{}) != 64 && unsafe.Sizeof(uintptr(0)) == 8 {
		t.Errorf("a slot has %d bytes", unsafe.Sizeof(slot{}))
	}
}

// Processors beyond MaxShards share their cells, under the lock.
func TestManyProcessors(t *testing.T) {
	m := collected(t)
	decide(&m[1])
	const each = 1000
	var wg sync.WaitGroup
	for pid := layout.MaxShards - 2; pid < layout.MaxShards+10; pid++ {
		wg.Go(func() {
			for range each {
				p := endedScope{timed: true, ns: 5, self: 5, ticks: 5, at: now()}
				if !prepare(pid, m[1].index, &p) {
					p.record(cellOf(pid, m[1].index))
				}
			}
		})
	}
	wg.Wait()
	r := rowAt(m[1].index)
	if want := uint64(12 * each); r.Count != want || r.Total != 5*want {
		t.Errorf("%d scopes of %d ns, want %d of 5", r.Count, r.Total, want)
	}
	if p := (endedScope{}); !prepare(0, nextIndex(), &p) || !prepare(0, 0, &p) || !prepare(-1, m[1].index, &p) {
		t.Error("a cell was made for a marker or a processor that is not there")
	}
}

// Units may register concurrently, while markers are executed.
func TestConcurrentRegister(t *testing.T) {
	collected(t)
	var wg sync.WaitGroup
	const units, each = 20, 30
	ms := make([][each]Marker, units)
	for u := range ms {
		var text strings.Builder
		for i := range each {
			fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t1\t1\t%d\t-\t-\t1\tunit%d.F%d\n", u*each+i, i, u, i)
		}
		wg.Go(func() {
			for i := range ms[u] { // before and after the table is registered
				Enter(&ms[u][i]).Exit()
			}
			Register(&ms[u][0], each, nil, 0, text.String())
			for i := range ms[u] {
				Enter(&ms[u][i]).Exit()
			}
		})
	}
	wg.Wait()
	seen := map[uint32]bool{}
	for u := range ms {
		for i := range ms[u] {
			index := ms[u][i].index
			if r := rowAt(index); r.Count != 2 || seen[index] {
				t.Errorf("marker %d of unit %d has index %d and %d scopes", i, u, index, r.Count)
			}
			seen[index] = true
		}
	}
}

// No table makes Register fail or panic.
func FuzzRegister(f *testing.F) {
	f.Add("p\tx\nf\ta.go\nm\t1\tfunc\t0\t1\t1\t1\t-\t-\t1\tx.F\nb\t0\t1\t1\t1\t1\t1\nc\t2\tblock\t0\t1\t1\tx.G", "x.*", "*G")
	f.Add("m\nm\t\nc\t\t\t\t\t\t\t\n\n\tb", "*", "")
	f.Add("m\t1\tfunc\t0\t1\t1\t999999999999\t-\t-\t1\tx", "", "x")
	f.Fuzz(func(t *testing.T, text, only, skip string) {
		collected(t)
		kept, keptTables := conf, len(tables)
		conf.Only, conf.Skip = only, skip
		defer func() { conf, tables = kept, tables[:keptTables] }()
		var ms [3]Marker
		var cs [3]Counter
		if !Register(&ms[0], len(ms), &cs[0], len(cs), text) {
			t.Error("nothing is collected")
		}
		for i := range ms {
			if collected := int32(ms[i].index) > 0; collected && ms[i].Off != 0 {
				t.Errorf("marker %d is collected and its gate is off", i)
			}
			Enter(&ms[i]).Exit()
			Count(&cs[i])
		}
		lock()
		rows := gather()
		unlock()
		if len(rows) == 0 {
			t.Error("no rows")
		}
	})
}

// rowAt returns what was recorded under an index.
func rowAt(index uint32) (r report.Row) {
	addCells(&r, index)
	return r
}
