//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/layout"
)

// A program may have hundreds of tables, which are registered before main begins. Writing them to
// the data file together takes half the time. So they are held back until the first scope, which
// has to wait anyway (ready), or until all are registered (Last). If a process is killed before
// that, its data have the counts of its counters, but no names.

// tablesAnnounced says that the program calls Last after its last table. The overlay build sets it,
// before the first table is registered.
var tablesAnnounced bool

// Under the lock.
var (
	holding bool // tables are held back
	written int  // number of tables, from the first on, that are in the run's data
)

// writeHeld writes the tables held back, and later ones are written at once. The caller holds the
// lock.
//
//go:norace
func writeHeld() {
	if holding {
		holding = false
		writeTables(len(tables))
	}
}

// writeTables writes the tables with numbers below end that are not written yet. The caller holds
// the lock.
//
//go:norace
func writeTables(end int) {
	for written < end {
		from := written
		for written < end && written < from+maxTablesPerWrite && !tables[written].excluded {
			written++
		}
		if written > from {
			writeBlocks(from, written)
		} else {
			written++
		}
	}
}

// maxTablesPerWrite is how many are written at once: systems accept 1024 parts (IOV_MAX), and a
// table has three.
const maxTablesPerWrite = 256

// writeBlocks makes and publishes blocks for the tables from number from up to, but not including,
// to. If there is no memory, it turns their markers off. Long blocks are padded to the end of a
// page of the file: writing a page in two halves takes twice as long. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func writeBlocks(from, to int) {
	size := uintptr(0)
	for k := from; k < to; k++ {
		size += tables[k].size()
	}
	pad := uintptr(0)
	if size >= blocks.Page {
		pad = space.PadToPage(size)
	}
	p, size := space.Take(size + pad)
	if p == nil {
		for k := from; k < to; k++ {
			tables[k].exclude()
		}
		return
	}
	heads := make([]blocks.Head, to-from)
	parts := make([][]byte, 0, 3*(to-from))
	for i := range heads {
		t, h := &tables[from+i], &heads[i]
		size := t.size()
		if i == len(heads)-1 {
			size += pad
		}
		text := unsafe.Slice(unsafe.StringData(t.text), len(t.text))
		h.Set(layout.BlockTable, size)
		h[layout.OffTableNumber/8] = uint64(from + i)
		h[layout.OffTableFirst/8] = uint64(t.first)
		h[layout.OffTableMarkers/8] = uint64(t.markers)
		h[layout.OffTableCounters/8] = uint64(t.n)
		h[layout.OffTableLen/8] = uint64(len(t.text))
		h[layout.OffTableSum/8] = layout.Checksum(layout.SumHead(h.Bytes(), layout.OffTableSum), text)
		parts = append(parts, h.Bytes(), text, zeros[:size-layout.OffTableText-uintptr(len(text))])
	}
	space.PublishParts(p, size, parts)
}

// zeros is the padding after a text.
var zeros [blocks.Page + layout.BlockAlign]byte

// size returns the size of the table's block.
//
//go:norace
func (t *table) size() uintptr { return blocks.Aligned(layout.OffTableText + uintptr(len(t.text))) }

// exclude excludes the table from the run.
//
//go:norace
func (t *table) exclude() {
	t.excluded = true
	t.turnOff(layout.OffByChoice)
}
