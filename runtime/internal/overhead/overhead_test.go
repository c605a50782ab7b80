package overhead

import (
	"testing"

	"github.com/markgen/markgen/runtime/internal/clock"
)

// On a clock that advances by a tick a step, and by some more in marked functions, that is what a
// marker adds, and a batch now and then that takes longer does not matter.
func TestAdded(t *testing.T) {
	ticks, calls := uint64(0), 0
	now := func() uint64 { return ticks }
	with := func(extra uint64) Shape[*int] {
		return func(m *int, x uint64, steps int) uint64 {
			if calls++; calls%(9*Batch) == 0 {
				ticks += 100_000
			}
			ticks += uint64(steps) + extra
			return Chain(x, steps)
		}
	}
	for _, extra := range []uint64{0, 7, 300} {
		if got := Added(now, new(int), with(0), with(extra)); got != extra<<clock.FractionBits {
			t.Errorf("%d/%d ticks, want %d", got, 1<<clock.FractionBits, extra)
		}
	}
}

// A marker never makes a function faster.
func TestOver(t *testing.T) {
	var fast, slow Batches
	for i := range slow {
		slow[i] = [tries]uint64{500, 400, 600}
	}
	if got := fast.Over(&slow); got != 0 {
		t.Errorf("%d", got)
	}
	if got := slow.Over(&fast); got != 500<<clock.FractionBits/Batch {
		t.Errorf("%d", got)
	}
}
