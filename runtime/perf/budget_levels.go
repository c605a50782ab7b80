//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// levels records at which level markers and counters are collected in a run with a budget, and
// every change in the data file. Under the lock.
var levels levelLog

type levelLog struct {
	block unsafe.Pointer // the newest BlockBudget; nil if there is none
	is    [][]uint8      // Level… by table, of its markers, then of its counters; nil for LevelTimed
}

// grow adds a BlockBudget, and returns false if there is no memory left.
//
//go:norace
//go:nocheckptr
func (l *levelLog) grow() bool {
	if l.block = space.New(layout.BlockBudget, 0, layout.OffBudgetData+layout.BudgetRoom*layout.BudgetSize); l.block == nil {
		return false
	}
	*(*uint64)(unsafe.Add(l.block, layout.OffBudgetPPM)) = conf.Budget
	space.Publish(l.block)
	return true
}

// set sets the level of a line of a table, in the order of is, at tick t.
//
//go:norace
//go:nocheckptr
func (l *levelLog) set(k int, line uint32, to uint8, t uint64) {
	for len(l.is) <= k {
		l.is = append(l.is, nil)
	}
	of := &tables[k]
	if l.is[k] == nil {
		if to == layout.LevelTimed {
			return
		}
		l.is[k] = make([]uint8, of.markers+of.n)
	}
	from := l.is[k][line]
	if from == to {
		return
	}
	l.is[k][line] = to
	if l.block == nil {
		return
	}
	n := (*uint64)(unsafe.Add(l.block, layout.OffBudgetLen))
	if *n == layout.BudgetRoom {
		if !l.grow() {
			return
		}
		n = (*uint64)(unsafe.Add(l.block, layout.OffBudgetLen))
	}
	if line >= uint32(of.markers) {
		line = line - uint32(of.markers) | layout.BudgetCounter
		from = max(from, layout.LevelCounted)
		to = max(to, layout.LevelCounted)
	}
	change := unsafe.Add(l.block, layout.OffBudgetData+uintptr(*n)*layout.BudgetSize)
	*(*uint64)(unsafe.Add(change, layout.BudgetTick)) = t
	*(*uint32)(unsafe.Add(change, layout.BudgetTable)) = uint32(k)
	*(*uint32)(unsafe.Add(change, layout.BudgetLine)) = line
	*(*uint32)(unsafe.Add(change, layout.BudgetFrom)) = uint32(from)
	*(*uint32)(unsafe.Add(change, layout.BudgetTo)) = uint32(to)
	atomic.StoreUint64(n, *n+1)
}

// demoted records that m, which is registered, was demoted at tick t.
//
//go:norace
func (l *levelLog) demoted(m *Marker, t uint64) {
	var s spender
	if l.block != nil && s.find(m) {
		s.note(t)
	}
}

// level returns the level of s.
//
//go:norace
func (s *spender) level() uint8 {
	if !hasCounters || !s.counter {
		return s.in().at(s.line).level()
	}
	if s.in().counting[s.line] == countsOn {
		return layout.LevelCounted
	}
	return layout.LevelOff
}

// level returns the level of a marker.
//
//go:norace
func (m *Marker) level() uint8 {
	switch w := shared.Load(&m.Off); {
	case w&layout.OffByLimit != 0:
		return layout.LevelOff
	case w&layout.OffDemoted != 0:
		return layout.LevelCounted
	}
	return layout.LevelTimed
}

// note records the level of the marker of s at tick t.
//
//go:norace
func (s *spender) note(t uint64) {
	levels.set(int(s.table-1), s.line, s.level(), t)
}

// turn turns groups off or on at tick t, except for those with a marker that a trigger watches. It
// returns by table whether the markers behind a gate, or behind the markers a counter, were turned.
//
//go:norace
func (l *levelLog) turn(list []group, off bool, t uint64) [][]bool {
	turned := make([][]bool, len(tables))
	for i := range list {
		g := &list[i]
		k := int(g.table - 1)
		of := &tables[k]
		if turned[k] == nil {
			turned[k] = make([]bool, of.markers+of.n)
		}
		if hasCounters && g.counter {
			to := uint8(layout.LevelTimed) // on, of a counter
			if off {
				to = layout.LevelOff
			}
			turned[k][uint32(of.markers)+g.line] = true
			of.countLine(g.line, !off)
			l.set(k, uint32(of.markers)+g.line, to, t)
			continue
		}
		turned[k][g.line] = !of.ofStopwatch()
	}
	for k := range turned {
		if turned[k] != nil {
			l.turnGates(k, turned[k], off, t)
		}
	}
	if off {
		settleMarkers() // or their code would continue to look for scope ends
	}
	return turned
}

// turnGates turns the markers behind gates of a table off or on.
//
//go:norace
func (l *levelLog) turnGates(k int, turned []bool, off bool, t uint64) {
	of := &tables[k]
	for i, gate := range of.gates {
		if shared.Load(&of.at(uint32(i)).index)&layout.IndexWatched != 0 {
			turned[gate] = false
		}
	}
	for i, gate := range of.gates {
		if !turned[gate] {
			continue
		}
		m := of.at(uint32(i))
		if off {
			shared.SetBits(&m.Off, layout.OffByLimit)
		} else {
			m.clearOff(layout.OffByLimit)
		}
		l.set(k, uint32(i), m.level(), t)
	}
}

// countLine turns counter i of the table on or off, if it is no cover block.
//
//go:norace
//go:nocheckptr
func (t *table) countLine(i uint32, on bool) {
	var p unsafe.Pointer
	t.counting[i] = countsNever
	if on {
		t.counting[i] = countsOn
		if counts(State()) {
			p = unsafe.Pointer(t.counterAt(uintptr(i)))
		}
	}
	shared.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&unsafe.Slice(t.counted, t.n)[i].P)), p)
}
