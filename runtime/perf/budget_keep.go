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
	counting, all := b.forecast()
	lowered := false
	if counting > allowed/2 {
		list := b.groups(false)
		n := len(list)
		for n > 0 && counting > allowed/2 && b.costOf(&list[n-1]) > allowed/negligible {
			n--
			counting -= b.costOf(&list[n])
		}
		lowered = n < len(list)
		b.turn(list[n:], true, t)
		_, all = b.forecast()
	}
	saved := scopeTicks() - passTicks()
	if all > allowed*3/4 {
		for list := b.timed(); len(list) > 0 && all > allowed*3/4; list = list[:len(list)-1] {
			s := list[len(list)-1]
			b.demote(s, t)
			all -= s.rate * b.recent.cpu * saved
			lowered = true
		}
	}
	if lowered || all > allowed/2 {
		return
	}
	list := b.groups(true)
	n := 0
	for _, g := range list {
		cost := b.costOf(&g)
		if counting+cost > allowed*3/8 {
			break
		}
		if t >= g.retry {
			list[n] = g
			n++
			counting, all = counting+cost, all+cost
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

// forecast returns what the scopes of recent CPU time take if all are counted, and at their levels,
// in ticks.
//
//go:norace
func (b *budgetState) forecast() (counting, all float64) {
	for _, list := range [...][]spender{b.markers, b.counters} {
		for k := range list {
			s := &list[k]
			if s.table == 0 {
				continue
			}
			n := s.rate * b.recent.cpu
			switch l := s.level(); {
			case l == layout.LevelOff:
				continue
			case l == layout.LevelTimed && s.timed > 0:
				all += n * scopeTicks()
			default:
				all += n * passTicks()
			}
			counting += n * passTicks()
		}
	}
	return counting, all
}

// A group is what is turned off at once: the markers behind a gate, or a counter.
type group struct {
	table   int32 // as of a spender
	line    uint32
	counter bool
	rate    float64
	retry   uint64
}

// groups returns the groups that are off, or those that are on, the cheapest first.
//
//go:norace
func (b *budgetState) groups(off bool) (list []group) {
	for k := range b.markers {
		if s := &b.markers[k]; s.table != 0 && s.rate > 0 && (s.level() == layout.LevelOff) == off {
			t := s.in()
			t.gate(s.line)
			list = append(list, group{s.table, t.gates[s.line], false, s.rate, s.retry})
		}
	}
	lite.Sort(len(list), func(i, j int) bool {
		return list[i].table < list[j].table || list[i].table == list[j].table && list[i].line < list[j].line
	}, func(i, j int) { list[i], list[j] = list[j], list[i] })
	n := 0
	for _, g := range list {
		if n > 0 && list[n-1].table == g.table && list[n-1].line == g.line {
			list[n-1].rate += g.rate
			list[n-1].retry = max(list[n-1].retry, g.retry)
			continue
		}
		list[n] = g
		n++
	}
	list = list[:n]
	for k := 0; hasCounters && k < len(b.counters); k++ {
		if s := &b.counters[k]; s.rate > 0 && (s.level() == layout.LevelOff) == off {
			list = append(list, group{s.table, s.line, true, s.rate, s.retry})
		}
	}
	lite.Sort(len(list), func(i, j int) bool { return list[i].rate < list[j].rate }, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// costOf returns what counting the recent scopes of a group takes, in ticks.
//
//go:norace
func (b *budgetState) costOf(g *group) float64 { return g.rate * b.recent.cpu * passTicks() }

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
			} else if g := s.in().gates; g != nil {
				line = g[line]
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
	return byRate(list)
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
	return byRate(list)
}

//go:norace
func byRate(list []*spender) []*spender {
	lite.Sort(len(list), func(i, j int) bool { return list[i].rate < list[j].rate }, func(i, j int) { list[i], list[j] = list[j], list[i] })
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
