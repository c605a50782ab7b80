//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/layout"
)

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
		w := loadWord(index)
		if w&layout.IndexControl == 0 {
			return
		}
		left := w &^ layout.IndexControl
		if left&^(layout.IndexMask|layout.IndexOff) == 0 {
			left &^= layout.IndexOff
		}
		if swapWord(index, w, left) {
			return
		}
	}
}
