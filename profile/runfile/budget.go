package runfile

import (
	"cmp"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
)

// levels has the changes of the levels of markers and counters that a budget made, by line of a
// table, in order.
type levels map[lineKey][]levelChange

// A lineKey identifies a marker of a table, or a counter with layout.BudgetCounter.
type lineKey struct {
	table uint64
	line  uint32
}

type levelChange struct {
	atNS     uint64 // since the start of the run
	from, to string
}

var levelNames = [...]string{
	layout.LevelTimed:   profile.LevelTimed,
	layout.LevelCounted: profile.LevelCounted,
	layout.LevelOff:     profile.LevelOff,
}

// budgetBlock reads changes of levels.
func (r *run) budgetBlock(b block) error {
	head, err := r.content(b, layout.OffBudgetData)
	if err != nil {
		return err
	}
	ppm, n := r.order.Uint64(head[layout.OffBudgetPPM:]), r.order.Uint64(head[layout.OffBudgetLen:])
	if ppm == 0 || ppm >= 1e6 || n > layout.BudgetRoom {
		return r.damaged(b.offset, "%d changes for a budget of %d ppm; they are left out", n, ppm)
	}
	data, err := r.content(b, layout.OffBudgetData+n*layout.BudgetSize)
	if err != nil {
		return err
	}
	r.BudgetPPM = ppm
	for data = data[layout.OffBudgetData:]; len(data) >= layout.BudgetSize; data = data[layout.BudgetSize:] {
		word := func(offset int) uint32 { return r.order.Uint32(data[offset:]) }
		from, to := word(layout.BudgetFrom), word(layout.BudgetTo)
		if max(from, to) >= uint32(len(levelNames)) {
			return r.damaged(b.offset, "a change to level %d; it and those after it are left out", max(from, to))
		}
		if r.levels == nil {
			r.levels = levels{}
		}
		key := lineKey{uint64(word(layout.BudgetTable)), word(layout.BudgetLine)}
		tick := r.order.Uint64(data[layout.BudgetTick:])
		r.levels[key] = append(r.levels[key], levelChange{
			atNS: profile.Duration(r.header.word(layout.OffStartTick), tick, r.Clock.Hz),
			from: levelNames[from], to: levelNames[to],
		})
	}
	return nil
}

// budget adds the changes of levels to those of the state. It needs all tables.
func (r *run) budget() {
	for key, list := range r.levels {
		m := r.onLine(key)
		if m == nil {
			continue
		}
		for _, c := range list {
			r.Changes = append(r.Changes, profile.Change{AtNS: c.atNS, From: c.from, To: c.to, Cause: profile.CauseBudget, Marker: m.ID})
		}
	}
	if r.levels != nil {
		slices.SortStableFunc(r.Changes, func(a, b profile.Change) int {
			return cmp.Or(cmp.Compare(a.AtNS, b.AtNS), cmp.Compare(a.Marker, b.Marker))
		})
	}
}

// onLine returns the marker on a line of a table, or nil.
func (r *run) onLine(key lineKey) *profile.Marker {
	t, i := r.tables[key.table], key.line&^layout.BudgetCounter
	switch {
	case t == nil:
	case key.line != i && i < uint32(len(t.Counters)):
		return t.Counters[i].Marker
	case key.line == i && i < uint32(len(t.Markers)):
		return t.Markers[i]
	}
	return nil
}

// addOff adds to a marker of the sum why the marker on a line is off, and its levels.
func (r *run) addOff(to *profile.Marker, key lineKey, why string) {
	add := profile.Marker{Off: why}
	if r.BudgetPPM != 0 {
		add.Levels = r.levelsOf(key)
		if why == "" && add.Levels.OffNS > 0 {
			add.Off = "throttled"
		}
	}
	if add.Off != "" || r.BudgetPPM != 0 {
		to.Add(&add)
	}
}

// levelsOf returns for how long the marker on a line had which level.
func (r *run) levelsOf(key lineKey) (l profile.Levels) {
	level, since := profile.LevelTimed, uint64(0)
	if m := r.onLine(key); m != nil && m.CountOnly {
		level = profile.LevelCounted
	}
	for _, c := range r.levels[key] {
		at := min(max(c.atNS, since), r.ElapsedNS)
		l.Add(c.from, profile.Sub64(at, since))
		level, since = c.to, at
	}
	l.Add(level, profile.Sub64(r.ElapsedNS, since))
	return l
}
