//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// A marker that is off, or demoted, and has no open scope is settled (OffSettled): its code no longer
// looks for scope ends. The functions below are called with the lock.

// searches is the number of calls of findOpen.
var searches uint64

// findOpen notes which markers have open scopes.
//
//go:norace
func findOpen() {
	searches++
	for _, p := range owners {
		s := p.stack.scopes()
		for i := range min(s.n, s.room) {
			u := indexed(s.at(i).index & layout.IndexMask)
			if u != nil { // perhaps the use from before the marker was sampled
				u = indexed(shared.Load(&u.marker.index) & layout.IndexMask)
			}
			if u != nil {
				u.open = searches
			}
		}
	}
}

// settle settles the marker if it is off or demoted, unless the latest findOpen found a scope of it open.
// It returns false if it is not settled and may be later.
//
//go:norace
func (m *Marker) settle() bool {
	w := shared.Load(&m.Off)
	if w&^layout.OffSettled == 0 || w&layout.OffSettled != 0 {
		return true
	}
	u := indexed(shared.Load(&m.index) & layout.IndexMask)
	return (u == nil || u.open != searches) && shared.Swap(&m.Off, w, w|layout.OffSettled)
}

// settleMarkers settles all markers.
//
//go:norace
func settleMarkers() {
	findOpen()
	for k := range tables {
		t := &tables[k]
		for i := range t.markers {
			t.at(uint32(i)).settle()
		}
	}
}

// settleGates settles the markers that windows close.
//
//go:norace
func settleGates() {
	if len(gates) == 0 {
		return
	}
	findOpen()
	for i := range gates {
		gates[i].settle()
	}
}

// settleNew settles the markers of a table that have had no scope.
//
//go:norace
func (t *table) settleNew() {
	for i := range t.markers {
		if m := t.at(uint32(i)); shared.Load(&m.index)&layout.IndexMask == 0 || hot.mode != modeOn {
			m.settle()
		}
	}
}
