//go:build markgen_virtual && !markgen_off && (amd64 || arm64)

package perf

import (
	"testing"
	"unsafe"
)

// All units of a list count in counters of their own. One that counts much is moved to the front.
func TestUnitsBehind(t *testing.T) {
	begun := collected(t)
	Enter(&begun[0]).Exit() // the run
	var m [1]Marker
	var c [1]Counter
	var shared uint64
	var last *Own
	if !Register(&m[0], 1, &c[0], 1, "p\tp\nf\tp.go\nc\t00000000000000c1\tfunc\t0\t1\t1\tp.f\n") {
		t.Fatal("nothing is collected")
	}
	of := &Tallies{number: uint64(len(tables)), shared: unsafe.Pointer(&shared)}
	units := []uintptr{7, 7 + tallyUnits, 7 + 2*tallyUnits}
	for _, u := range units {
		for range tallyAfter + 1 {
			of.findAt(&last, u, 0)
		}
	}
	if want := uint64(len(units) * (tallyAfter + 1)); shared != want {
		t.Errorf("%d shared additions, want %d", shared, want)
	}
	shared = 0
	for range lastAfter / 2 { // in turn, as two processors may
		of.findAt(&last, units[0], 0)
		of.findAt(&last, units[1], 0)
	}
	if first := of.units[7].unit; shared != 0 || first != units[2] {
		t.Errorf("%d shared additions, the first unit is %d", shared, first)
	}
	for range lastAfter {
		of.findAt(&last, units[0], 0)
	}
	if of.units[7].unit != units[0] || last.unit != units[0] || *last.counter(0) != lastAfter*3/2 {
		t.Errorf("the first unit is %d with %d additions, the last %d", of.units[7].unit, *of.units[7].counter(0), last.unit)
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
