package profile

import (
	"fmt"
	"maps"
	"slices"

	layout "github.com/markgen/markgen/runtime"

	"github.com/markgen/markgen/registry"
)

// join gives the figures, which the file has under numbers, to the markers and
// blocks that the tables name, and fills the profile with these.
func (r *run) join() {
	r.callers()
	r.followAliases()
	r.steered()
	markers := map[registry.ID]*Marker{}
	blocks := map[Block]uint64{}
	for _, number := range slices.Sorted(maps.Keys(r.tables)) {
		t := r.tables[number]
		for i, m := range t.markers {
			index := t.first + uint64(i)
			figures := r.cells[index]
			delete(r.cells, index)
			if m == nil {
				continue // said when its line was read
			}
			if figures != nil {
				m.add(figures)
			}
			if r.header.word(layout.OffSampleN) == 1 { // whatever directives say
				m.Sample = 1
			}
			m.asOf = r.newest
			addMarker(markers, m)
		}
		counts := r.counts(number, t)
		for i, c := range t.counters {
			n := uint64(0)
			if i < len(counts) {
				n = counts[i]
			}
			switch {
			case c.marker != nil:
				c.marker.Count = n
				if b, ok := r.ticks[tickKey{number, uint64(i)}]; ok {
					c.marker.fromTicks(r.tickWindows(b), b, float64(r.header.word(layout.OffBatches)-b.batches))
				}
				c.marker.asOf = r.newest
				addMarker(markers, c.marker)
			case c.block != nil:
				blocks[*c.block] = add64(blocks[*c.block], n)
			}
		}
	}
	for _, number := range slices.Sorted(maps.Keys(r.counters)) {
		if r.tables[number] == nil {
			r.damagedAt(r.damaged(r.counters[number][0].offset, "counters of table %d, which is not in the file; they are left out", number))
		}
	}
	r.unnamed()
	r.Markers = make([]Marker, 0, len(markers))
	for _, m := range markers {
		r.Markers = append(r.Markers, *m)
	}
	for b, n := range blocks {
		b.Count = n
		r.Blocks = append(r.Blocks, b)
	}
}

// followAliases moves what was recorded before a marker's table was registered to
// the marker's number in that table.
func (r *run) followAliases() {
	early := map[uint64]*Marker{}
	for from := range r.aliases {
		if figures := r.cells[from]; figures != nil {
			early[from] = figures
			delete(r.cells, from)
		}
	}
	for from, figures := range early {
		if to := r.aliases[from]; to != layout.NoMarker {
			r.figures(to).add(figures)
		}
	}
}

// counts reads the counters of a table, all shards added up; they may be fewer
// than the table names.
func (r *run) counts(number uint64, t *table) []uint64 {
	var counts []uint64
	for _, b := range r.counters[number] {
		data, err := r.content(b, b.size)
		if err != nil {
			r.damagedAt(err)
			continue
		}
		data = data[layout.OffCountersData:]
		if len(data)/8 != len(t.counters) {
			r.damagedAt(r.damaged(b.offset, "%d counters for a table that names %d", len(data)/8, len(t.counters)))
		}
		for i := 0; len(data) >= 8; i, data = i+1, data[8:] {
			if i == len(counts) {
				counts = append(counts, 0)
			}
			counts[i] = add64(counts[i], r.order.Uint64(data))
		}
	}
	return counts
}

// unnamed says how much was recorded at markers that no table names. In a sound
// file they were entered while the program's variables were initialised, and
// it ended before their own package's turn came.
func (r *run) unnamed() {
	passages := uint64(0)
	for _, m := range r.cells {
		passages = add64(passages, m.Count)
	}
	if passages > 0 {
		r.warn("%s of %s that no table in the file names; they are left out", plural(passages, "passage"), plural(uint64(len(r.cells)), "marker"))
	}
}

func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
