//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// pageSize is the size of the pages in which markers are mapped. On systems with larger pages,
// MarkerPad does not keep other variables out of them.
const pageSize = layout.MarkerPad * layout.MarkerSize

// sharePages copies the words of markers to the data file and maps that part of the file over the
// program's variables, so that the program's code continues to test its own variables, and other
// processes that map the file can change them. The words keep their values. The markers must have
// MarkerPad others before and after them. Where the system does not support this, the words are in
// the program only, and other processes cannot turn markers on and off. The caller holds the lock,
// as does every writer of the words in this process.
//
//go:norace
//go:nocheckptr
func (t *table) sharePages(number uint64) {
	if !t.padded || t.shared || !space.IsOpen() || !datafile.CanShare(pageSize) {
		return
	}
	own := t.pages()
	b, size := space.Take(layout.BlockAlign + pageSize + uintptr(len(own)))
	if b == nil {
		return
	}
	var head blocks.Head
	head.Set(layout.BlockMarkers, size)
	defer space.PublishParts(b, size, [][]byte{head.Bytes()})
	if !space.InFile() {
		return // the file could not grow
	}
	data := (layout.BlockAlign+uintptr(b)+pageSize-1)&^(pageSize-1) - uintptr(b)
	mapped := unsafe.Slice((*byte)(unsafe.Add(b, data)), len(own))
	if t.turnedOff || t.gates != nil || t.hasIndexes() { // else the words are zero, as the file is
		copy(mapped, own)
	}
	if t.shared = datafile.Share(own, mapped); t.shared {
		head[layout.OffMarkersTable/8] = number
		head[layout.OffMarkersLen/8] = uint64(t.markers)
		head[layout.OffMarkersData/8] = uint64(data + uintptr(unsafe.Pointer(t.of))%pageSize)
	}
}

// pages returns the pages with the table's markers.
//
//go:norace
//go:nocheckptr
func (t *table) pages() []byte {
	before := uintptr(unsafe.Pointer(t.of)) % pageSize
	size := (before + uintptr(t.markers)*layout.MarkerSize + pageSize - 1) &^ (pageSize - 1)
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(t.of), -int(before))), size)
}

// hasIndexes reports whether a marker of the table has an index, and so may have words that are not
// zero.
func (t *table) hasIndexes() bool {
	for k := range live {
		if _, ok := t.indexOf(live[k].marker); ok {
			return true
		}
	}
	return false
}

// keepPages gives the program private pages for its markers again, with the same contents, since
// nothing protects the closed data file from being truncated. It returns false if it could not.
//
//go:norace
func (t *table) keepPages() bool {
	if t.shared {
		t.shared = !datafile.Unshare(t.pages())
	}
	return !t.shared
}

// ackControl clears IndexControl, the bit with which another process (markgen ctl) signals that it
// has changed the state or the sampling rate in the data file. Counters follow the state, and
// windows begin if there now is a rate. It is called at the next scope of a marker.
//
//go:norace
//go:noinline
func ackControl() {
	lock()
	for k := range tables {
		t := &tables[k]
		for i := range t.markers {
			clearRequest(&t.at(uint32(i)).index)
		}
	}
	follow()
	begins := false
	if n := atomic.LoadUint64(headerWord(layout.OffSampleN)); n > 1 && conf.Sample <= 1 && !conf.Countdown {
		begins = true
		conf.Sample = n
		undemote() // a sample in windows has more information than a count
		atomic.CompareAndSwapUint64(&ownWindow().width, noWindow, 0)
	}
	run := runs
	unlock()
	if begins {
		haveTimers(run)
	}
}

//go:norace
func clearRequest(index *uint32) {
	for {
		w := shared.Load(index)
		if w&layout.IndexControl == 0 {
			return
		}
		left := w &^ layout.IndexControl
		if left&^(layout.IndexMask|layout.IndexOff) == 0 {
			left &^= layout.IndexOff
		}
		if shared.Swap(index, w, left) {
			return
		}
	}
}
