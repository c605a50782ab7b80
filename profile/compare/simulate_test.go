package compare

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// program is a simulated program. Times of calls are lognormal, with a tail. Runs differ as they do
// in reality: the machine affects all markers of a run, memory layout affects each marker by
// itself, sometimes strongly, and there is chance.
type program struct {
	markers  int
	scopes   int
	shared   float64 // standard deviation of the shared part
	own      float64 // standard deviation of a marker's own part
	outliers float64 // fraction of markers and runs that are disturbed
	tail     float64 // fraction of calls that take several times as long
	// times changes the time of a call of a marker in new runs, in ns.
	times func(r *rand.Rand, marker int, ns float64) float64
}

// typical returns an ordinary program.
var typical = program{markers: 30, scopes: 100, shared: 0.02, own: 0.01, outliers: 0.01, tail: 0.02}

func (p program) run(r *rand.Rand, label Label, number int) *profile.Profile {
	run := &profile.Profile{
		App: "shop", Run: fmt.Sprint(number), Runs: 1, Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64", State: "stopped", Complete: true,
		Clock: profile.Clock{Kind: "tsc", Hz: 2.7e9, QuantumNS: 0.4},
		Start: time.Date(2026, 3, 1, 12, 0, number, 0, time.UTC),
	}
	shared := math.Abs(p.shared * r.NormFloat64())
	for i := range p.markers {
		own := p.own * r.NormFloat64()
		if r.Float64() < p.outliers {
			own += r.ExpFloat64()
		}
		follows := 0.5 + float64(i%7)/6 // how strongly the marker follows the shared part
		centre := math.Log(100*math.Pow(1.15, float64(i%30))) + own + follows*shared
		var times []uint64
		for range p.scopes {
			ns := math.Exp(centre + 0.1*r.NormFloat64())
			if r.Float64() < p.tail {
				ns *= 1 + 5*r.ExpFloat64()
			}
			if label == New && p.times != nil {
				ns = p.times(r, i, ns)
			}
			times = append(times, uint64(ns))
		}
		run.Markers = append(run.Markers, marker(i, times))
	}
	return run
}

// marker returns a marker with calls of these times.
func marker(number int, times []uint64) profile.Marker {
	m := profile.Marker{ID: registry.ID(number + 1), Name: fmt.Sprintf("shop.f%03d", number), Kind: "func", File: "shop.go", Line: number + 1, Count: uint64(len(times))}
	var buckets [64]profile.Bucket
	for _, ns := range times {
		if m.MinNS == 0 || ns < m.MinNS {
			m.MinNS = ns
		}
		m.MaxNS = max(m.MaxNS, ns)
		m.SelfNS += ns / 2
		b := &buckets[bits.Len64(ns|1)-1]
		b.Count++
		b.SumNS += ns
		b.SumSq = b.SumSq.Add(profile.Square(ns))
	}
	for k, b := range buckets {
		if b.Count > 0 {
			b.K = uint8(k)
			m.Buckets = append(m.Buckets, b)
		}
	}
	return m
}

// compared simulates and compares that many runs per side, alternating.
func (p program) compared(t testing.TB, seed uint64, old, fresh int, o Options) *Result {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	c, err := NewComparison(o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range max(old, fresh) {
		for label, n := range []int{old, fresh} {
			if i < n {
				if err := c.Add(Label(label), p.run(r, Label(label), 2*i+label)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return c.Result()
}

// found returns the result for the marker with the number.
func found(t testing.TB, r *Result, number int) *Marker {
	t.Helper()
	for i := range r.Markers {
		if r.Markers[i].ID == registry.ID(number+1) {
			return &r.Markers[i]
		}
	}
	t.Fatalf("marker %d was not compared", number)
	return nil
}

// A comparison of runs of the same program fails, or finds anything, at most as often as alpha
// says, whatever disturbs the runs.
func TestNothingChanged(t *testing.T) {
	const trials = 100
	for _, tt := range []struct {
		name       string
		old, fresh int
		change     func(p *program)
	}{
		{"typical", 6, 6, func(*program) {}},
		{"few markers", 6, 6, func(p *program) { p.markers = 5 }},
		{"unequal sides", 4, 9, func(*program) {}},
		{"shared disturbance", 6, 6, func(p *program) { p.shared = 0.3 }},
		{"outliers", 6, 6, func(p *program) { p.outliers = 0.3 }},
		{"few scopes", 6, 6, func(p *program) { p.scopes = 3 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := typical
			tt.change(&p)
			any, worse := 0, 0
			for seed := range uint64(trials) {
				r := p.compared(t, seed, tt.old, tt.fresh, Options{})
				if r.Worse() > 0 {
					worse++
				}
				if r.Worse()+r.Better() > 0 {
					any++
				}
			}
			t.Logf("%d, worse %d", any, worse)
			// At 0.05, the probability of 13 or more of 100 is 1/700.
			if any >= 13 {
				t.Errorf("something is found in %d of %d comparisons of the same program, worse in %d", any, trials, worse)
			}
		})
	}
}

// With one marker, a p-value is at most x in a fraction x of comparisons: the test is neither
// anti-conservative nor too conservative.
func TestUniform(t *testing.T) {
	const trials = 300
	p := typical
	p.markers, p.outliers = 1, 0.1
	var values []float64
	for seed := range uint64(trials) {
		values = append(values, found(t, p.compared(t, seed, 5, 6, Options{Metric: "p50"}), 0).Lead().Adjusted)
	}
	for _, x := range []float64{0.02, 0.05, 0.1, 0.25, 0.5, 0.75} {
		n := 0.0
		for _, v := range values {
			if v <= x {
				n++
			}
		}
		if off := 3.3 * math.Sqrt(x*(1-x)/trials); math.Abs(n/trials-x) > off+1.0/462 {
			t.Errorf("p ≤ %v in %.3f of the comparisons", x, n/trials)
		}
	}
}

// One marker of 30 gets slower by 5 %.
func TestSlower(t *testing.T) {
	for shared, most := range map[float64]int{0: 1, 0.02: 1, 0.1: 3} {
		p := typical
		p.scopes = 200
		p.shared = shared
		p.times = func(_ *rand.Rand, marker int, ns float64) float64 {
			if marker == 20 {
				ns *= 1.05
			}
			return ns
		}
		missed := 0
		for seed := range uint64(10) {
			r := p.compared(t, seed, 10, 10, Options{Threshold: 0.04})
			m := found(t, r, 20)
			if m.Verdict != Worse {
				missed++
				continue
			}
			if f := m.Lead(); f.Change < 0.025 || f.Change > 0.075 || f.Lo > 0.05 || f.Hi < 0.05 {
				t.Logf("the change of %s is said to be %v, from %v to %v", f.Name, f.Change, f.Lo, f.Hi)
			}
		}
		if missed > most {
			t.Errorf("with a deviation of %v in all markers of a run, 5 %% more are missed in %d of 10 comparisons", shared, missed)
		}
	}
}

// The slowest calls of a marker get slower, while all quantiles up to the median stay the same.
func TestSlowerTail(t *testing.T) {
	for _, tt := range []struct {
		name  string
		share float64
		by    float64
		leads map[string]bool
	}{
		{"one in ten", 0.10, 3, map[string]bool{"p99": true, "p99+": true, "mean": true, "p90": true}},
		{"three in a hundred", 0.03, 20, map[string]bool{"p99": true, "p99+": true, "mean": true}},
		{"one in two hundred", 0.005, 60, map[string]bool{"p99+": true, "mean": true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := typical
			p.scopes, p.markers = 1000, 22
			p.times = func(r *rand.Rand, marker int, ns float64) float64 {
				if marker == 20 && r.Float64() < tt.share {
					ns *= tt.by
				}
				return ns
			}
			missed := 0
			for seed := range uint64(5) {
				r := p.compared(t, seed, 10, 10, Options{Threshold: 0.05})
				m := found(t, r, 20)
				for _, f := range m.Figures[:3] {
					if tt.share < 0.05 && f.Verdict >= Better {
						t.Errorf("%s changed by %v", f.Name, f.Change)
					}
				}
				if m.Verdict != Worse {
					missed++
				} else if !tt.leads[m.Lead().Name] {
					t.Errorf("the surest change is at %s", m.Lead().Name)
				}
			}
			if missed > 0 {
				t.Errorf("missed in %d of 5 comparisons", missed)
			}
		})
	}
}

// If all markers get slower together, that is not subtracted as a disturbance.
func TestAllSlower(t *testing.T) {
	p := typical
	p.times = func(_ *rand.Rand, _ int, ns float64) float64 { return ns * 1.1 }
	r := p.compared(t, 1, 10, 10, Options{Threshold: 0.05})
	worse := 0
	for _, m := range r.Markers {
		if m.Verdict == Worse {
			worse++
		}
	}
	if len(r.Shared) == 0 || r.Shared[2].Verdict != Worse || math.Abs(r.Shared[2].Change-0.1) > 0.04 {
		t.Errorf("what all share: %+v", r.Shared)
	}
	if worse < 20 {
		t.Errorf("%d of 30 markers got worse", worse)
	}
}

// The same with few runs.
func TestAllSlowerFewRuns(t *testing.T) {
	for _, runs := range []int{4, 5, 6} {
		p := typical
		p.times = func(_ *rand.Rand, _ int, ns float64) float64 { return 3 * ns }
		if r := p.compared(t, 1, runs, runs, Options{Threshold: 0.05}); r.Worse() < 15 {
			t.Errorf("%d runs a side: %d of 30 markers that take three times as long got worse", runs, r.Worse())
		}
	}
}

// If some of the markers, but less than half, get slower, all of them and no others are reported.
func TestSomeSlower(t *testing.T) {
	p := typical
	p.times = func(_ *rand.Rand, marker int, ns float64) float64 {
		if marker%3 == 0 {
			ns *= 1.3
		}
		return ns
	}
	r := p.compared(t, 1, 10, 10, Options{Threshold: 0.05})
	named := 0
	for _, m := range r.Markers {
		slower := (int(m.ID)-1)%3 == 0
		if m.Verdict == Worse && slower {
			named++
		} else if m.Verdict >= Better {
			t.Errorf("%s is %v: %+v", m.Name, m.Verdict, m.Lead())
		}
	}
	if named < 9 {
		t.Errorf("%d of 10 markers that got slower are named", named)
	}
}

// Improvements never fail a comparison, and are reported.
func TestFaster(t *testing.T) {
	p := typical
	p.times = func(_ *rand.Rand, marker int, ns float64) float64 {
		if marker == 7 {
			ns *= 0.7
		}
		return ns
	}
	r := p.compared(t, 1, 10, 10, Options{Threshold: 0.05})
	if m := r.Markers[0]; r.Worse() != 0 || r.Better() != 1 || m.Name != "shop.f007" || m.Verdict != Better || math.Abs(m.Lead().Change+0.3) > 0.03 {
		t.Errorf("%d worse, %d better; first %+v", r.Worse(), r.Better(), m)
	}
}

// A change of the detectable size is found with a probability of about 0.8, a smaller one is found
// less often.
func TestDetectable(t *testing.T) {
	hits, trials := 0, 0
	for seed := range uint64(40) {
		p := typical
		p.outliers = 0
		size := found(t, p.compared(t, seed+1000, 8, 8, Options{}), 20).Detectable
		p.times = func(_ *rand.Rand, marker int, ns float64) float64 {
			if marker == 20 {
				ns *= 1 + size
			}
			return ns
		}
		if found(t, p.compared(t, seed, 8, 8, Options{}), 20).Verdict == Worse {
			hits++
		}
		trials++
	}
	if hits < trials*6/10 {
		t.Errorf("what four of five comparisons are to find is found in %d of %d", hits, trials)
	}
	t.Logf("%d of %d", hits, trials)
}
