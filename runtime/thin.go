//go:build !markgen_off

package runtime

import "sync/atomic"

// In thin windows the marked functions run as in others, but their scopes are not opened: that they are passed is
// counted, of all markers together. That costs a fraction of what a scope does, so a program does
// more in a thin window than in one of the others, and how much more tells what scopes cost it (scopeCost).

// A marker whose word has IndexOff and no reason for it is passed in a thin window.
func isThin(word uint32) bool { return word&^IndexMask == IndexOff }

// thinEach is how many passages in thin windows share one reading of the clock. It tells whether that one was in the window; where it was
// so many are counted.
const thinEach = 8

// The first thinShards shards have counted passages in thin windows, perhaps.
var thinShards uint32

// thinned is whether the markers of gates have IndexOff for a thin window. Under the lock.
var thinned bool

// setThin has windows be thin or not: those to come, and if one is open the rest of it. The caller holds the lock.
//
//go:norace
func setThin(on bool) {
	if on == thinned {
		return
	}
	thinned = on
	for _, m := range gates {
		for {
			w := loadWord(&m.index)
			if on && w&^IndexMask != 0 || !on && !isThin(w) || swapWord(&m.index, w, w^IndexOff) {
				break
			}
		}
	}
}

// passThinly counts a passage of a marker that is thin, but on processors that have no shard of their own.
//
//go:norace
//go:nocheckptr
func passThinly() {
	pid := procPin()
	if uint(pid) >= MaxShards {
		procUnpin()
		return
	}
	s := &shards[pid]
	s.thin++
	if s.thin%thinEach == 0 {
		readThin(pid)
		return
	}
	procUnpin()
}

// readThin reads the clock for the latest thinEach passages on a processor, which the caller is pinned to, and unpins it.
//
//go:norace
//go:nocheckptr
//go:noinline
func readThin(pid int) {
	w, t := hot.window, now()
	from, width := atomic.LoadUint64(&w.from), w.widthAt(t)
	in := width != noWindow && t-from <= width
	if in {
		s := &shards[pid]
		atomic.StoreUint64(&s.in, s.in+thinEach)
		if n := uint32(pid + 1); n > atomic.LoadUint32(&thinShards) { // of two at once one may be lost, until it comes again
			atomic.StoreUint32(&thinShards, n)
		}
	}
	procUnpin()
	if !in {
		w.late(t)
	}
}

// thinPassages is how many passages there were in thin windows since it was asked last, and on how many processors. The
// caller holds the lock.
//
//go:norace
func thinPassages() (n, processors uint64) {
	for i := range atomic.LoadUint32(&thinShards) {
		s := &shards[i]
		if in := atomic.LoadUint64(&s.in); in != s.known {
			n += in - s.known
			s.known = in
			processors++
		}
	}
	return n, processors
}
