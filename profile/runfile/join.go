package runfile

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/estimate"
	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
)

// arrange sorts the tables by the numbers of their markers. A table that has none, since all of its
// unit's are counted, begins at the same number as the next table, and comes before it.
func (r *run) arrange() {
	r.ordered = slices.SortedFunc(maps.Values(r.tables), func(a, b *unitTable) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(len(a.Markers), len(b.Markers)))
	})
}

// named returns the marker at a global index as its table has it, without recorded data, or nil.
func (r *run) named(index uint64) *profile.Marker {
	k := sort.Search(len(r.ordered), func(k int) bool { return r.ordered[k].first > index }) - 1
	if k < 0 || index-r.ordered[k].first >= uint64(len(r.ordered[k].Markers)) {
		return nil
	}
	return r.ordered[k].Markers[index-r.ordered[k].first]
}

// numbering returns a function that maps an index in the data to the marker's index in its table.
func (r *run) numbering() func(index uint64) uint64 {
	numbers := map[uint64]uint64{}
	for _, a := range r.aliases {
		numbers[a.from] = a.to
	}
	return func(index uint64) uint64 {
		if to, ok := numbers[index]; ok {
			return to
		}
		return index
	}
}

// join assigns the data, which the file has by number, to the markers and blocks named by the
// tables, and adds them to sum.
func (r *run) join(sum *profile.Sum) {
	if len(r.edges) > 0 {
		r.callers()
	}
	r.pairs()
	r.paths()
	r.followAliases()
	r.steered()
	r.budget()
	r.demote()
	callers := map[*profile.Marker][]profile.Caller{} // by marker of sum; several lines of a table may name the same one
	all := r.header.word(layout.OffSampleN) == 1      // sample=1:1 overrides directives
	for _, number := range slices.Sorted(maps.Keys(r.tables)) {
		t := r.tables[number]
		windows := r.windowsOf(t)
		for i, m := range t.Markers {
			index := t.first + uint64(i)
			total := r.totals.at(index)
			if b, ok := windows[t.Gates[i]]; ok && total == nil {
				total = new(profile.Marker)
				estimate.Windows(total, r.rate(), r.times(b.since), &b.Sums, 0)
			}
			r.totals.set(index, nil)
			if m == nil {
				continue // reported when its line was read
			}
			to := sum.Marker(m.ID)
			to.UpdateName(m, r.Newest)
			if total = r.pickedTotal(index, to, total); total != nil {
				r.countRun(to, total)
				if len(total.Callers) > 0 {
					callers[to] = append(callers[to], total.Callers...)
					total.Callers = nil
				}
				to.Add(total)
			}
			if all {
				to.Sample = max(to.Sample, 1)
			} else {
				to.Sample = max(to.Sample, m.Sample)
			}
			r.addOff(to, lineKey{number, uint32(i)}, r.off[index])
		}
		counts, off := r.counts(number, t), r.bitsOff(number, t)
		for i, c := range t.Counters {
			n := uint64(0)
			if i < len(counts) {
				n = counts[i]
			}
			switch {
			case c.Marker != nil:
				to := sum.Marker(c.Marker.ID)
				to.UpdateName(c.Marker, r.Newest)
				total := profile.Marker{Count: n}
				r.countRun(to, &total)
				to.Add(&total)
				why := ""
				if off.has(i) {
					why = "choice"
				}
				r.addOff(to, lineKey{number, uint32(i) | layout.BudgetCounter}, why)
			case c.Block != nil:
				sum.AddBlock(*c.Block, n)
			}
		}
	}
	for to, list := range callers {
		to.Add(&profile.Marker{Callers: list})
	}
	for _, number := range slices.Sorted(maps.Keys(r.counters)) {
		if r.tables[number] == nil {
			r.damagedAt(r.damaged(r.counters[number][0].offset, "counters of table %d, which is not in the file; they are left out", number))
		}
	}
	r.unnamed()
}

// countRun prepares total for being added to a marker of the sum: it counts the run once for the
// marker and its callers, even if several tables name the marker, and adds the cost of recording
// to the cost of the run.
func (r *run) countRun(to, total *profile.Marker) {
	r.costs(total)
	if total.Count > 0 && !r.counted[to] {
		r.counted[to] = true
		total.Runs = 1
	}
	for i := range total.Callers {
		c := &total.Callers[i]
		c.Runs = min(c.Count, 1)
	}
}

// followAliases moves data that were recorded before a marker's table was registered to the
// marker's number in that table.
func (r *run) followAliases() {
	for i := range r.aliases {
		a := &r.aliases[i]
		a.total = r.totals.at(a.from)
		r.totals.set(a.from, nil)
		if b, ok := r.samples[a.from]; ok {
			r.sampledMarkers[a.to] = b
		}
	}
	for _, a := range r.aliases {
		switch {
		case a.total == nil || a.to == layout.NoMarker:
		case r.totals.at(a.to) == nil:
			r.totals.set(a.to, a.total)
		default:
			r.totals.at(a.to).Add(a.total)
		}
	}
	r.firsts()
}

// counts returns the counters of a table, summed over all shards. There may be fewer than the table
// names.
func (r *run) counts(number uint64, t *unitTable) []uint64 {
	var counts []uint64
	for _, b := range r.counters[number] {
		n := (b.size - layout.OffCountersData) / 8
		if n != uint64(len(t.Counters)) {
			r.damagedAt(r.damaged(b.offset, "%d counters for a table that names %d", n, len(t.Counters)))
		}
		counts = r.addWords(counts, b.offset+layout.OffCountersData, min(n, uint64(len(t.Counters))))
	}
	return counts
}

// demotedCounts returns for each marker of a table how many scopes were counted by code counters
// after it was demoted; nil if none was.
func (r *run) demotedCounts(number uint64, t *unitTable) (counts []uint64) {
	for _, b := range r.demoted[number] {
		counts = r.addWords(counts, b.offset, min(b.size/8, uint64(len(t.Markers))))
	}
	return counts
}

// addWords adds n words of the file to counts, which it extends if needed.
func (r *run) addWords(counts []uint64, at, n uint64) []uint64 {
	i := 0
	r.damagedIf(r.each(at, n, 8, func(data []byte) {
		for ; len(data) > 0; i, data = i+1, data[8:] {
			if i == len(counts) {
				counts = append(counts, 0)
			}
			counts[i] = profile.Add64(counts[i], r.order.Uint64(data))
		}
	}))
	return counts
}

// unnamed warns about data at markers that no table names. In an undamaged file these were called
// during the initialization of the program's variables, and the program ended before their own
// package was initialized.
func (r *run) unnamed() {
	scopes, markers := uint64(0), uint64(0)
	for _, m := range r.totals.all() {
		scopes, markers = profile.Add64(scopes, m.Count), markers+1
	}
	if scopes > 0 {
		r.warn("%s of %s that no table in the file names; they are left out", units.Plural(scopes, "scope"), units.Plural(markers, "marker"))
	}
}
