//go:build markgen_virtual && !markgen_off && (amd64 || arm64)

package perf

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// opened is a function with explicit scope ends, as the rewriter generates them; inner is the
// function that it calls.
//
//go:noinline
func opened(m *Marker, inner func()) {
	Open(m)
	inner()
	Shut(m)
}

// own returns the slot of the calling goroutine.
func own() *slot {
	g := getg()
	return find(g)
}

func counted(m *Marker) (count, nested uint64) {
	r := rowAt(m.index)
	return r.Count, r.Nested
}

// Scopes that a panic leaves end when recover stops it, or when a scope around
// them ends, once.
func TestLeftOpen(t *testing.T) {
	m := collected(t)
	p := own()
	a0, _ := counted(&m[1])
	base := p.stack.n
	fail := func() { panic("left") }
	catch := func(f func()) {
		defer func() {
			Recovered(recover())
		}()
		f()
	}
	// Recovered inside an outer scope that ends explicitly.
	opened(&m[0], func() {
		catch(func() { opened(&m[1], fail) })
		if p.stack.n != base+1 {
			t.Errorf("%d scopes are open, want 1", p.stack.n-base)
		}
	})
	if a, _ := counted(&m[1]); a != a0+1 || p.stack.n != base {
		t.Errorf("%d scopes, %d open", a-a0, p.stack.n-base)
	}
	// Never recovered by marked code: a function that opens in the same frame finds it.
	for range 3 {
		func() {
			defer func() { recover() }()
			opened(&m[1], fail)
		}()
	}
	if p.stack.n > base+1 {
		t.Errorf("%d scopes are open, want 1 at most", p.stack.n-base)
	}
	// A Scope around it ends it as well.
	var s Scope
	s.Enter(&m[0])
	catch(func() { opened(&m[1], fail) })
	s.Exit()
	if a, _ := counted(&m[1]); a < a0+4 || p.stack.n > base+1 {
		t.Errorf("%d scopes, %d open", a-a0, p.stack.n-base)
	}
	p.endLeft(base, now())
	if a, _ := counted(&m[1]); a != a0+5 {
		t.Errorf("%d scopes, want 5", a-a0)
	}

	// runtime.Goexit leaves it open; the end of the run reports it.
	done := make(chan *slot)
	go func() {
		defer func() { done <- own() }()
		opened(&m[1], runtime.Goexit)
	}()
	if p := <-done; p.stack.n != 1 || p.stack.at(0).index&^scopeBits != m[1].index {
		t.Errorf("%d scopes are open after Goexit, want 1", p.stack.n)
	} else {
		p.stack.n = 0
	}
}

// begunHere returns what begun returns for End of m in the calling function.
//
//go:noinline
func begunHere(m *Marker) bool { return begun(m, argument(&m)) }

// A marker that is off, for whatever reason, has no scope to end in a function with scopes of other
// markers, except a scope that was about to begin when it was turned off.
func TestBegun(t *testing.T) {
	m := collected(t)
	off, index := m[1].Off, m[1].index
	defer func() { m[1].Off, m[1].index = off, index }()
	p := own()
	base := p.stack.n
	Begin(&m[0])
	for what, turnOff := range map[string]func(){
		"settled":      func() { m[1].Off = layout.OffByChoice | layout.OffSettled },
		"counted down": func() { m[1].index |= layout.IndexOff | layout.IndexCounted },
	} {
		Begin(&m[1])
		turnOff()
		if !begunHere(&m[1]) {
			t.Errorf("%s: the scope that is open is not to be ended", what)
		}
		End(&m[1])
		if p.stack.n != base+1 {
			t.Errorf("%s: %d scopes are open, want 1", what, p.stack.n-base)
		}
		if begunHere(&m[1]) {
			t.Errorf("%s: a marker without a scope is to be ended", what)
		}
		m[1].Off, m[1].index = off, index
	}
	End(&m[0])
	if p.stack.n != base {
		t.Errorf("%d scopes are open, want none", p.stack.n-base)
	}
}

// A scope inside another of its marker is nested, however many others are between them; a scope
// whose marker only shares its bit in the mask is not.
func TestNested(t *testing.T) {
	m := collected(t)
	_, n0 := counted(&m[1])
	var outer, between, inner Scope
	outer.Enter(&m[1])
	between.Enter(&m[0])
	inner.Enter(&m[1])
	for own := own(); own.stack.at(own.stack.n-1).start == now(); {
	}
	inner.Exit()
	between.Exit()
	outer.Exit()
	if _, n := counted(&m[1]); n < n0 {
		t.Errorf("nested time went from %d to %d", n0, n)
	}
	p := own()
	i := m[0].index
	p.push(i, now(), 0)
	if p.nested(i + 64) {
		t.Errorf("marker %d is nested in %d", i+64, i)
	}
	if !p.nested(i) {
		t.Errorf("marker %d is not nested in itself", i)
	}
	p.end(i, now())
}

// A scope is nested if its marker is open, in any order of beginnings and ends, and however deep the
// stack.
func TestNestedDeep(t *testing.T) {
	collected(t)
	p := &slot{stack: &none}
	open := map[uint32]int{}
	for range 100_000 {
		i := firstIndex + uint32(rand.IntN(300))
		if s := p.stack; s.n > 0 && rand.IntN(400) < int(s.n) {
			r := s.at(s.n - 1)
			open[r.index&^scopeBits]--
			s.n--
			p.unmask(r)
			continue
		}
		if p.stack.n == p.stack.room && !p.grow() {
			t.Fatal("no memory")
		}
		nested := p.mask>>(i%64)&1 != 0 && p.nested(i)
		if nested != (open[i] > 0) {
			t.Fatalf("marker %d is open %d times, nested %v", i, open[i], nested)
		}
		p.pushIf(nested, i, 0, 0)
		open[i]++
	}
	for p.stack.n > 0 {
		p.stack.n--
		p.unmask(p.stack.at(p.stack.n))
	}
	if p.mask != 0 {
		t.Errorf("nothing is open, and the mask is %#x", p.mask)
	}
}

// The stack of scopes grows.
func TestDeep(t *testing.T) {
	m := collected(t)
	c0, _ := counted(&m[1])
	p := own()
	base := p.stack.n
	var deep func(n int)
	deep = func(n int) {
		if n > 0 {
			opened(&m[1], func() { deep(n - 1) })
		}
	}
	deep(5000)
	if c, _ := counted(&m[1]); c != c0+5000 || p.stack.n != base {
		t.Errorf("%d scopes, %d open", c-c0, p.stack.n-base)
	}
}

// When a run has ended, scopes open on a stack stay open in that run's data, whichever goroutine
// ends them, and scopes that begin late are not recorded.
func TestFrozen(t *testing.T) {
	m := collected(t)
	p := own()
	kept, others := *p, owners
	defer func() { *p, owners = kept, others }()
	base := p.stack.n
	outer := Enter(&m[0])
	old := p.stack
	count := func() int {
		a, _ := counted(&m[0])
		b, _ := counted(&m[1])
		return int(a + b)
	}
	c0 := count()
	lock()
	owners = []*slot{p}
	freezeStacks()
	unlock()
	late := Entered{at: uint64(p.push(m[0].index, now(), 0)), slot: p, index: m[0].index} // it had found its marker on
	again := Entered{at: uint64(p.push(m[1].index, now(), 0)), slot: p, index: m[1].index}
	for what, e := range map[string]Entered{"entered late": again, "entered": late, "entered before": outer, "twice": outer} {
		if e.Exit(); count() != c0 {
			t.Errorf("%s: %d scopes, want none", what, count()-c0)
		}
	}
	opened(&m[1], func() {
		if e := Enter(&m[1]); e.index != 0 {
			t.Errorf("entered after the end: %+v", e)
		}
	})
	if old != p.stack || count() != c0 {
		t.Errorf("%d open, %d scopes", old.n, count()-c0)
	}
	old.n = base
}

// A marker that only or skip excludes, in a function that is on, gets no index when executed.
func TestUnwanted(t *testing.T) {
	opened(&collected(t)[0], func() {}) // makes the run ready
	m, next := Marker{index: unwanted}, nextIndex()
	open := own().stack.n
	Begin(&m)
	if own().stack.n != open {
		t.Error("a scope is open")
	}
	End(&m)
	var s Scope
	s.Enter(&m)
	s.Exit()
	Pass(&m)
	if m.index != unwanted || nextIndex() != next || own().stack.n != open {
		t.Errorf("word %#x, %d indexes given, %d scopes open", m.index, nextIndex()-next, own().stack.n-open)
	}
}
