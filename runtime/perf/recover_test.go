//go:build markgen_virtual && !markgen_off && (amd64 || arm64)

package perf

import "testing"

const spun = 60_000 // ns

// Scopes that a panic leaves end when recover stops it, whatever is open where recover is called,
// and have no children afterwards.
func TestRecovered(t *testing.T) {
	m := collected(t)
	Enter(&m[0]).Exit() // makes the run ready
	if panicFP == 0 {
		t.Fatal("it is not known where a panic says which function recovers")
	}
	p := own()
	base := p.stack.n
	spin := func() {
		for from := now(); toNS(now()-from) < spun; {
		}
	}
	for what, form := range map[string]struct {
		recovering func(stop func()) // has scopes open while it calls stop
		open       uint32
	}{
		"nothing is open":      {func(stop func()) { stop() }, 0},
		"one scope":            {func(stop func()) { opened(&m[0], stop) }, 1},
		"one inside another":   {func(stop func()) { opened(&m[0], func() { opened(&m[0], stop) }) }, 2},
		"one that is deferred": {func(stop func()) { defer Enter(&m[0]).Exit(); stop() }, 2}, // what was left ends after it
	} {
		a0, _ := counted(&m[1])
		b0, _ := counted(&m[0])
		total := rowAt(m[1].index).Total
		from, stopped := now(), uint64(0)
		func() {
			defer func() {
				v := recover()
				form.recovering(func() {
					Recovered(v)
					stopped = now()
					if open := p.stack.n - base; open != form.open {
						t.Errorf("%s: %d scopes are open, want %d", what, open, form.open)
					}
					spin()
				})
			}()
			opened(&m[1], func() { panic("left") })
		}()
		if form.open < 2 || what == "one inside another" {
			if p.stack.n != base {
				t.Errorf("%s: %d scopes are open behind", what, p.stack.n-base)
			}
		} else {
			p.endLeft(base, now())
		}
		a, _ := counted(&m[1])
		b, _ := counted(&m[0])
		if a != a0+1 || what != "nothing is open" && b == b0 {
			t.Errorf("%s: %d scopes of what was left, want 1; %d of what was open", what, a-a0, b-b0)
		}
		// There, stop is part of the scope
		if took := rowAt(m[1].index).Total - total; took > toNS(stopped-from) && what != "one that is deferred" {
			t.Errorf("%s: what was left took %d ns, and until it was stopped %d passed", what, took, toNS(stopped-from))
		}
	}
}

// The durations of scopes that endBelow moves are as if the panic had left no scopes.
func TestRecoveredInside(t *testing.T) {
	m := collected(t)
	p := own()
	base := p.stack.n
	total := func(m *Marker) (total, self uint64) {
		for pid := range usedShards {
			if c := cellOf(pid, m.index); c != nil {
				self += c.Self
			}
		}
		return rowAt(m.index).Total, self
	}
	spin := func() {
		for from := now(); toNS(now()-from) < spun; {
		}
	}
	t0, s0 := total(&m[0])
	opened(&m[0], func() {
		func() {
			defer func() {
				v := recover()
				opened(&m[1], func() {
					spin()
					Recovered(v)
					spin()
				})
			}()
			opened(&m[1], func() { panic("left") })
		}()
		spin()
	})
	if p.stack.n != base {
		t.Errorf("%d scopes are open behind", p.stack.n-base)
	}
	t1, s1 := total(&m[0])
	if outer, self := t1-t0, s1-s0; outer < 5*spun/2 || self < spun/3 || self > outer-3*spun/2 {
		t.Errorf("around them %d ns passed, %d of it itself; want about %d and %d", outer, self, 3*spun, uint64(spun))
	}
}
