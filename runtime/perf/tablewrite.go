//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A program may have hundreds of tables, and all come before main begins. Written together they take the system half
// of the time that they take one by one. So they wait for each other until the first marker is passed, which has to wait for
// other things as well (ready), or all have come (Last). What counters count meanwhile is in the data file, but a process that is
// killed before main has begun, and has passed no marker, leaves no names there.

// lastTold says that the last table tells that it is the last. Who builds the program sets it, before the first comes.
var lastTold bool

// Under the lock.
var (
	holding bool // tables wait
	written int  // so many of the tables, from the first on, are in the data of the run
)

// hold has tables wait in a run that begins. The caller has starting, and there is no run yet.
//
//go:norace
func hold() { holding = true }

// writeHeld writes the tables that wait, and none waits from now on. The caller holds the lock.
//
//go:norace
func writeHeld() {
	if holding {
		holding = false
		writeTables(len(tables))
	}
}

// writeTables writes the tables that are not written yet, up to that of number end less one. The caller holds the lock.
//
//go:norace
func writeTables(end int) {
	for written < end {
		from := written
		for written < end && written < from+mostTogether && !tables[written].left {
			written++
		}
		if written > from {
			writeTogether(from, written)
		} else {
			written++
		}
	}
}

// mostTogether tables are written at once: systems take 1024 parts (IOV_MAX), and a table has three.
const mostTogether = 256

// writeTogether makes and publishes blocks for the tables from one number to another. If there is no memory for them
// their markers are turned off. Long ones end where a page of the file does, which takes a half of what it takes to
// write the rest of that page with the next. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func writeTogether(from, to int) {
	size := uintptr(0)
	for k := from; k < to; k++ {
		size += tables[k].size()
	}
	pad := uintptr(0)
	if hasRoom(size) && size >= filePage {
		pad = (space.free - size) % filePage // pieces end where a page does
	}
	p, size := takeSpace(size + pad)
	if p == nil {
		for k := from; k < to; k++ {
			tables[k].leave()
		}
		return
	}
	heads := make([]blockHead, to-from)
	parts := make([]string, 0, 3*(to-from))
	for i := range heads {
		t, h := &tables[from+i], &heads[i]
		size := t.size()
		if i == len(heads)-1 {
			size += pad
		}
		h.set(layout.BlockTable, size)
		h[layout.OffTableNumber/8] = uint64(from + i)
		h[layout.OffTableFirst/8] = uint64(t.first)
		h[layout.OffTableMarkers/8] = uint64(t.markers)
		h[layout.OffTableCounters/8] = uint64(t.n)
		h[layout.OffTableLen/8] = uint64(len(t.text))
		h[layout.OffTableSum/8] = layout.Checksum(layout.SumHead(h.bytes(), layout.OffTableSum), unsafe.Slice(unsafe.StringData(t.text), len(t.text)))
		parts = append(parts, h.text(), t.text, unsafe.String(&zeros[0], size-layout.OffTableText-uintptr(len(t.text))))
	}
	publishParts(p, size, parts)
}

// zeros are what is written behind a text.
var zeros [filePage + layout.BlockAlign]byte

// size is that of the table's block.
//
//go:norace
func (t *table) size() uintptr { return aligned(layout.OffTableText + uintptr(len(t.text))) }

// leave leaves the table out of the run.
//
//go:norace
func (t *table) leave() {
	t.left = true
	t.turnOff(layout.OffByChoice)
}
