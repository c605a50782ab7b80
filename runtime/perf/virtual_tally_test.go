//go:build markgen_virtual && !markgen_off && (amd64 || arm64)

package perf

import "testing"

// Units at the same depth of large stacks, which lie at multiples of their size, have different places,
// as have neighbors.
func TestPlaces(t *testing.T) {
	for _, size := range []uintptr{unitSize, 32 << 10, 64 << 10, 512 << 10} {
		places := map[uint32]bool{}
		for i := range uintptr(32) {
			places[placeOf((0xc000000000+i*size)/unitSize)] = true
		}
		if len(places) < 24 {
			t.Errorf("stacks of %d bytes: %d places of 32 units", size, len(places))
		}
	}
}

// Counters of large packages leave memory for those of small ones.
func TestTallySpare(t *testing.T) {
	m := collected(t)
	Enter(&m[0]).Exit() // the run begins
	kept := talliedBytes
	t.Cleanup(func() { talliedBytes = kept })
	of := &Tallies{number: uint64(len(tables))}
	lock()
	defer unlock()
	for _, c := range []struct {
		used uintptr
		want bool
	}{{0, true}, {maxTalliedBytes - 64<<10, true}, {maxTalliedBytes - 2<<10, false}} {
		talliedBytes = c.used
		if got := of.claim(1) != nil; got != c.want {
			t.Errorf("with %d bytes in use, a small table has counters: %v", c.used, got)
		}
	}
}

// A function that has found the counters of its stack unit counts in the next run, too.
func TestOwnOfNextRun(t *testing.T) {
	if own := OwnOf(&Tallies{}); own != &NoOwn {
		t.Errorf("before a run, a unit has the counters %v", own)
	}
	collected(t)
	table, of, own := &tables[len(tables)-1], &Tallies{}, &NoOwn
	table.tallies = of
	t.Cleanup(func() { table.tallies = nil })
	for range 3 {
		Finish()
		if err := Configure("demote,report=/dev/null"); err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			tallyOwn(of, &own, 0)
		}
		if got := table.countAt(0); got != 1000 {
			t.Errorf("counted %d of 1000", got)
		}
		if own.unit == noUnit {
			t.Error("the unit has no counters")
		}
	}
}
