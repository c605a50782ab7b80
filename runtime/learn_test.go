//go:build !markgen_off

package runtime

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
		thinAlone, thinCost   = 12.0, 8.0
		tickAlone, tickCost   = 6.0, 2.0
		counts                = 64.0 // for each scope
		windows               = 100_000.0
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
		for i := range tt.batches * int(batchSorts) {
			l.sort = batchSort(i % int(batchSorts))
			took := tt.scope * math.Exp(tt.noise*random.NormFloat64())
			each := 0.0
			switch l.sort {
			case thinBatch:
				took += thinCost / tt.seldom
			case countedBatch:
				took += scopeCost + counts*tickCost
				each = counts
			default:
				took += scopeCost
			}
			n := windows / took
			if random.Float64() < tt.idle {
				n = 0
			}
			l.learn(windows, n/tt.seldom, n, n*each)
		}
		got := l.scopeCost(scopeAlone, thinAlone, 1)
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
		l.learn(windows, 0, 0, 1000) // of nothing but counters
	}
	if scopes, ticks := l.scopeCost(scopeAlone, thinAlone, 1), l.countingCost(); scopes.v != usualScope || ticks.v != usualTick {
		t.Errorf("where no scope is passed a scope costs %g, counting %g", scopes.v, ticks.v)
	}
}

// A scope's price is such that as many more scopes would be passed without it as were, whatever windows there were.
func TestPrice(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, spread := range []float64{0, 0.5, 2} {
		for _, part := range []float64{0.05, 0.5, 0.9} {
			l := learned{known: true, sort: timedBatch}
			for range 100 {
				l.learn(1e6, 0, 1e4*math.Exp(spread*random.NormFloat64()), 0)
			}
			price, each := l.price(part)
			var n, without, least float64
			for _, b := range l.timed {
				n += b.n
				net := 1 - min(b.n*price/b.ticks, 1-leastNet*(1-part))
				without += b.n / net
				least = max(least, 1/net)
			}
			if got := 1 - n/without; math.Abs(got-part) > 0.01 || price <= 0 || math.Abs(each*part-price) > 0.001*price {
				t.Errorf("spread %g: %g ticks take %g of the time, want %g", spread, price, got, part)
			}
			if spread == 0 && math.Abs(price-100*part) > 0.1 {
				t.Errorf("one in 100 ticks, which takes %g of them, costs %g", part, price)
			}
			if most := 1 / (leastNet * (1 - part)); least > most*1.001 {
				t.Errorf("spread %g: %g times as much without, want %g at most", spread, least, most)
			}
		}
	}
	if price, _ := (&learned{}).price(0.5); price != 0 {
		t.Errorf("nothing was passed, and costs %g", price)
	}
}
