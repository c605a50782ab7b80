//go:build !markgen_off

package perf

import "testing"

// In windows that were long enough the program got on about as far as was needed, or as far as milestones tell; in shorter
// ones as far as recording left of them. What else took some of them is subtracted, down to half.
func TestGotOn(t *testing.T) {
	costs := prices{scope: estimate{v: 10}}
	window := func(ticks, scopes float64) lasting { return lasting{ticks, spending{scopes: scopes}} }
	for _, tt := range []struct {
		what   string
		got    gotOn
		marked bool // by milestones
		want   uint64
	}{
		{"long alone", gotOn{need: 1000, long: window(1500, 50)}, false, 1000},
		{"short alone", gotOn{short: window(300, 5)}, false, 250},
		{"both", gotOn{need: 1000, long: window(1500, 50), short: window(300, 5)}, false, 1250},
		{"short, with more recorded than they lasted", gotOn{need: 1000, long: window(1500, 50), short: window(640, 100)}, false, 1010},
		{"more than was needed", gotOn{need: 100, long: window(1500, 50)}, false, 200},
		{"that by milestones", gotOn{need: 100, long: window(1500, 50)}, true, 1000},
		{"something besides", gotOn{need: 1000, long: window(1500, 50), besides: spending{rest: 300}}, false, 700},
		{"most besides", gotOn{need: 1000, long: window(1500, 50), besides: spending{rest: 900}}, false, 500},
	} {
		costs.marked = tt.marked
		if got := tt.got.ticks(&costs); got != tt.want {
			t.Errorf("%s: %d ticks, want %d", tt.what, got, tt.want)
		}
	}
}
