//go:build !markgen_off

package runtime

import "sync/atomic"

// asked begins to sample in windows, if somebody outside has given the run a rate, and
// takes IndexAsked off the markers, by which the process was told. It is called at the
// next passage of any of them.
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
	timed := conf.timed()
	begins := false
	if n := atomic.LoadUint64(headerWord(OffSampleN)); n > 1 && conf.sample <= 1 && !conf.countdown {
		begins = true
		conf.sample = n
		atomic.CompareAndSwapUint64(&ownWindow().width, noWindow, 0)
	}
	run := runs
	unlock()
	if begins && !timed {
		go timers(run)
	}
}

//go:norace
func clearAsked(index *uint32) {
	for {
		w := loadWord(index)
		if w&IndexAsked == 0 {
			return
		}
		left := w &^ IndexAsked
		if left&^(IndexMask|IndexOff) == 0 {
			left &^= IndexOff
		}
		if swapWord(index, w, left) {
			return
		}
	}
}
