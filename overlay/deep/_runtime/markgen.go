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

	// What it is doing (Markgen…), since when, and how long it has done what, ns, by
	// nanotime. It is written while MarkgenFollow says so.
	Doing uint32
	Since int64
	Spent [MarkgenDoings]int64
}

// What a goroutine does, as the scheduler sees it. Waiting for a processor is
// MarkgenRunnable, and to be in a system call without waiting in the scheduler is
// MarkgenSyscall, whatever the kernel does meanwhile; time in short ones is not told apart from running.
const (
	MarkgenRunning = iota
	MarkgenRunnable
	MarkgenChan  // waits for a channel or in select
	MarkgenSync  // for what package sync has
	MarkgenIO    // for the network poller
	MarkgenSleep // for time to pass
	MarkgenSyscall
	MarkgenGC    // does or waits for work of the garbage collector
	MarkgenOther // has not begun, has ended, or waits for something else
	MarkgenDoings
)

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

// MarkgenFollowed is since when goroutines take note of what they do, ns; 0: they don't.
var MarkgenFollowed int64

// MarkgenFollow has goroutines take note of what they do, or not.
func MarkgenFollow(on bool) {
	MarkgenFollowed = 0
	if !on {
		return
	}
	for reason, text := range waitReasonStrings {
		markgenWaits[reason] = markgenWait(text)
	}
	MarkgenFollowed = nanotime()
}

// markgenWaits has what it is to wait for a waitReason.
var markgenWaits [256]uint8

// markgenWait goes by the texts of the reasons, which traces show.
func markgenWait(reason string) uint8 {
	is := func(prefix string) bool { return len(reason) >= len(prefix) && reason[:len(prefix)] == prefix }
	switch {
	case is("chan "), is("select"):
		return MarkgenChan
	case is("sync."), is("semacquire"):
		return MarkgenSync
	case is("IO wait"):
		return MarkgenIO
	case is("sleep"):
		return MarkgenSleep
	case is("GC "), is("garbage collection"), is("wait for GC"):
		return MarkgenGC
	case is("preempted"), is("stopping the world"):
		return MarkgenRunnable
	}
	return MarkgenOther
}

// markgenShort is how long a system call is that counts as waiting, ns. The scheduler takes the processor from
// longer ones (retake in proc.go); what is shorter works more often than it waits.
const markgenShort = 20_000

// markgenTurns takes note of a goroutine's new status, where the status has been
// changed. Only one thread at a time does that.
//
//go:nosplit
func markgenTurns(gp *g, status uint32) {
	doing := uint32(MarkgenOther)
	switch status {
	case _Grunning, _Gcopystack:
		doing = MarkgenRunning
	case _Grunnable, _Gpreempted:
		doing = MarkgenRunnable
	case _Gsyscall:
		doing = MarkgenSyscall
	case _Gwaiting:
		doing = uint32(markgenWaits[gp.waitreason])
	}
	m := &gp.markgen
	known := m.Since >= MarkgenFollowed
	if known && m.Doing == doing {
		return
	}
	now := nanotime()
	if known && (m.Doing != MarkgenSyscall || now-m.Since >= markgenShort) {
		m.Spent[m.Doing%MarkgenDoings] += now - m.Since
	}
	m.Doing, m.Since = doing, now
}

// markgenAllocated takes note of an object for which there is no statement in
// line.
func markgenAllocated(size uintptr) {
	if gp := getg().m.curg; gp != nil {
		gp.markgen.Bytes += uint64(size)
		gp.markgen.Objects++
	}
}
