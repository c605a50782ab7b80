package runtime

import "unsafe"

// MarkgenGoroutine is what a deep build keeps with each goroutine. A g is used
// again when its goroutine has ended; what is here goes on then.
type MarkgenGoroutine struct {
	// Own belongs to markgen's runtime. Nothing in there is seen by the garbage
	// collector.
	Own [8]uint64

	// What the goroutine has allocated on the heap so far, by the rules of
	// MemStats.TotalAlloc and MemStats.Mallocs. It is written while the goroutine
	// runs, on its own behalf, and can be read and set by it alone.
	Bytes, Objects uint64
}

// MarkgenOffset is where that is in a g.
const MarkgenOffset = unsafe.Offsetof(g{}.markgen)

// Markgen is that of the goroutine that calls it.
func Markgen() *MarkgenGoroutine { return &getg().markgen }

// MarkgenGone is called by each goroutine as the last that it does, if it is not
// nil.
var MarkgenGone func()

// markgenGone is what has been inserted where goroutines end.
func markgenGone() {
	if f := MarkgenGone; f != nil {
		f()
	}
}

// markgenAllocated takes note of an object for which there is no statement in
// line.
func markgenAllocated(size uintptr) {
	if gp := getg().m.curg; gp != nil {
		gp.markgen.Bytes += uint64(size)
		gp.markgen.Objects++
	}
}
