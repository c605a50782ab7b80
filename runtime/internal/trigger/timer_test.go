package trigger

import (
	"testing"
	"time"

	"github.com/markgen/markgen/runtime/layout"
)

// A window is open from the time at which Step asks for it until the change that ends it was made.
func (c *Cycle) window(t *testing.T, from, late uint64) (begins, ends uint64) {
	begins = from
	r, ok := c.Step(layout.StatePaused, begins)
	for !ok {
		begins = max(c.Next(), begins+1)
		r, ok = c.Step(layout.StatePaused, begins)
	}
	if !r.on {
		t.Fatalf("%+v: a window ends that has not begun", c)
	}
	if r, ok := c.Step(layout.StateProfiling, begins); ok {
		t.Fatalf("%+v asks for %v when the window has begun", c, r)
	}
	ends = c.Next() + late
	if r, ok := c.Step(layout.StateProfiling, ends); !ok || r.on {
		t.Fatalf("%+v asks for %v, %t when the window ends", c, r, ok)
	}
	return begins, ends
}

// However late the windows of every= end, they are open for their share of the time: later ones
// compensate for it, except for a time in which the process was stopped.
func TestCycle(t *testing.T) {
	const second = uint64(time.Second)
	for _, tt := range []struct {
		period, width uint64
		late          func(i int) uint64 // how late window i ends, ns
		least, most   float64            // bounds of the share of time in which a window is open
	}{
		{10_000_000, 1_000_000, func(int) uint64 { return 0 }, 0.0999, 0.1001},
		{10_000_000, 1_000_000, func(int) uint64 { return 500_000 }, 0.0999, 0.1001},
		{10_000_000, 1_000_000, func(int) uint64 { return 20_000_000 }, 0.099, 0.101},
		{1_000_000, 100_000, func(i int) uint64 { return uint64(i%7) * 3_000_000 }, 0.098, 0.102},
		{100_000_000, 10_000_000, func(i int) uint64 { return uint64(i%2) * 90_000_000 }, 0.09, 0.11},
	} {
		c := Cycle{Begun: begun, Period: tt.period, Width: tt.width}
		now, open := begun, uint64(0)
		for i := 1; now < begun+100*second; i++ {
			begins, ends := c.window(t, now, tt.late(i))
			open += ends - begins
			now = ends
		}
		if part := float64(open) / float64(now-begun); part < tt.least || part > tt.most {
			t.Errorf("windows of %d in %d ns are open for %.4f of the time, want from %g to %g", tt.width, tt.period, part, tt.least, tt.most)
		}
	}

	// A window that begins late does not delay the next one.
	c := Cycle{Begun: begun, Period: 10_000_000, Width: 1_000_000}
	if _, ends := c.window(t, begun+3_000_000, 0); ends != begun+4_000_000 {
		t.Errorf("the window ends %d ns after the beginning", ends-begun)
	}
	if begins, _ := c.window(t, begun+4_000_000, 0); begins != begun+10_000_000 {
		t.Errorf("the next window begins %d ns after the beginning", begins-begun)
	}

	// A process that was stopped for an hour skips only windows worth a second.
	c = Cycle{Begun: begun, Period: 10_000_000, Width: 1_000_000}
	_, ends := c.window(t, begun, 3600*second)
	if next, _ := c.window(t, ends, 0); next > ends+2*second {
		t.Errorf("the next window after a stop of an hour begins %v behind it", time.Duration(next-ends))
	}
}

// A trigger is checked again after an eighth of its time, but neither too often nor after its time.
func TestDue(t *testing.T) {
	for _, tt := range []struct {
		key          string
		after        uint64
		state, since uint64
		now          uint64
		acts         bool
		next         uint64
	}{
		{"pause", 8000, layout.StateProfiling, begun, begun, false, begun + 8000},
		{"pause", 8e6, layout.StateProfiling, begun, begun, false, begun + 1e6},
		{"pause", 8e6, layout.StateProfiling, begun, begun + 7.5e6, false, begun + 8e6},
		{"pause", 8e6, layout.StateProfiling, begun, begun + 8e6, true, begun + 9e6},
		{"pause", 8000, layout.StatePaused, begun, begun + 5e6, false, begun + 5e6 + shortestSleep},
		{"start", 8e6, layout.StateConfigured, begun + 1, begun, false, begun + 8e6},
		{"start", 0, layout.StateConfigured, begun, begun, true, begun + never},
		{"start", 8e6, layout.StateProfiling, begun, begun + 9e6, false, begun + 9e6 + never},
		{"stop", 8e6, layout.StatePaused, begun, begun + 9e6, false, begun + 10e6}, // the run has not been profiling yet
	} {
		l := Timeline{Begun: begun}
		l.Observe(tt.state, 1, tt.since)
		var trigger Trigger
		trigger.Key, trigger.N = tt.key, tt.after
		if acts, next := trigger.Due(&l, tt.now); acts != tt.acts || next != tt.next {
			t.Errorf("%s=after:%dns, %s for %d ns: %t, again in %d ns; want %t, %d", tt.key, tt.after, states[tt.state], tt.now-tt.since,
				acts, next-tt.now, tt.acts, tt.next-tt.now)
		}
		if tt.acts {
			if again, _ := trigger.Due(&l, tt.now+1e6); again {
				t.Errorf("%s=after:%dns acts twice in a state", tt.key, tt.after)
			}
		}
	}
}

// A trigger on time may act in each state to which it applies, but one that starts acts once.
func TestPending(t *testing.T) {
	for spec, want := range map[string][2]bool{ // while the run is configured, and profiling
		"start=after:1s":             {true, false},
		"start=after:1s,stop=on:M":   {true, false},
		"start=after:1s;after:2s":    {true, false},
		"pause=after:1s":             {true, true},
		"start=on:M,stop=after:1s":   {true, true},
		"start=on:M,stop=records:10": {false, false},
	} {
		all := newRun(t, spec).triggers
		if got := [2]bool{all.Pending(layout.StateConfigured), all.Pending(layout.StateProfiling)}; got != want {
			t.Errorf("%s: %v, want %v", spec, got, want)
		}
	}
}
