//go:build linux

package overlay_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/tier"
)

// A countdown counts every scope and times one in N, whatever pattern the program has.
func TestCountdown(t *testing.T) {
	t.Parallel()
	const scopes = 2_000_000
	p := runSteered(t, "sample=1:100,countdown,seed=7,only=*.work;*.slow", "period", "2000000").Profile
	m, slow := marker(t, p, "work"), marker(t, p, "slow")
	if m.Count != scopes || m.CountSE() != 0 || m.Sample != 100 {
		t.Errorf("%d scopes ± %g, 1:%d", m.Count, m.CountSE(), m.Sample)
	}
	if m.Samples < scopes/100*95/100 || m.Samples > scopes/100*105/100 {
		t.Errorf("%d of %d scopes timed", m.Samples, m.Count)
	}
	if slow.Count != scopes/1000 {
		t.Errorf("%d slow ones", slow.Count)
	}
	// About 2000, by chance some more or fewer, plus scopes that are interrupted, a thousand times
	// a second or more on a busy machine. If exactly each hundredth scope were timed, the slow ones
	// would be found a hundred times too often, or never.
	if n := longer(m, 1<<10); n < 500 || n > 20_000 {
		t.Errorf("an estimate of %d slow ones", n)
	}
	// A directive sets the rate for one marker, unless everything is requested.
	p = runSteered(t, "collect=time", "rare", "100000").Profile
	if m := marker(t, p, "rare"); m.Count != 100_000 || m.Samples < 900 || m.Samples > 1100 {
		t.Errorf("%d scopes, %d timed", m.Count, m.Samples)
	}
	p = runSteered(t, "sample=1:1", "rare", "100000").Profile
	if m := marker(t, p, "rare"); m.Count != 100_000 || m.Sampled() {
		t.Errorf("%d scopes, %d timed", m.Count, m.Samples)
	}
}

// With a seed, one of each N scopes is timed, whatever processors they run on, and also while the
// cost of scopes is being measured on one.
func TestCountdownSeedTogether(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	const calls = 50_000
	for range 10 {
		m := marker(t, runSteered(t, "seed=1", "rares", fmt.Sprint(calls)).Profile, "rare")
		if m.Count != 4*calls || m.Samples < 4*calls/100-1 || m.Samples > 4*calls/100+1 {
			t.Errorf("%d of %d scopes timed, want one in 100 of %d", m.Samples, m.Count, 4*calls)
		}
	}
}

// With a seed, a countdown times the same scopes in each run.
func TestCountdownSeed(t *testing.T) {
	t.Parallel()
	timed := func(seed string) (list []uint64) {
		m := marker(t, runSteered(t, "sample=1:10,countdown,"+seed, "sized", "5000").Profile, "sized")
		if m.Count != 5000 || m.Samples < 400 || m.Samples > 600 {
			t.Errorf("%s: %d of %d scopes timed", seed, m.Samples, m.Count)
		}
		for _, b := range m.Sizes {
			list = append(list, uint64(b.K), b.Count)
		}
		return list
	}
	seven := timed("seed=7")
	for range 3 {
		if diff := cmp.Diff(seven, timed("seed=7")); diff != "" {
			t.Errorf("sizes of the scopes that are timed, and how many (-one +another run):\n%s", diff)
		}
	}
	zero := timed("seed=0")
	if !slices.Equal(zero, timed("seed=0")) {
		t.Error("seed=0 is none")
	}
	if slices.Equal(zero, seven) || slices.Equal(timed("noself"), timed("noself")) {
		t.Error("other seeds, and the same scopes")
	}
}

// longer returns the number of scopes of the marker that took at least ns.
func longer(m *profile.Marker, ns uint64) (n uint64) {
	for _, b := range m.Buckets {
		if b.LoNS() >= ns {
			n += b.Count
		}
	}
	return n
}

// Windows cover all parts of a program's period equally: one scope in a thousand is slow, so 100 on
// average of the 100,000 or more that are recorded, although slow ones are clustered. Fewer than
// 20, or more than 500, are not due to chance (less than one run in 10,000).
func TestWindows(t *testing.T) {
	tier.Corpus(t)
	p := runSteered(t, "sample=1:10,seed=11,only=*.work;*.step", "period", "20000000").Profile
	m := marker(t, p, "work")
	if m.Sample != 10 || m.Samples < 100_000 || p.Sampling == nil || p.Sampling.Windows < 10 {
		t.Fatalf("1:%d, %d samples, %+v", m.Sample, m.Samples, p.Sampling)
	}
	if share := float64(longer(m, 1<<10)) / float64(m.Count); share < 0.0002 || share > 0.005 {
		t.Errorf("%g of the scopes are slow, want about 0.001", share)
	}
	if se, ok := m.MeanSE(); !ok || se <= 0 || m.CountSE() <= 0 {
		t.Errorf("standard errors %g, %g", se, m.CountSE())
	}
	if few := marker(t, runSteered(t, "sample=1:10", "period", "500").Profile, "step"); few.Count != 500 || few.CountSE() != 0 {
		t.Errorf("%d ± %g steps of 500", few.Count, few.CountSE())
	}
}

// A trace without timing is sampled, too.
func TestWindowsTraced(t *testing.T) {
	tier.Corpus(t)
	const bursts = 400_000
	p := runSteered(t, "collect=trace,buffer=64M,sample=1:100,only=*.burst", "even", fmt.Sprint(bursts)).Profile
	if p.Trace == nil || p.Trace.Records < 2*1000 || p.Trace.Records > 2*bursts/5 || p.Sampling == nil {
		t.Errorf("a sample of 1:100 of a trace of %d records is %+v, %+v", 2*bursts, p.Trace, p.Sampling)
	}
}

// A call that takes longer than a window, and decides at its start whether its content is recorded,
// is recorded completely.
func TestWindowsOfLongCalls(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	const calls, each = 3000, 10_000
	p := runSteered(t, "sample=1:20,seed=91,only=*.lengthy*", "lengthy", fmt.Sprint(calls)).Profile
	loop, function := marker(t, p, "lengthy:for#1"), marker(t, p, "lengthy")
	// One call may be open at the end. If another program has the processor when the gates should
	// close, an unrecorded call may begin while they are open, and the part of its loop in the next
	// window is recorded.
	if n, calls := float64(loop.Samples)/each, float64(function.Samples); calls < 10 || n < calls || n > 1.1*calls+1 {
		t.Errorf("%d scopes of a loop of %d were recorded, in %d calls", loop.Samples, each, function.Samples)
	}
}

// The code before and after a wait within a function is sampled in the same proportion as its
// calls.
func TestWindowsOfWaiting(t *testing.T) {
	tier.Corpus(t)
	p := runSteered(t, "sample=1:10,seed=101,only=*.waiting*", "waiting", "3000").Profile
	function := float64(marker(t, p, "waiting").Count)
	for name, each := range map[string]float64{"waiting:for#1": 2, "waiting:for#2": 3} {
		if n := float64(marker(t, p, name).Count) / each; math.Abs(n-function) > 0.2*function {
			t.Errorf("%s is in %.0f calls of %.0f", name, n, function)
		}
	}
}
