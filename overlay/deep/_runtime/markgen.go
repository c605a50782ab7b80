package runtime

import "unsafe"

// MarkgenGoroutine is the per-goroutine data of a deep build. A g is reused when its goroutine has
// ended; the data are not reset.
type MarkgenGoroutine struct {
	// Own belongs to markgen's runtime. The garbage collector does not scan it.
	Own [8]uint64

	// Bytes and Objects are the goroutine's heap allocations so far, counted as in
	// MemStats.TotalAlloc and MemStats.Mallocs. They are written by the goroutine as it runs, and
	// only it may read or set them.
	Bytes, Objects uint64

	// Start is what MarkgenStarts returned when the goroutine was started, else 0. Starting is the
	// Start of a goroutine that this one is starting; it is then moved there.
	Start, Starting uint64

	// Doing is the current state (Markgen…), Since the time at which it began, and Spent the time
	// spent in each state, all times in ns by nanotime. They are updated while MarkgenFollow is on.
	Doing uint32
	Since int64
	Spent [MarkgenDoings]int64
}

// States of a goroutine, as the scheduler sees them. MarkgenRunnable is waiting for a processor.
// MarkgenSyscall is being in a system call, whatever the kernel does meanwhile; short system calls
// count as running.
const (
	MarkgenRunning = iota
	MarkgenRunnable
	MarkgenChan  // waiting for a channel or in select
	MarkgenSync  // waiting in package sync
	MarkgenIO    // waiting for the network poller
	MarkgenSleep // sleeping
	MarkgenSyscall
	MarkgenGC    // doing or waiting for work of the garbage collector
	MarkgenOther // not begun, ended, or waiting for something else
	MarkgenDoings
)

// MarkgenOffset is the offset of MarkgenGoroutine in a g.
const MarkgenOffset = unsafe.Offsetof(g{}.markgen)

// Markgen returns the data of the calling goroutine.
func Markgen() *MarkgenGoroutine { return &getg().markgen }

// MarkgenGone, if not nil, is called by each goroutine just before it ends.
var MarkgenGone func()

// markgenGone is called from the code inserted where goroutines end.
func markgenGone() {
	if f := MarkgenGone; f != nil {
		f()
	}
}

// MarkgenStarts, if not nil, is called by a goroutine that is about to start another, and returns
// the other's Start.
var MarkgenStarts func() uint64

// markgenStarts is called from the code inserted at go statements. It leaves out the goroutines of
// package runtime itself, which may hold its locks.
func markgenStarts(fn *funcval) {
	f, gp := MarkgenStarts, getg()
	if f == nil || fn == nil || gp != gp.m.curg || gp.m.locks != 0 {
		return
	}
	const own = "runtime."
	if name := funcname(findfunc(fn.fn)); len(name) >= len(own) && name[:len(own)] == own {
		return
	}
	gp.markgen.Starting = f()
}

// MarkgenFollowed is the time at which tracking of states began, in ns; 0 if it is off.
var MarkgenFollowed int64

// MarkgenFollow turns tracking of goroutine states on or off.
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

// markgenWaits maps a waitReason to a state.
var markgenWaits [256]uint8

// markgenWait returns the state for the text of a waitReason, as shown in traces.
func markgenWait(reason string) uint8 {
	is := func(prefix string) bool { return len(reason) >= len(prefix) && reason[:len(prefix)] == prefix }
	switch {
	case is("chan "), is("select"):
		return MarkgenChan
	case is("sync."):
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
	// "semacquire" is no wait in package sync, but for a collection to begin, for the world, or for a
	// file that another goroutine uses (package internal/poll).
	return MarkgenOther
}

// markgenShort is the duration in ns from which a system call counts as waiting. The scheduler
// retakes the processor from longer ones (retake in proc.go); shorter ones mostly work rather than
// wait.
const markgenShort = 20_000

// markgenTurns records a goroutine's new status, after the status has changed. It is never called
// concurrently for the same goroutine.
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

// markgenAllocated counts an object that is not counted by inline code.
func markgenAllocated(size uintptr) {
	if gp := getg().m.curg; gp != nil {
		gp.markgen.Bytes += uint64(size)
		gp.markgen.Objects++
	}
}
