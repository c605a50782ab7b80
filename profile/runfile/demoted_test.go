package runfile

import (
	"math"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/table"
)

// sampledRun is a run of a package m with the markers
//
//	0  F         timed, lines 1 to 9
//	1  F:for#1   demoted, lines 3 to 8
//	2  F:func#1  timed, a literal, lines 5 to 7
//	3  G         demoted, lines 20 to 29
func sampledRun() *run {
	r := &run{Profile: &profile.Profile{}, scratch: new(scratch), off: map[uint64]string{1: profile.Demoted, 3: profile.Demoted}}
	r.scratch.reset()
	markers := []*profile.Marker{
		{Name: "m.F", Kind: "func", File: "f.go", Line: 1}, {Name: "m.F:for#1", Kind: "loop", File: "f.go", Line: 3},
		{Name: "m.F:func#1", Kind: "func", File: "f.go", Line: 5}, {Name: "m.G", Kind: "func", File: "f.go", Line: 20},
	}
	t := &unitTable{Table: &table.Table{Path: "m", Markers: markers, Lines: []table.Lines{{Within: 9}, {Within: 6}, {Within: 3}, {Within: 10}}}}
	r.tables, r.ordered = map[uint64]*unitTable{0: t}, []*unitTable{t}
	r.totals.set(0, &profile.Marker{Count: 1, SelfNS: 1_000_000, Buckets: []profile.Bucket{{K: 19, Count: 1, SumNS: 1_000_000}}})
	r.totals.set(1, &profile.Marker{Count: 2000, SelfNS: 50_000, Buckets: []profile.Bucket{{K: 5, Count: 1000, SumNS: 50_000}}})
	r.totals.set(2, &profile.Marker{Count: 10, SelfNS: 100_000, Buckets: []profile.Bucket{{K: 13, Count: 10, SumNS: 100_000}}})
	r.totals.set(3, &profile.Marker{Count: 4000, SelfNS: 20_000, NestedNS: 5000, Buckets: []profile.Bucket{{K: 4, Count: 1000, SumNS: 25_000}}})
	return r
}

// sample adds n samples of a stack to the profile, the innermost frame first.
func (r *run) sample(n uint64, frames ...frame) {
	s := sampledStack{samples: n}
	for _, f := range frames {
		s.frames = append(s.frames, len(r.cpuProfile.frames))
		r.cpuProfile.frames = append(r.cpuProfile.frames, f)
	}
	r.cpuProfile.stacks = append(r.cpuProfile.stacks, s)
}

// The times of demoted markers, and the self times around them, are those of the samples; most samples
// in markers' own code are their cost.
func TestSampledTimes(t *testing.T) {
	at := func(function string, line int) frame { return frame{"m." + function, "/src/m/f.go", line} }
	r := sampledRun()
	r.sample(100, frame{"runtime.memmove", "mem.s", 1}, at("F", 2))
	r.sample(300, at("F", 4))
	r.sample(50, frame{"markgen/perf.TallyUnit", "tally.go", 9}, at("F", 5)) // the line on which the literal begins
	r.sample(100, at("G", 21), at("G", 22), at("F", 4))
	r.sample(10, at("F.func1", 6), at("F", 5))
	r.sample(7, frame{"runtime.gcBgMarkWorker", "mgc.go", 1})
	for _, t := range r.tables {
		for i := range t.Markers {
			if m := r.totals.at(uint64(i)); r.off[uint64(i)] == profile.Demoted {
				m.Samples = m.Timed()
				m.Buckets[0].Count, m.Buckets[0].SumNS = m.Count, m.Buckets[0].SumNS*m.Count/m.Samples
			}
		}
	}
	r.sampledTimes(1000)
	near := func(what string, got uint64, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 0.02*want {
			t.Errorf("%s %d ns, want %.0f", what, got, want)
		}
	}
	near("self time of F", r.totals.at(0).SelfNS, 550_000*100.5/551)
	near("total of F", r.totals.at(0).TotalNS(), 1_000_000)
	near("self time of the loop", r.totals.at(1).SelfNS, 300_000+50_000*overlap)
	near("total of the loop", r.totals.at(1).TotalNS(), 300_000+50_000*overlap+100_000+100_000) // the literal's own time is known better
	near("self time of the literal", r.totals.at(2).SelfNS, 100_000)
	near("self time of G", r.totals.at(3).SelfNS, 100_000)
	near("total of G", r.totals.at(3).TotalNS(), 100_000)
	near("sum of G, in itself", r.totals.at(3).SumNS(), 200_000)
	near("cost", uint64(r.sampledCost), 50_000*(1-overlap)*slowdown)
}

// Markers with few samples share the time of these, and none has more than they make likely.
func TestScarce(t *testing.T) {
	var s scarce
	s.add(20, 5000) // has enough
	if f := s.factor(1000, 1e9); f != 1 {
		t.Errorf("without markers: factor %v, want 1", f)
	}
	for range 7 {
		s.add(3, 5000)
	}
	if f := s.factor(1000, 1e9); f != 0.6 {
		t.Errorf("factor %v, want 0.6", f)
	}
	s = scarce{}
	s.add(0, 6000)
	if f := s.factor(1000, 1e9); f != 0.5 {
		t.Errorf("without samples: factor %v, want 0.5", f)
	}
	if f := s.factor(10_000, 1e9); f != 1 {
		t.Errorf("without samples, where none are likely: factor %v, want 1", f)
	}
	if f := s.factor(10_000, 1500); f != 0.25 {
		t.Errorf("without samples, in a shorter run: factor %v, want 0.25", f)
	}
}

// Time that samples do not explain is waiting, if it is most of the time.
func TestSubtractSampled(t *testing.T) {
	for _, tt := range []struct {
		recorded uint64
		self, n  float64
		want     float64
	}{
		{100_000, 0, 100, 100_000 * 0.5 / 101},                       // all of it in markers inside
		{190_000, 50, 100, 100_000 * 50.5 / 101},                     // as much may be due to others on the processors
		{1_000_000, 50, 100, 1_000_000 - 123_000 + 100_000*50.5/101}, // it waited
		{500, 0, 1, 500 * 0.5 / 2},                                   // one sample stands for more than there is
	} {
		m := &profile.Marker{SelfNS: tt.recorded}
		if subtractSampled(m, tt.self, tt.n, 1000); math.Abs(float64(m.SelfNS)-tt.want) > 1 {
			t.Errorf("%v of %v samples in %d ns: %d ns, want %.0f", tt.self, tt.n, tt.recorded, m.SelfNS, tt.want)
		}
	}
	m := &profile.Marker{Readings: []profile.Reading{{Collector: profile.Wait, Values: []profile.Value{{Name: "run_ns", Self: 600}}}}}
	if subtractSampled(m, 1, 2, 300); m.SelfNS != 0 || m.Readings[0].Values[0].Self != 600 {
		t.Errorf("without a scope that has ended: %+v", m)
	}
	m = &profile.Marker{SelfNS: 1000, Readings: []profile.Reading{{Collector: profile.Wait, Values: []profile.Value{{Name: "block_ns", Self: 400}, {Name: "run_ns", Self: 600}}}}}
	subtractSampled(m, 1, 2, 300)
	if m.SelfNS != 400+300 || m.WaitingNS()-400 > 1 {
		t.Errorf("%d ns, %d of them waiting; want 700 and 400", m.SelfNS, m.WaitingNS())
	}
}

// Lines that are no lines of a profile make all of it damage.
func TestProfileText(t *testing.T) {
	for line, want := range map[string]bool{
		"f\tm.F\t12\t/src/f.go": true, "s\t3": true, "s\t3\t0": true,
		"": false, "x": false, "f\tm.F\t12": false, "f\tm.F\tx\tf.go": false, "s": false, "s\t-1": false, "s\t0": false, "s\t1\t1": false, "s\t1\t": false,
	} {
		p := cpuProfile{frames: []frame{{}}}
		if got := p.add(line); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	for function, want := range map[string]string{
		"main.main": "main", "example.com/m.(*T).F.func1": "example.com/m", "gopkg.in/yaml%2ev3.Marshal": "gopkg.in/yaml.v3",
		"example.com/m.F[...]": "example.com/m", "example.com/m.F[example.com/n.T]": "example.com/m", "go.shape": "go",
	} {
		if got := packageOf(function); got != want {
			t.Errorf("package of %s: %q, want %q", function, got, want)
		}
	}
}
