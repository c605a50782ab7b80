//go:build markgen_virtual && !markgen_off && (amd64 || arm64)

package perf

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// budgetOf begins checks with a budget of 1 % for the table registered last, of which nothing is in a
// file.
func budgetOf(t *testing.T) *budgetState {
	kept, look := conf, hot.look
	t.Cleanup(func() {
		lock()
		undemote()
		budget, levels, conf, hot.look = budgetState{due: noLook}, levelLog{}, kept, look
		unlock()
	})
	conf.Budget, conf.Demote, conf.Times, hot.look = 10_000, 10_000, 20, 255
	tables[len(tables)-1].shared = true // so that markers can be demoted
	levels = levelLog{}
	beginBudget()
	budget.due = noLook // the test makes the checks
	budget.recent.cpu = 1e9
	return &budget
}

// logged returns the changes in the data.
func logged() (lines []string) {
	for i := range *(*uint64)(unsafe.Add(levels.block, layout.OffBudgetLen)) {
		c := unsafe.Add(levels.block, layout.OffBudgetData+uintptr(i)*layout.BudgetSize)
		word := func(at uintptr) uint32 { return *(*uint32)(unsafe.Add(c, at)) }
		lines = append(lines, fmt.Sprint(*(*uint64)(unsafe.Add(c, layout.BudgetTick)), " ", word(layout.BudgetLine), " ", word(layout.BudgetFrom), " ", word(layout.BudgetTo)))
	}
	return lines
}

// A marker whose scopes cost too much is demoted and, if counting them does, too, turned off. If there
// is room, it is raised again, after a wait that doubles. All of its scopes are counted but those while
// it is off, and every change is in the data.
func TestBudget(t *testing.T) {
	m := collected(t)
	Enter(&m[1]).Exit() // the run begins
	b := budgetOf(t)
	pass := func(n int) {
		for range n {
			opened(&m[0], func() {})
		}
	}
	var s *spender
	// check makes a check at a tick, in which the scopes of the marker take, timed, so many times what
	// the budget allows.
	check := func(at uint64, times float64, want uint8) {
		t.Helper()
		lock()
		defer unlock()
		b.count(at)
		if s == nil {
			for k := range b.markers {
				if live[k].marker == &m[0] {
					s = &b.markers[k]
				}
			}
		}
		for k := range b.markers { // of other tests
			b.markers[k].rate = 0
		}
		s.rate = times * part() / scopeTicks()
		b.keep(at, part()*b.recent.cpu)
		if got := s.level(); got != want {
			t.Fatalf("at tick %d level %d, want %d", at, got, want)
		}
	}
	wait := fromNS(firstWait)
	ratio := scopeTicks() / passTicks()
	pass(1000)
	count := uint64(1000)
	check(1000, 0.7, layout.LevelTimed)
	check(2000, 0.8, layout.LevelCounted)
	pass(500)
	count += 500
	check(3000, 0.45*ratio, layout.LevelCounted)
	check(4000, 0.6*ratio, layout.LevelOff)
	pass(300)
	check(4000+wait/2, 0.1, layout.LevelOff)
	pass(20)
	check(4000+2*wait, 0.3*ratio, layout.LevelCounted) // the second wait is twice as long
	pass(7)
	count += 7
	s.wait = 0 // as if it had never been lowered: its scopes are short
	check(4000+9*wait, 0.1, layout.LevelCounted)
	if got, _ := counted(&m[0]); got != count {
		t.Errorf("%d scopes, want %d", got, count)
	}
	want := []string{"2000 0 0 1", "4000 0 1 2", fmt.Sprint(4000+2*wait, " 0 2 1")}
	if got := logged(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("changes %q, want %q", got, want)
	}
}

// Counting costs what the samples of a CPU profile say, up and down, if they are many; else as calibrated.
func TestCountingCost(t *testing.T) {
	kept := budget
	t.Cleanup(func() { budget = kept })
	budget = budgetState{due: noLook}
	calibrated := passTicks()
	sample := func(ms, scopes float64) {
		noteCounting(ms * 1e6)
		budget.passed += scopes
		budget.adjust()
	}
	sample(8, 100) // two samples tell nothing
	if got := passTicks(); got != calibrated {
		t.Errorf("after two samples %v ticks, want %v", got, calibrated)
	}
	sample(100, 1_000_000)
	ticks := float64(fromNS(100))
	if got := passTicks(); got < ticks || got > 1.2*ticks {
		t.Errorf("after many samples %v ticks, want %v", got, ticks)
	}
	sample(0, 100_000_000)
	if got := passTicks(); got > max(ticks/20, calibrated) {
		t.Errorf("with many scopes and no sample %v ticks, before %v", got, ticks)
	}
}
