package cell

import "testing"

// The longest hundredth of the scopes is left out of the means.
func TestTrimmedMeans(t *testing.T) {
	var groups [8]Group
	var c Cell
	for i := range groups {
		c.Groups[i].P = &groups[i]
	}
	var times Times
	if mean, self := times.TrimmedMeans(); mean != 0 || self != 0 {
		t.Errorf("of no scopes: %d, %d", mean, self)
	}
	for range 990 {
		c.Bucket(100).Add(100)
		c.Note(100, 25, 100, 1)
	}
	for range 10 {
		c.Bucket(1 << 40).Add(1 << 40)
		c.Note(1<<40, 1<<38, 1<<40, 1)
	}
	c.Passes = 5
	times.Add(&c)
	times.Add(&c)
	if mean, self := times.TrimmedMeans(); mean != 100 || self != 25 || times.N != 2000 || times.Passes != 10 || times.NS != 2*(990*100+10<<40) {
		t.Errorf("%d, %d of %d scopes and %d, %d ns", mean, self, times.N, times.Passes, times.NS)
	}
}
