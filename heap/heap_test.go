package heap

import (
	"runtime/debug"
	"testing"
)

func TestPace(t *testing.T) {
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	limitNow := func() int64 { return debug.SetMemoryLimit(-1) }
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	percentBefore, limitBefore := percent(), limitNow()

	p := Pace{PerByte: 10}
	p.Begin(1000)
	little := limitNow()
	if percent() != -1 || little >= limitBefore || little < room {
		t.Errorf("%d %%, limit %d", percent(), little)
	}
	p.Begin(10 << 20)
	if got, want := limitNow()-little, int64(10*(10<<20+1000)-room); got != want {
		t.Errorf("the limit grows by %d, want %d", got, want)
	}
	much := limitNow()
	p.End(10 << 20)
	p.Begin(1000)
	if limitNow() != much {
		t.Errorf("the limit shrinks from %d to %d", much, limitNow())
	}
	p.Restore()
	p.Restore()
	if percent() != percentBefore || limitNow() != limitBefore {
		t.Errorf("afterwards %d %%, limit %d", percent(), limitNow())
	}

	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Setenv("GOGC", "")
		t.Setenv("GOMEMLIMIT", "")
		t.Setenv(name, "100")
		fixed := Pace{PerByte: 10}
		fixed.Begin(10 << 20)
		if percent() != percentBefore || limitNow() != limitBefore {
			t.Errorf("%s is set, and the pace is another", name)
		}
		fixed.End(10 << 20)
		fixed.Restore()
	}
}
