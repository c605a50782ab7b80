//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/layout"
)

// asked takes IndexAsked off the markers, by which the process was told to look at what somebody outside has changed. It has
// counters follow the state, and begins to sample in windows, if the run was given a rate. It is called at the next passage of
// any marker.
//
//go:norace
//go:noinline
func asked() {
	lock()
	for k := range tables {
		t := &tables[k]
		for i := range t.markers {
			clearAsked(&t.at(uint32(i)).index)
		}
	}
	follow()
	begins := false
	if n := atomic.LoadUint64(headerWord(layout.OffSampleN)); n > 1 && conf.Sample <= 1 && !conf.Countdown {
		begins = true
		conf.Sample = n
		undemote() // what is recorded in windows tells more than a count
		atomic.CompareAndSwapUint64(&ownWindow().width, noWindow, 0)
	}
	run := runs
	unlock()
	if begins {
		haveTimers(run)
	}
}

//go:norace
func clearAsked(index *uint32) {
	for {
		w := loadWord(index)
		if w&layout.IndexAsked == 0 {
			return
		}
		left := w &^ layout.IndexAsked
		if left&^(layout.IndexMask|layout.IndexOff) == 0 {
			left &^= layout.IndexOff
		}
		if swapWord(index, w, left) {
			return
		}
	}
}
