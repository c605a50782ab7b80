package sample

import (
	"math"
	"testing"
)

// The cost of recording is subtracted from windows, divided by the number of processors that
// recorded at once.
func TestLonger(t *testing.T) {
	for _, tt := range []struct {
		what   string
		rate   uint64
		busy   uint64
		seen   Recording
		longer float64
	}{
		{"nothing", 10, 0, Recording{}, 1},
		{"half", 10, 0, Recording{Scopes: 500, Processors: 1}, 2},
		{"half of two processors", 10, 0, Recording{Scopes: 1000, Processors: 2}, 2},
		{"two of which one is busy at a time", 10, 256, Recording{Scopes: 500, Processors: 2}, 2},
		{"collectors", 10, 0, Recording{Scopes: 100, Read: 40_000, Processors: 1}, 2},
		{"more than there is", 10, 0, Recording{Scopes: 5000, Processors: 1}, maxCorrection},
		{"every scope is asked for", 1, 0, Recording{Scopes: 500, Processors: 1}, 1},
	} {
		w := Windows{busy: tt.busy}
		if got := w.Longer(tt.rate, 100_000, 100, tt.seen); math.Abs(got-tt.longer) > 1e-9 {
			t.Errorf("%s: %g, want %g", tt.what, got, tt.longer)
		}
	}
}

// Windows are 1/N of the time in the long run, in busy and in idle programs, and begin after they
// were planned.
func TestPlan(t *testing.T) {
	for _, n := range []uint64{2, 10, 100, 1000} {
		for _, share := range []uint64{1, 100} { // of a processor, percent
			var w Windows
			w.Seed(7, 0)
			now, open, used := uint64(1), uint64(0), uint64(0)
			for range 20_000 {
				next := w.Plan(now, n, used, 0)
				if next <= now {
					t.Fatalf("1:%d: planned for %d at %d", n, next, now)
				}
				if lead := w.Lead(next+1000, next, n); lead < LeastLead {
					t.Fatalf("1:%d: begins after %d ns", n, lead)
				}
				used += (next + w.Length(n) - now) * share / 100
				open += w.Length(n)
				now = next + w.Length(n)
			}
			if w.idles != (share == 1) {
				t.Errorf("1:%d: idles %t at %d %%", n, w.idles, share)
			}
			if got := float64(now) / float64(open); math.Abs(got/float64(n)-1) > 0.05 {
				t.Errorf("1:%d: 1:%.1f of the time", n, got)
			}
		}
	}
	var w Windows
	if w.Seed(0, 4); !w.Seeded() || w.Length(1) != WholeWindow {
		t.Error("not seeded")
	}
}

func TestSums(t *testing.T) {
	var s Sums
	s.Add(3, 30, 10, 2)
	s.Add(1, 5, 10, 1)
	if want := (Sums{4, 10, 35, 925, 95, 40, 70, 3700}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
}
