//go:build !markgen_off

package perf

import "testing"

// However late the windows of every= end, they are open for their part of the time: later ones make up for it, but for a time in which
// the process was stopped.
func TestCycle(t *testing.T) {
	period, width := conf.Period, conf.Width
	wanted := wants
	defer func() { conf.Period, conf.Width, wants = period, width, wanted }()
	const second = 1_000_000_000
	for _, tt := range []struct {
		period, width uint64
		late          func(i int) uint64 // how late the ith window ends, ns
		least, most   float64            // of the part of the time in which one is open
	}{
		{10_000_000, 1_000_000, func(int) uint64 { return 0 }, 0.099, 0.101},
		{10_000_000, 1_000_000, func(int) uint64 { return 20_000_000 }, 0.099, 0.101},
		{1_000_000, 100_000, func(i int) uint64 { return uint64(i%7) * 3_000_000 }, 0.098, 0.102},
		{100_000_000, 10_000_000, func(i int) uint64 { return uint64(i%2) * 90_000_000 }, 0.09, 0.11},
	} {
		conf.Period, conf.Width = tt.period, tt.width
		var c cycle
		var now, open, slow uint64 // slow: the time that this process itself was kept waiting for, at most
		for i := 0; now < 100*second; {
			begun := uint64(nanotime()) - now
			next := c.due(begun)
			slow += uint64(nanotime()) - begun - now
			if c.ends == 0 {
				now = next - begun
				continue
			}
			from := c.ends - tt.width
			i++
			now = next - begun + tt.late(i)
			open += now - from
		}
		if part, more := float64(open)/float64(now), float64(slow)/float64(now); part+more < tt.least || part > tt.most {
			t.Errorf("windows of %d in %d ns are open for %.4f of the time and %.4f more at most, want from %g to %g", tt.width, tt.period, part, more, tt.least, tt.most)
		}
	}

	// A process that was stopped for an hour has a window again after those of a second.
	conf.Period, conf.Width = 10_000_000, 1_000_000
	var c cycle
	const stopped = 3600 * second
	now := uint64(0)
	c.due(uint64(nanotime()) - now)
	now = c.ends + stopped
	c.due(uint64(nanotime()) - now)
	for c.ends == 0 {
		begun := uint64(nanotime()) - now
		now = c.due(begun) - begun
		c.due(uint64(nanotime()) - now)
	}
	if now > stopped+2*second {
		t.Errorf("the next window after a stop of an hour begins %.1f s behind it", float64(now-stopped)/second)
	}
}
