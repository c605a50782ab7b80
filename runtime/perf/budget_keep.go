//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// keep lowers and raises levels for the markers to take at most so many ticks of the recent CPU time.
//
//go:norace
func (b *budgetState) keep(t uint64, allowed float64) {
	if b.lowered {
		settleMarkers() // or their code would continue to look for scope ends
	}
	b.lowered = false
	counting, all := b.forecast()
	for counting > allowed/2 {
		before := counting
		var lower []group
		for list := b.groups(false); len(list) > 0 && counting > allowed/2; list = list[:len(list)-1] {
			if g := list[len(list)-1]; g.saves > allowed/negligible {
				lower = append(lower, g)
				counting -= g.saves
			}
		}
		b.lowered = b.lowered || len(lower) > 0
		b.turn(lower, true, t)
		// What is behind a gate may have been subtracted twice.
		if counting, all = b.forecast(); counting >= before {
			break
		}
	}
	saved := scopeTicks() - passTicks()
	if all > allowed*3/4 {
		for list := b.timed(); len(list) > 0 && all > allowed*3/4; list = list[:len(list)-1] {
			s := list[len(list)-1]
			b.demote(s, t)
			all -= s.rate * b.recent.cpu * saved
			b.lowered = true
		}
	}
	if b.lowered || all > allowed/2 {
		return
	}
	list := b.groups(true)
	n := 0
	for _, g := range list {
		if t >= g.retry && counting+g.cost <= allowed*3/8 {
			list[n] = g
			n++
			counting, all = counting+g.cost, all+g.cost
		}
	}
	b.turn(list[:n], false, t)
	for _, s := range b.counted(t) {
		cost := s.rate * b.recent.cpu * saved
		if all+cost > allowed/2 {
			break
		}
		b.time(s, t)
		all += cost
	}
}

// forecast returns what the scopes of recent CPU time take if all that are not off are counted, and at
// their levels, in ticks.
//
//go:norace
func (b *budgetState) forecast() (counting, all float64) {
	for _, list := range [...][]spender{b.markers, b.counters} {
		for k := range list {
			s := &list[k]
			if s.table == 0 {
				continue
			}
			cost := b.costOf(s)
			counting += cost
			if s.timed > 0 && s.level() == layout.LevelTimed {
				cost *= scopeTicks() / passTicks()
			}
			all += cost
		}
	}
	return counting, all
}

// costOf returns what the recent scopes of s take in ticks, if those that are timed are counted. Behind
// an open gate, a marker that is off is tested.
//
//go:norace
func (b *budgetState) costOf(s *spender) float64 {
	n := s.rate * b.recent.cpu
	switch {
	case s.level() != layout.LevelOff:
		return n * passTicks()
	case hasCounters && s.counter || s.in().gate(s.line).level() == layout.LevelOff:
		return 0
	}
	return n * testTicks()
}

// A group is what is turned off or on at once: a counter, a marker behind a gate, or a gate. All markers
// behind a gate are turned off with it, but on later, one by one.
type group struct {
	table   int32 // as of a spender
	line    uint32
	counter bool
	cost    float64 // ticks that it takes, if all behind it are off
	saves   float64 // ticks that turning it off saves
	per     float64 // cost per tick of a scope: those with more are more expensive
	retry   uint64
}

// groups returns what is off and may be turned on, or what is on, the cheapest first.
//
//go:norace
func (b *budgetState) groups(off bool) (list []group) {
	gates := make([][]group, len(tables)) // by line
	for k := range b.markers {
		s := &b.markers[k]
		if s.table == 0 || s.rate == 0 {
			continue
		}
		t, n := s.in(), s.rate*b.recent.cpu
		closed, line := t.gate(s.line).level() == layout.LevelOff, t.gates[s.line]
		cost := n * passTicks()
		if line != s.line {
			if gain := cost - n*testTicks(); !closed && (s.level() == layout.LevelOff) == off {
				list = append(list, group{s.table, s.line, false, gain, gain, gain / s.shows(), s.retry})
			}
			cost = n * testTicks()
		}
		if closed != off {
			continue
		}
		if gates[s.table-1] == nil {
			gates[s.table-1] = make([]group, t.markers)
		}
		g := &gates[s.table-1][line]
		g.table, g.line = s.table, line
		g.cost, g.saves, g.retry = g.cost+cost, g.saves+b.costOf(s), max(g.retry, s.retry)
		if line == s.line {
			g.per = s.shows()
		}
	}
	for _, of := range gates {
		for _, g := range of {
			if g.cost > 0 {
				g.per = g.cost / max(g.per, passTicks())
				list = append(list, g)
			}
		}
	}
	for k := 0; hasCounters && k < len(b.counters); k++ {
		if s := &b.counters[k]; s.rate > 0 && (s.level() == layout.LevelOff) == off {
			cost := s.rate * b.recent.cpu * passTicks()
			list = append(list, group{s.table, s.line, true, cost, cost, cost / s.shows(), s.retry})
		}
	}
	lite.Sort(len(list), func(i, j int) bool { return list[i].per < list[j].per }, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// shows returns the time that a scope of s shows, in ticks.
//
//go:norace
func (s *spender) shows() float64 { return max(s.mean, passTicks()) }

// turn turns groups off or on, except for those with a marker that a trigger watches.
//
//go:norace
func (b *budgetState) turn(list []group, off bool, t uint64) {
	if len(list) == 0 {
		return
	}
	turned := levels.turn(list, off, t)
	for _, of := range [...][]spender{b.markers, b.counters} {
		for k := range of {
			s := &of[k]
			if s.table == 0 || turned[s.table-1] == nil {
				continue
			}
			line := s.line
			if s.counter {
				line += uint32(s.in().markers)
			}
			switch {
			case !turned[s.table-1][line]:
			case off:
				s.lowered(t)
			default:
				s.scopes = s.rate * b.recent.cpu
			}
		}
	}
}

// lowered notes that the level of s was lowered at tick t.
//
//go:norace
func (s *spender) lowered(t uint64) {
	s.wait = max(2*s.wait, fromNS(firstWait))
	s.retry = t + s.wait
}

// timed returns the markers that are timed, the cheapest first.
//
//go:norace
func (b *budgetState) timed() (list []*spender) {
	for k := range b.markers {
		if s := &b.markers[k]; s.table != 0 && s.rate > 0 && s.timed > 0 && isTimed(live[k].marker) {
			list = append(list, s)
		}
	}
	return cheapest(list)
}

// counted returns the markers that the budget has demoted, that may be timed again at tick t, and
// whose scopes are not short, the cheapest first.
//
//go:norace
func (b *budgetState) counted(t uint64) (list []*spender) {
	for k := range b.markers {
		if s := &b.markers[k]; s.demoted && t >= s.retry && isDemoted(shared.Load(&live[k].marker.Off)) {
			if timed := timesOf(firstIndex + uint32(k)); !areShort(&timed) {
				list = append(list, s)
			}
		}
	}
	return cheapest(list)
}

//go:norace
func cheapest(list []*spender) []*spender {
	lite.Sort(len(list), func(i, j int) bool { return list[i].rate/list[i].shows() < list[j].rate/list[j].shows() },
		func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// demote demotes the marker of s.
//
//go:norace
func (b *budgetState) demote(s *spender, t uint64) {
	demote(s.in().at(s.line))
	s.demoted = true
	s.lowered(t)
	s.note(t)
}

// time resumes timing of the marker of s.
//
//go:norace
func (b *budgetState) time(s *spender, t uint64) {
	timeOn(s.in().at(s.line))
	s.note(t)
}
