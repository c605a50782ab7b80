//go:build !markgen_off && (amd64 || arm64)

package perf

import (
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// Self time is the duration less the durations of marked children.
func TestSelfTime(t *testing.T) {
	d := virtualForm.run(t, "file=data", "self", "5").data("data")
	outer, inner := d.marks["demo.leave"], d.marks["demo.tick"]
	const least = 5 * 2e6
	if inner.total < least || inner.self != inner.total || outer.total < inner.total || outer.noself+inner.noself > 0 {
		t.Errorf("outer %+v, inner %+v", outer, inner)
	}
	if outer.self != outer.total-inner.total {
		t.Errorf("self time of outer is %d, want %d-%d", outer.self, outer.total, inner.total)
	}
	main := d.marks["demo.main"]
	if main.self != main.total-outer.total {
		t.Errorf("self time of main is %d, want %d-%d", main.self, main.total, outer.total)
	}
	if d.word(layout.OffFlags) != 0 {
		t.Errorf("flags %b", d.word(layout.OffFlags))
	}
	// The self times of goroutines that migrate between processors add up, too.
	d = virtualForm.run(t, "file=data", "workers", "500").data("data")
	leave, work, loop, add := d.marks["demo.leave"], d.marks["demo.work"], d.marks["demo.work:for#1"], d.marks["demo.add"]
	early := loop.self + add.total - loop.total // the one add outside the loop
	if leave.self+work.total != leave.total || work.self+loop.total != work.total || early < add.min || early > add.max {
		t.Errorf("leave %+v\nwork %+v\nloop %+v\nadd %+v", leave, work, loop, add)
	}
	if d := virtualForm.run(t, "file=data,noself", "work", "5").data("data"); d.word(layout.OffFlags) != layout.FlagNoSelf {
		t.Errorf("noself: flags %b", d.word(layout.OffFlags))
	}
}

// With more goroutines than the first table of slots has room for, all still have self times.
func TestManyGoroutines(t *testing.T) {
	d := virtualForm.run(t, "file=data", "blocked", "50000").data("data")
	leave, add := d.marks["demo.leave"], d.marks["demo.add"]
	early := leave.self + add.total - leave.total // the one add outside of leave
	if leave.count != 50000 || add.count != 50001 || leave.noself+add.noself > 0 || early < add.min || early > add.max {
		t.Errorf("leave %+v\nadd %+v", leave, add)
	}
}
