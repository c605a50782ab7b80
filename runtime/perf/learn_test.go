//go:build !markgen_off

package perf

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What recording costs shows in how much less often scopes are passed in the batches in which it is done.
func TestLearn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const (
		scopeAlone, scopeCost = 100.0, 50.0 // ticks
		thinAlone, thinCost   = 16.0, 8.0
		tickAlone, tickCost   = 6.0, 2.0
		counts                = 64.0 // for each scope
		need                  = 100_000.0
		usualScope, usualTick = scopeUsual * scopeAlone, tickUsual * tickAlone
	)
	type figures struct{ least, most float64 }
	for _, tt := range []struct {
		what        string
		batches     int     // of each sort
		scope       float64 // ticks from one to the next without recording
		noise       float64 // of that, from batch to batch
		idle        float64 // part of the batches in which nothing is passed
		seldom      float64 // how many scopes there are for one that is passed in thin windows
		scopes      figures
		counting    figures
		scopeUnsure float64 // at most, as a part
	}{
		{"few batches", 2, 300, 0, 0, 1, figures{usualScope, usualScope}, figures{usualTick, usualTick}, 0.7},
		{"steady", 200, 300, 0.05, 0, 1, figures{45, 55}, figures{1.8, 2.2}, 0.15},
		{"dense", 30, 5, 0.1, 0, 1, figures{47, 53}, figures{1, 3}, 0.15},
		{"inner ones", 30, 5, 0.1, 0, 100, figures{49, 51}, figures{1, 3}, 0.05},
		{"long", 5000, 300, 0.5, 0, 1, figures{40, 60}, figures{1.5, 2.6}, 0.2},
		{"unsteady", 40, 300, 1, 0, 1, figures{30, 110}, figures{1, usualTick}, 0.6},
		{"now and then", 400, 30, 0.05, 0.5, 1, figures{44, 60}, figures{1, usualTick}, 0.2},
		{"seldom", 400, 100_000, 0.2, 0, 1, figures{60, 95}, figures{1, usualTick}, 0.7},
	} {
		l := learned{alone: tickAlone * (1 << costBits), known: true}
		thought, counting := usualScope, usualTick
		for i := range tt.batches * int(batchSorts) {
			l.sort = batchSort(i % int(batchSorts))
			took := tt.scope * math.Exp(tt.noise*random.NormFloat64())
			price, less, each := scopeCost, thought, 0.0 // less is what does not count for how far the program gets on
			switch l.sort {
			case thinBatch:
				price, less = thinCost/tt.seldom, thought*thinShare(scopeAlone, thinAlone, 1)/tt.seldom
			case countedBatch:
				price += counts * tickCost
				less += counts * counting
				each = counts
			}
			n, ticks := 0.0, need
			if random.Float64() >= tt.idle {
				ticks = need * mostSlower
				if real := took + price; less < real {
					ticks = min(ticks, need*real/(real-less))
				}
				n = ticks / (took + price)
			}
			l.learn(passedIn{some: float32(n / tt.seldom), all: float32(n), counts: float32(n * each), ticks: float32(ticks), need: need}, false)
			thought, counting = l.scopeCost(scopeAlone, thinAlone, 1, 0, sharing{}).v, l.countingCost().v
		}
		got := l.scopeCost(scopeAlone, thinAlone, 1, 0, sharing{})
		if got.v < tt.scopes.least || got.v > tt.scopes.most {
			t.Errorf("%s: a scope costs %.4g, want %g to %g", tt.what, got.v, tt.scopes.least, tt.scopes.most)
		}
		if off := math.Sqrt(got.unsure) / got.v; off > tt.scopeUnsure || off < math.Abs(got.v-scopeCost)/got.v/4 {
			t.Errorf("%s: a scope costs %.4g, give or take %.2g of that", tt.what, got.v, off)
		}
		if got := l.countingCost(); got.v < tt.counting.least || got.v > tt.counting.most {
			t.Errorf("%s: counting costs %.3g, want %g to %g", tt.what, got.v, tt.counting.least, tt.counting.most)
		}
	}
	l := learned{alone: tickAlone * (1 << costBits), known: true}
	for i := range 1000 {
		l.sort = batchSort(i % int(batchSorts))
		l.learn(passedIn{counts: 1000, ticks: need, need: need}, false) // of nothing but counters
	}
	if scopes, ticks := l.scopeCost(scopeAlone, thinAlone, 1, 0, sharing{}), l.countingCost(); scopes.v != usualScope || ticks.v != usualTick {
		t.Errorf("where no scope is passed a scope costs %g, counting %g", scopes.v, ticks.v)
	}
}

// A scope's price does not depend on what it was thought to be, and so for how long windows were made longer, nor on how unlike they are.
func TestPrice(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const need, cost = 1e5, 50.0
	for _, thought := range []float64{10, 40, 50, 55} {
		for _, idle := range []float64{0, 0.5, 0.9} {
			l := learned{known: true}
			for i := range 3000 {
				l.sort = timedBatch
				price, less := cost, thought
				if i%3 == 0 {
					l.sort, price, less = thinBatch, 0, 0
				}
				ticks, n := need, 0.0
				if random.Float64() >= idle {
					between := []float64{10, 100, 1000}[random.IntN(3)]
					ticks = need * (between + price) / (between + price - less)
					n = ticks / (between + price)
				}
				l.learn(passedIn{some: float32(n), all: float32(n), ticks: float32(ticks), need: need}, false)
			}
			less, _ := l.latest[thinBatch].at(0, func(b *passedIn) (n, others float64) { return 0, 0 })
			want, unsure := less.mean()
			got, _, ok := l.latest[timedBatch].solve(want, unsure, thought, func(b *passedIn) (n, others float64) { return float64(b.all), 0 })
			if off := math.Sqrt(got.unsure); !ok || math.Abs(got.v-cost) > 3*off || off > cost/3 {
				t.Errorf("thought to cost %g, idle %g: %.3g ± %.2g, want %g", thought, idle, got.v, off, cost)
			}
		}
	}
	if _, _, ok := (&latestBatches{}).solve(1, 0.01, 50, func(b *passedIn) (n, others float64) { return float64(b.all), 0 }); ok {
		t.Error("nothing was passed, and costs something")
	}
}

// What scopes cost by milestones is what makes as many of them as there are between windows, and is as unsure as it says.
func TestMilestones(t *testing.T) {
	const need, often, cost = 10_000.0, 1.0 / 500, 60.0
	const counts, tick = 16.0, 2.0 // for each scope, and what one costs
	for _, tt := range []struct {
		what           string
		between, noise float64 // scopes, and how much that differs from batch to batch
		idle           float64 // batches in which neither is passed
		most           float64 // how unsure the cost is, at most, as a part
	}{
		{"steady", 20, 0.3, 0, 0.05},
		{"dense", 2, 0.3, 0, 0.02},
		{"idle", 20, 0.5, 0.5, 0.2},
		{"seldom", 2000, 0.3, 0, 3},
	} {
		far := 0
		random := rand.New(rand.NewPCG(5, 6))
		for range 100 {
			l := learned{known: true, sort: timedBatch, counter: estimate{v: tick}}
			for range 200 {
				b := passedIn{ticks: need, left: need, need: need}
				if random.Float64() >= tt.idle {
					n := need / tt.between * math.Exp(tt.noise*random.NormFloat64())
					marks := 0.0
					for at := random.ExpFloat64(); at < need*often; at += random.ExpFloat64() {
						marks++
					}
					b.all, b.marks, b.counts = float32(n), float32(marks), float32(n*counts)
					b.left = float32(need + n*cost + n*counts*tick)
				}
				l.scopes += float64(b.all)
				l.learn(b, true)
			}
			got, ok := l.costByMilestones(often*(1-tt.idle), sharing{})
			off := math.Sqrt(got.unsure)
			if !ok || off > tt.most*cost {
				t.Fatalf("%s: a scope costs %.3g ± %.2g, %t", tt.what, got.v, off, ok)
			}
			if math.Abs(got.v-cost) > 2*off {
				far++
			}
		}
		if far > 10 {
			t.Errorf("%s: %d of 100 are off by more than two standard errors", tt.what, far)
		}
	}
	if _, ok := new(learned).costByMilestones(often, sharing{}); ok {
		t.Error("nothing was passed, and costs something")
	}
}

// What others take of processors outside of windows is known the less the more it is, and milestones tell the rest.
func TestSharingOf(t *testing.T) {
	for _, tt := range []struct {
		what                                       string
		waited, used, of, in, open, profiled, left float64
		taken                                      float64
	}{
		{"nobody takes turns", 0, 0, 0, 0, 0, 4e9, 1, 0},
		{"half of one processor, all of it in windows", 2e9, 2e9, 4e9, 1e8, 1e8, 4e9, 1, 0.5},
		{"the same for half of the time", 1e9, 1e9, 2e9, 1e8, 1e8, 4e9, 1, 0.25},
		{"as much in windows as elsewhere", 2e9, 2e9, 4e9, 0.5e8, 1e8, 4e9, 1, 0},
		{"half as much in windows", 2e9, 2e9, 4e9, 0.25e8, 1e8, 4e9, 1, -1},
		{"all that windows have is recording", 1e8, 1e8, 4e9, 0.5e8, 1e8, 4e9, 0.5, 0},
		{"more than others leave elsewhere", 1e9, 3e9, 4e9, 4.4e8, 1e8, 4e9, 1, 0.25},
	} {
		s := sharingOf(tt.waited, tt.used, tt.of, tt.in, tt.open, tt.profiled, tt.left)
		if math.Abs(s.taken-tt.taken) > 1e-9 || math.Abs(s.unsure-sharedUnsure*math.Abs(tt.taken)/(1-tt.taken)) > 1e-9 {
			t.Errorf("%s: %+v, want %g", tt.what, s, tt.taken)
		}
		m := milestones{}
		m.paces[2].add(3000, 3e6, 3000*1/1e4)
		in := marksIn{}
		for range 1000 {
			in.add(1, 0, 1) // as many as elsewhere
		}
		if part := m.tell(2, &in, 1e6, 0.01, s) / (1 - tt.taken); math.Abs(part-1) > 0.02 {
			t.Errorf("%s: with milestones %g of what it is", tt.what, part)
		}
	}
}

// Milestones tell how far the program got on in windows of which recording took nearly all, and little where it took little, or where they come all at once.
func TestTell(t *testing.T) {
	for _, tt := range []struct {
		what              string
		passed, longer    float64
		inEach, want, off float64 // how many are passed at once, and what they tell
	}{
		{"half as many in dense windows", 50, 15, 5, 0.5, 0.06},
		{"twice as many", 200, 15, 5, 2, 0.2},
		{"as many", 100, 15, 5, 1, 0.01},
		{"none", 0, 15, 5, 0, 0.1},
		{"half as many where nothing much was recorded", 50, 0.2, 5, 1, 0.05},
		{"all at once", 50, 15, 50, 0.5, 0.2},
		{"many at once where little was recorded", 1000, 2, 500, 1, 0.3},
	} {
		m := milestones{}
		m.paces[2].add(3000, 3e6, 3000*tt.inEach/1e4) // one in 1,000 ticks
		in := marksIn{}
		in.add(tt.passed, 0, tt.passed*tt.inEach)
		for range 9 {
			in.add(0, 0, 0)
		}
		turns := sharing{taken: 0.3}
		if got := m.tell(2, &in, 1e5*turns.part(), tt.longer, turns); math.Abs(got-tt.want) > tt.off {
			t.Errorf("%s: %.3g times as far, want %g", tt.what, got, tt.want)
		}
		if got := m.tell(1, &in, 1e5, tt.longer, turns); got != 1 {
			t.Errorf("%s: %.3g times as far where no milestones are known", tt.what, got)
		}
	}
}
