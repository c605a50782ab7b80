//go:build linux

package overlay_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/tier"
)

// A countdown counts every passage and times one in N, wherever the program's own
// patterns are.
func TestCountdown(t *testing.T) {
	t.Parallel()
	const passages = 2_000_000
	p := runSteered(t, "sample=1:100,countdown,seed=7,only=*.work;*.slow", "period", "2000000").Profile
	m, slow := marker(t, p, "work"), marker(t, p, "slow")
	if m.Count != passages || m.CountSE() != 0 || m.Sample != 100 {
		t.Errorf("%d passages ± %g, 1:%d", m.Count, m.CountSE(), m.Sample)
	}
	if m.Samples < passages/100*95/100 || m.Samples > passages/100*105/100 {
		t.Errorf("%d of %d passages timed", m.Samples, m.Count)
	}
	if slow.Count != passages/1000 {
		t.Errorf("%d slow ones", slow.Count)
	}
	// 2000, by chance some more or fewer, and what is interrupted a thousand times a second or more on a busy machine.
	// Each hundredth passage would be a hundred times too often a slow one, or never.
	if n := longer(m, 1<<10); n < 500 || n > 20_000 {
		t.Errorf("an estimate of %d slow ones", n)
	}
	// A directive says so for a marker alone, unless everything is wanted.
	p = runSteered(t, "collect=time", "rare", "100000").Profile
	if m := marker(t, p, "rare"); m.Count != 100_000 || m.Samples < 900 || m.Samples > 1100 {
		t.Errorf("%d passages, %d timed", m.Count, m.Samples)
	}
	p = runSteered(t, "sample=1:1", "rare", "100000").Profile
	if m := marker(t, p, "rare"); m.Count != 100_000 || m.Sampled() {
		t.Errorf("%d passages, %d timed", m.Count, m.Samples)
	}
}

// With a seed one of each N passages is timed, whatever processors they are on, and while what scopes cost is being measured on one.
func TestCountdownSeedTogether(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	const calls = 50_000
	for range 10 {
		m := marker(t, runSteered(t, "seed=1", "rares", fmt.Sprint(calls)).Profile, "rare")
		if m.Count != 4*calls || m.Samples < 4*calls/100-1 || m.Samples > 4*calls/100+1 {
			t.Errorf("%d of %d passages timed, want one in 100 of %d", m.Samples, m.Count, 4*calls)
		}
	}
}

// With a seed a countdown times the same passages in each run.
func TestCountdownSeed(t *testing.T) {
	t.Parallel()
	timed := func(seed string) (list []uint64) {
		m := marker(t, runSteered(t, "sample=1:10,countdown,"+seed, "sized", "5000").Profile, "sized")
		if m.Count != 5000 || m.Samples < 400 || m.Samples > 600 {
			t.Errorf("%s: %d of %d passages timed", seed, m.Samples, m.Count)
		}
		for _, b := range m.Sizes {
			list = append(list, uint64(b.K), b.Count)
		}
		return list
	}
	seven := timed("seed=7")
	for range 3 {
		if diff := cmp.Diff(seven, timed("seed=7")); diff != "" {
			t.Errorf("sizes of the passages that are timed, and how many (-one +another run):\n%s", diff)
		}
	}
	zero := timed("seed=0")
	if !slices.Equal(zero, timed("seed=0")) {
		t.Error("seed=0 is none")
	}
	if slices.Equal(zero, seven) || slices.Equal(timed("noself"), timed("noself")) {
		t.Error("other seeds, and the same passages")
	}
}

// longer is how many passages of the marker took ns or more.
func longer(m *profile.Marker, ns uint64) (n uint64) {
	for _, b := range m.Buckets {
		if b.LoNS() >= ns {
			n += b.Count
		}
	}
	return n
}

// Windows fall on all parts of a program's period alike. Counts may be too low where other programs
// keep some of the processors busy, so they are only asked to be of the right size, and this test runs
// beside no other of its package.
func TestWindows(t *testing.T) {
	tier.Corpus(t)
	p := runSteered(t, "sample=1:10,seed=11,only=*.work;*.step", "period", "20000000").Profile
	sure := func() bool {
		m := marker(t, p, "step")
		return near(m, 20e6) || m.Count > 20e6/4 && m.Count < 20e6
	}
	for seed := 12; seed < 15 && !sure(); seed++ { // what else the machine does may come between
		t.Logf("%d ± %g steps of 20,000,000", marker(t, p, "step").Count, marker(t, p, "step").CountSE())
		p = runSteered(t, fmt.Sprintf("sample=1:10,seed=%d,only=*.work;*.step", seed), "period", "20000000").Profile
	}
	m := marker(t, p, "work")
	if m.Sample != 10 || m.Samples < 10_000 || p.Sampling == nil || p.Sampling.Windows < 10 {
		t.Fatalf("1:%d, %d samples, %+v", m.Sample, m.Samples, p.Sampling)
	}
	share := float64(longer(m, 1<<10)) / float64(m.Count)
	if share < 0.0002 || share > 0.005 {
		t.Errorf("%g of the passages are slow, want about 0.001", share)
	}
	steps := marker(t, p, "step")
	if steps.Samples < 10_000 || !sure() {
		t.Errorf("%d ± %g steps of 20,000,000 from %d", steps.Count, steps.CountSE(), steps.Samples)
	}
	if few := marker(t, runSteered(t, "sample=1:10", "period", "500").Profile, "step"); few.Count != 500 || few.CountSE() != 0 {
		t.Errorf("%d ± %g steps of 500", few.Count, few.CountSE())
	}
	if se, ok := m.MeanSE(); !ok || se <= 0 || m.CountSE() <= 0 {
		t.Errorf("standard errors %g, %g", se, m.CountSE())
	}
}

// Reading collectors takes longer than what is read here, and none of it is the program's time.
func TestWindowsRead(t *testing.T) {
	tier.Corpus(t)
	const bursts = 400_000
	read := new(profile.Marker)
	ok := func() bool {
		return read.Count > bursts*7/10 && read.Count < bursts*13/10 && read.CountSE() < bursts*3/10
	}
	for seed := 1; seed < 5 && !ok(); seed++ {
		read = marker(t, runSteered(t, fmt.Sprintf("collect=io,sample=1:10,seed=%d,only=*.burst", seed), "even", fmt.Sprint(bursts)).Profile, "burst")
		t.Logf("%d ± %g bursts of %d", read.Count, read.CountSE(), bursts)
	}
	if !ok() {
		t.Errorf("with a collector %d ± %g bursts of %d", read.Count, read.CountSE(), bursts)
	}
}

// A trace in which nothing is timed is sampled, too.
func TestWindowsTraced(t *testing.T) {
	tier.Corpus(t)
	const bursts = 400_000
	p := runSteered(t, "collect=trace,buffer=64M,sample=1:100,only=*.burst", "even", fmt.Sprint(bursts)).Profile
	if p.Trace == nil || p.Trace.Records < 2*1000 || p.Trace.Records > 2*bursts/5 || p.Sampling == nil {
		t.Errorf("a sample of 1:100 of a trace of %d records is %+v, %+v", 2*bursts, p.Trace, p.Sampling)
	}
}

// A program that sleeps is woken up with who opens windows. They do not begin when it does for that.
func TestWindowsOfRests(t *testing.T) {
	tier.Corpus(t)
	const bursts = 3000
	var m *profile.Marker
	for seed := 21; seed < 25; seed++ { // what else the machine does may come between
		p := runSteered(t, fmt.Sprintf("sample=1:100,seed=%d,only=*.burst", seed), "resting", fmt.Sprint(bursts)).Profile
		m = marker(t, p, "burst")
		if near(m, 20*bursts) && m.Count > 10*bursts && m.Count < 40*bursts && m.Samples > 100 {
			return
		}
		t.Logf("%d ± %g passages of %d, from %d", m.Count, m.CountSE(), 20*bursts, m.Samples)
	}
	t.Errorf("%d ± %g passages of %d", m.Count, m.CountSE(), 20*bursts)
}

// A program that keeps a processor busy and rests all the same, for less than a millisecond at a time, is not woken up by windows out of what it sleeps in them.
func TestWindowsOfNaps(t *testing.T) {
	tier.Corpus(t)
	const naps = 4 * 2000
	var counts, means []float64
	wrong := func() bool {
		slices.Sort(counts)
		slices.Sort(means)
		n := len(counts)
		return n == 0 || counts[n/2] < 0.7 || counts[n/2] > 1.4 || means[n/2] < 0.85 || means[n/2] > 1.2
	}
	for seed := 121; seed < 126 && wrong(); seed++ { // what else the machine does may come between
		r := runSteered(t, fmt.Sprintf("sample=1:20,seed=%d,only=*.nap", seed), "naps", fmt.Sprint(naps/4))
		m := marker(t, r.Profile, "nap")
		took, err := strconv.ParseFloat(strings.TrimSpace(r.stdout), 64)
		if err != nil {
			t.Fatal(err)
		}
		counts, means = append(counts, float64(m.Count)/naps), append(means, m.MeanNS()/took)
	}
	t.Logf("of what they should be, counts are %.3g and means %.3g", counts, means)
	if wrong() {
		t.Errorf("of what they should be, counts are %.3g and means %.3g", counts, means)
	}
}

// Where all processors are busy, whoever opens windows comes when a goroutine waits or has had its turn. They do not begin then.
func TestWindowsOfBusy(t *testing.T) {
	tier.Corpus(t)
	const calls = 600_000
	all := marker(t, runSteered(t, "only=*.worker:job", "workers", fmt.Sprint(calls)).Profile, "worker:job")
	if all.Count != calls {
		t.Errorf("%d jobs of %d", all.Count, calls)
	}
	for _, rate := range []string{"1:20", "1:100"} {
		jobs, sent := &trial{runs: 9, least: 0.7, most: 1.4}, &trial{runs: 9, least: 0.7, most: 1.4}
		mean := &trial{runs: 9, least: 0.4, most: 2} // a few that other programs held up are much of it
		for seed := 31; !decided(jobs, sent, mean); seed++ {
			p := runSteered(t, fmt.Sprintf("sample=%s,seed=%d,only=*:job;*:send", rate, seed), "workers", fmt.Sprint(calls)).Profile
			job := marker(t, p, "worker:job")
			jobs.add(job, calls)
			sent.add(marker(t, p, "main:send"), calls)
			mean.parts = append(mean.parts, job.MeanNS()/all.MeanNS())
		}
		jobs.check(t, rate+": jobs")
		sent.check(t, rate+": jobs sent")
		mean.check(t, rate+": means")
	}
}

// TestWindowsOfPhases looks at a program that passes a marker every few ns for a while and then rests for as long: what recording
// takes of a window is to count where it was taken. It is as much as the program is left, and differs with what else the machine does.
func TestWindowsOfPhases(t *testing.T) {
	tier.Corpus(t)
	brief := &trial{runs: 7, least: 0.6, most: 2.5, errors: 2, far: 2}
	for seed := 41; !decided(brief); seed++ {
		r := runSteered(t, fmt.Sprintf("sample=1:20,seed=%d,only=*.brief", seed), "turns", "40")
		calls, err := strconv.ParseFloat(strings.TrimSpace(r.stdout), 64)
		if err != nil {
			t.Fatal(err)
		}
		brief.add(marker(t, r.Profile, "brief"), calls)
	}
	brief.check(t, "passages")
}

// Counting takes as much of a window as recording does, or more, and who sees neither was passed less often there.
func TestWindowsOfCounters(t *testing.T) {
	tier.Corpus(t)
	const calls = 5_000_000
	scopes, counters := &trial{runs: 5, least: 0.55, most: 1.6}, &trial{runs: 5, least: 0.55, most: 1.6}
	for seed := 61; !decided(scopes, counters); seed++ {
		p := runSteered(t, fmt.Sprintf("sample=1:20,seed=%d,only=*.steps;*.step", seed), "counted", fmt.Sprint(calls)).Profile
		scopes.add(marker(t, p, "steps"), calls)
		counters.add(marker(t, p, "step"), 64*calls)
	}
	scopes.check(t, "scopes")
	counters.check(t, "counters")
}

// Recording takes most of a window where a function is passed every few ns, and how much that is shows in those in which
// passages are counted only.
func TestWindowsOfDense(t *testing.T) {
	tier.Corpus(t)
	const calls = 20_000_000
	brief := &trial{runs: 7, least: 0.6, most: 2, errors: 2, far: 2}
	for seed := 71; !decided(brief); seed++ {
		brief.add(marker(t, runSteered(t, fmt.Sprintf("sample=1:20,seed=%d,only=*.brief", seed), "dense", fmt.Sprint(calls)).Profile, "brief"), calls)
	}
	brief.check(t, "passages")
}

// Where markers follow each other as closely as can be, how often functions are passed that are seldom passed tells how
// much more a program does without the others. Recording takes all but a thirtieth of a window there, so a price that is off by as much makes twice or
// half of a count, and the standard error says so.
func TestWindowsOfInner(t *testing.T) {
	tier.Corpus(t)
	const calls = 1_000_000
	tiny := &trial{runs: 7, least: 0.25, most: 3, errors: 2, far: 2}
	for seed := 81; !decided(tiny); seed++ {
		tiny.add(marker(t, runSteered(t, fmt.Sprintf("sample=1:20,seed=%d,only=*.tinies;*.tiny", seed), "inner", fmt.Sprint(calls)).Profile, "tiny"), 200*calls)
	}
	tiny.check(t, "passages")
}

// What is passed now and then is counted between windows, too, which tells how far the program gets on in windows whatever recording
// takes of them. In a run after that all passages are recorded.
func TestWindowsOfMilestones(t *testing.T) {
	tier.Corpus(t)
	const laps, each = 150_000, 5000
	scopes, counters := &trial{runs: 5, least: 0.75, most: 1.4}, &trial{runs: 5, least: 0.75, most: 1.4}
	tinies := &trial{runs: 5, most: math.Inf(1), errors: 2, far: 1}
	for seed := 141; !decided(scopes, counters, tinies); seed++ {
		r := runSteered(t, fmt.Sprintf("sample=1:20,seed=%d,only=*.lap;*.step;*.stretch;*.tiny", seed), "laps", fmt.Sprint(laps))
		scopes.add(marker(t, r.Profile, "lap"), laps)
		counters.add(marker(t, r.Profile, "step"), laps)
		tinies.add(marker(t, r.Profile, "tiny"), laps*each)
		next := r.read(t, "next.markgen")
		if lap, tiny := marker(t, next, "lap"), marker(t, next, "tiny"); lap.Count != 7 || tiny.Count != 7*each {
			t.Errorf("in the next run there are %d and %d passages, want %d and %d", lap.Count, tiny.Count, 7, 7*each)
		}
	}
	scopes.check(t, "scopes")
	counters.check(t, "counters")
	tinies.check(t, "tiny ones")
}

// Where a program does something dense and something else in less time than a window lasts, recording makes the one much longer than it
// is, and yet the other is seen as often.
func TestWindowsOfUneven(t *testing.T) {
	tier.Corpus(t)
	const rounds, brief, orders = 400, 40_000, 5
	dense, others := &trial{runs: 5, least: 0.6, most: 1.8}, &trial{runs: 5, least: 0.6, most: 1.8, errors: 3, far: 2}
	for seed := 131; !decided(dense, others); seed++ {
		p := runSteered(t, fmt.Sprintf("sample=1:20,seed=%d,only=*.brief;*.order", seed), "uneven", fmt.Sprint(rounds)).Profile
		dense.add(marker(t, p, "brief"), rounds*brief)
		others.add(marker(t, p, "order"), rounds*orders)
	}
	dense.check(t, "dense passages")
	others.check(t, "others")
}

// A function that takes longer than a window, and chooses where it begins whether what is in it is recorded, is recorded whole.
func TestWindowsOfLengthy(t *testing.T) {
	tier.Corpus(t)
	const calls, each = 3000, 100_000
	for round := range 3 { // what else the machine does may come between
		far := 0
		var ratios []float64
		for seed := range 5 {
			p := runSteered(t, fmt.Sprintf("sample=1:20,seed=%d,only=*.lengthy*", 91+5*round+seed), "lengthy", fmt.Sprint(calls)).Profile
			loop, function := marker(t, p, "lengthy:for#1"), marker(t, p, "lengthy")
			ratios = append(ratios, float64(loop.Count)/calls/each)
			if math.Abs(float64(function.Count)-calls) > 0.45*calls || math.Abs(float64(loop.Count)/each-float64(function.Count)) > 0.3*float64(function.Count) {
				far++
			}
			t.Logf("%d ± %.0f passages of %d, in %d ± %.0f calls of %d", loop.Count, loop.CountSE(), calls*each, function.Count, function.CountSE(), calls)
		}
		if slices.Sort(ratios); far <= 1 && ratios[2] > 0.7 && ratios[2] < 1.3 {
			return
		}
	}
	t.Error("counts are too far off")
}

// Where a program rests gates are opened long before a window, and calls that begin meanwhile run unmarked: marked they would last into it.
func TestWindowsOfPausing(t *testing.T) {
	tier.Corpus(t)
	const calls = 600
	lengthy := &trial{runs: 5, least: 0.65, most: 1.9}
	for seed := 111; !decided(lengthy); seed++ {
		lengthy.add(marker(t, runSteered(t, fmt.Sprintf("sample=1:20,seed=%d,only=*.lengthy*", seed), "pausing", fmt.Sprint(calls)).Profile, "lengthy"), calls)
	}
	lengthy.check(t, "calls")
}

// What is in a function before and behind a time that it waits is as large a part of all as its calls are.
func TestWindowsOfWaiting(t *testing.T) {
	tier.Corpus(t)
	const calls = 3000
	p := runSteered(t, "sample=1:10,seed=101,only=*.waiting*", "waiting", fmt.Sprint(calls)).Profile
	function := float64(marker(t, p, "waiting").Count)
	t.Logf("%.0f ± %.0f calls of %d", function, marker(t, p, "waiting").CountSE(), calls)
	for name, each := range map[string]float64{"waiting:for#1": 2, "waiting:for#2": 3} {
		m := marker(t, p, name)
		if n := float64(m.Count) / each; math.Abs(n-function) > 0.2*function {
			t.Errorf("%s is in %.0f calls of %.0f", name, n, function)
		}
		if n := float64(m.Count); math.Abs(n-each*calls) > 4*m.CountSE() {
			t.Errorf("%s: %.0f ± %.0f of %.0f", name, n, m.CountSE(), each*calls)
		}
	}
}

// A function that is passed often in a time that no window need fall into has a count that says how little is known of it.
func TestWindowsOfClumps(t *testing.T) {
	tier.Corpus(t)
	const calls = 8000
	for seed := 51; seed < 56; seed++ {
		m := marker(t, runSteered(t, fmt.Sprintf("sample=1:20,seed=%d,only=*.brief", seed), "clump", fmt.Sprint(calls)).Profile, "brief")
		if m.Count < calls/2 && math.Abs(float64(m.Count)-calls) > 2*m.CountSE() {
			t.Errorf("%d passages ± %.0f of %d", m.Count, m.CountSE(), calls)
		}
	}
}

// near tells whether an estimated count is what it should be, as far as it says it is sure.
func near(m *profile.Marker, want float64) bool {
	return math.Abs(float64(m.Count)-want) <= 6*m.CountSE()
}
