package runfile

import (
	"slices"
	"testing"

	"github.com/markgen/markgen/profile"
)

// Pauses are sorted by start. The log may be out of order, because several goroutines write it.
func TestPauses(t *testing.T) {
	at := func(tick uint64, from, to string) change {
		return change{tick: tick, Change: profile.Change{From: from, To: to}}
	}
	r := &run{changes: []change{
		at(10, "configured", "profiling"), at(50, "profiling", "stopped"),
		at(30, "paused", "profiling"), at(20, "profiling", "paused"),
	}}
	if got, want := r.pauses(), []uint64{20, 50}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}
