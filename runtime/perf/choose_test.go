//go:build !markgen_off

package perf

import (
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
)

// A table's text is read once per run to decide which counters count: a server may change the state
// as often as it has requests.
func TestCountersChosenOnce(t *testing.T) {
	if !hasCounters {
		t.Skip("code marked in place has no counters")
	}
	before := conf
	defer func() { conf = before }()
	conf = settings{Config: config.Config{Only: "p.a"}}
	var counters [3]Counter
	var cells [3]uint64
	tab := table{
		text: "p\tp\nf\tp.go\nc\t0000000000000001\tfunc\t0\t1\t1\tp.a\nc\t0000000000000002\tfunc\t0\t2\t1\tp.b\nb\t0\t3\t1\t4\t1\t1\n",
		n:    len(counters), counted: &counters[0], counters: unsafe.Pointer(&cells),
	}
	count := func(on bool) (which [3]bool) {
		tab.countIf(on)
		for i := range counters {
			which[i] = counters[i].P == &cells[i]
		}
		return which
	}
	for range 2 {
		if on := count(true); on != [3]bool{true, false, true} {
			t.Errorf("on: %v, want the chosen one and the block", on)
		}
		if off := count(false); off != [3]bool{false, false, true} {
			t.Errorf("off: %v, want the block", off)
		}
		tab.text = ""
	}
	conf = settings{}
	if on := count(true); on != [3]bool{true, true, true} {
		t.Errorf("nothing chosen: %v, want all", on)
	}
}
