//go:build !markgen_off

package runtime

import (
	"os"
	"os/exec"
	"testing"
)

// What scopes cost is the median of what was measured, of the latest rounds; with two in the middle the lower.
func TestTypical(t *testing.T) {
	defer func(n int, c [mostRounds]scopeCosts) { rounds, costs = n, c }(rounds, costs)
	for _, test := range []struct {
		measured []uint64
		want     uint64
	}{
		{[]uint64{50}, 50},
		{[]uint64{50, 28}, 28},
		{[]uint64{28, 50}, 28},
		{[]uint64{50, 52, 28}, 50},
		{[]uint64{50, 52, 28, 29, 27}, 29},
		{append(make([]uint64, 20), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 8},
	} {
		rounds, costs = 0, [mostRounds]scopeCosts{}
		for _, v := range test.measured {
			costs[rounds%mostRounds].inside = v
			rounds++
		}
		if got := typical(func(c *scopeCosts) uint64 { return c.inside }); got != test.want {
			t.Errorf("%d: %d, want %d", test.measured, got, test.want)
		}
	}
}

// Where records are made what they cost is measured again, too: with nothing timed before one that comes to the end of
// what is touched of its ring. Each collects in a process of its own.
func TestMeasureAgainTraced(t *testing.T) {
	const key = "MARKGEN_TEST_COLLECT"
	if os.Getenv(key) == "" {
		for _, collect := range []string{"trace", "time+trace"} {
			cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
			cmd.Env = append(os.Environ(), key+"=collect="+collect+",file="+t.TempDir()+"/data")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", collect, err, out)
			}
		}
		return
	}
	m := collectedAs(t, os.Getenv(key))
	opened(&m[0], func() {}) // makes ready
	p, before := own(), rounds
	measureAt = now() - 1
	for n := 0; n < 1_000_000 && rounds == before; n++ {
		opened(&m[0], func() { opened(&m[1], func() {}) })
	}
	if rounds == before {
		t.Error("no round in a million passages")
	}
	if p != own() || p.stack != p.stack.scopes() || p.stack.n != 0 {
		t.Errorf("%d scopes are open", p.stack.n)
	}
	exit := tracing.exit[kindOpened]
	if exit == 0 || exit != less(hot.whole[kindOpened], hot.inside) {
		t.Errorf("the end of a scope costs %d, want %d less %d", exit, hot.whole[kindOpened], hot.inside)
	}
}
