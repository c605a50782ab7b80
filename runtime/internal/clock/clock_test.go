package clock

import (
	"math"
	"slices"
	"testing"
)

func TestCommonStep(t *testing.T) {
	for _, tt := range []struct {
		steps []uint64
		want  uint64
	}{
		{nil, 1},
		{[]uint64{1000}, 1000},
		{[]uint64{40, 60, 100}, 20},
		{[]uint64{52, 78, 52, 104, 78, 78, 52, 130}, 26},
		{[]uint64{1, 51, 52, 78, 78, 52, 52, 78, 104, 52, 78, 78, 52, 78, 52, 78}, 26}, // read twice in one step
		{[]uint64{52, 52, 52, 52, 52, 52, 52, 78, 78, 78, 52, 52}, 26},
		{[]uint64{50, 52, 54, 52, 58, 52, 50, 56}, 2},
		{[]uint64{50, 53, 51, 52, 58, 52, 47, 56}, 1},
	} {
		if got := commonStep(tt.steps); got != tt.want {
			t.Errorf("%d: %d, want %d", tt.steps, got, tt.want)
		}
	}
}

func TestRoundedStep(t *testing.T) {
	for _, tt := range []struct {
		steps       []uint64
		least, most float64
	}{
		{nil, 0, 0},
		{[]uint64{1, 2, 3, 4, 5, 6, 7, 1}, 0, 0},
		{[]uint64{24, 25, 24, 49, 25, 73, 49, 98}, 24.3, 24.6},
		{[]uint64{24, 1, 24, 49, 25, 73, 49, 98}, 24.3, 24.6}, // read twice in one step
		{[]uint64{26, 52, 26, 78, 52, 104, 26, 130}, 25.6, 26.4},
		{[]uint64{24, 25, 24, 49, 25, 73, 49, 1 << 40}, 24.3, 24.6}, // another process had the processor
		{[]uint64{50, 52, 54, 61, 58, 52, 47, 56, 44, 65, 71, 39, 40, 83, 77, 92}, 0, 0},
		{[]uint64{30, 34, 38, 42, 46, 50, 54, 58, 62, 66, 70, 74, 78, 82, 86, 90}, 0, 0},
	} {
		got := float64(roundedStep(slices.Clone(tt.steps))) / (1 << FractionBits)
		if got < tt.least || got > tt.most {
			t.Errorf("%d: %.2f, want %g to %g", tt.steps, got, tt.least, tt.most)
		}
	}
}

// Ticks and Multiplier agree for durations of any length.
func TestTicks(t *testing.T) {
	for _, hz := range []uint64{1e6, 24e6, 1e9, 2_995_200_000, 5e9} {
		for _, ns := range []uint64{0, 1000, 4_000_000_000, 5_000_000_000, 60_000_000_000, 10 * 365 * 24 * 3600 * 1_000_000_000} {
			if got, want := float64(Ticks(ns, Multiplier(hz))), float64(ns)/1e9*float64(hz); math.Abs(got-want) > want/1e6+1 {
				t.Errorf("%d ns at %d Hz are %g ticks, want %g", ns, hz, got, want)
			}
		}
	}
	if got := Ticks(1<<64-1, Multiplier(5e9)); got != 1<<64-1 {
		t.Errorf("the longest time is %d ticks", got)
	}
	if got := Ticks(7, 0); got != 7 {
		t.Errorf("without a rate 7 ns are %d ticks", got)
	}
}

// Hz is the counter's growth relative to the other clock, whatever happens between some of the
// readings.
func TestAnchor(t *testing.T) {
	var at uint64
	pause := uint64(0)
	ticks := func() uint64 { at += 10 + pause; return 3 * at }
	nanotime := func() int64 { at += 10; return int64(at) }
	begun := At(ticks, nanotime)
	if begun.Tick != 3*begun.Mono {
		t.Errorf("%+v is not one moment of a clock of 3 ticks a ns", begun)
	}
	at += 1_000_000
	pause = 100_000 // each reading of the counter takes long
	if hz := begun.Hz(At(ticks, nanotime)); hz < 2_700_000_000 || hz > 3_300_000_000 {
		t.Errorf("%d Hz, want 3 GHz", hz)
	}
	if hz := begun.Hz(begun); hz != 0 {
		t.Errorf("%d Hz in no time", hz)
	}
}

// A counter that advances by 25 ticks has a step of 25 ticks.
func TestStep(t *testing.T) {
	at, turn := uint64(0), uint64(0)
	read := func() uint64 {
		turn = (turn + 1) % 3
		at += 25 * (2 + turn)
		return at
	}
	if got := Step(read) >> FractionBits; got != 25 {
		t.Errorf("%d ticks, want 25", got)
	}
}

// The stated rate of this machine's processor agrees with its clock.
func TestProcessor(t *testing.T) {
	if Usable() && Rate(1) == 0 {
		t.Error("a clock without a rate")
	}
	if hz := statedHz(); hz != 0 && (Rate(hz+hz/4000) != hz || Rate(2*hz) != 2*hz) {
		t.Errorf("a stated rate of %d Hz is taken where it is far from the measured one, or is not where it is near", hz)
	}
	t.Logf("usable: %t, stated: %d Hz, model: %q", Usable(), statedHz(), Model())
}
