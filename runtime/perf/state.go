//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/layout"
)

// The state of the run is a word in the header of the data file. Each marker has a bit for it in
// its words, which are in the file, too. So the program, its triggers and other processes that may
// write the file change the state in the same way and without waiting for each other: each changes
// the word with compare-and-swap, and then updates the bits until the state no longer changes
// meanwhile.

// Configure makes the process ready to collect as spec says, which has the form of the variable
// MARKGEN (docs/reference/markgen-variable.md). It is for programs that were started without that variable,
// or whose run was stopped; after Stop, an empty spec returns to unconfigured. The first scope
// starts collection, unless a trigger is to start it. Any goroutine may call Configure. If a run is
// being stopped, Configure waits until its data are complete.
func Configure(spec string) error {
	begin()
	awaitEnd()
	starting.Lock()
	from := State()
	for atomic.LoadUint32(&ending) != 0 || incomplete() { // the goroutine that ends the run may need starting
		starting.Unlock()
		awaitEnd()
		starting.Lock()
		from = State()
	}
	defer starting.Unlock()
	switch {
	case spec == "" && from == layout.StateStopped:
		forget()
		return nil
	case from != layout.StateUnconfigured && from != layout.StateStopped || spec == "":
		to := RunState(layout.StateConfigured)
		if spec == "" {
			to = layout.StateUnconfigured
		}
		return &StateError{"Configure", from, to}
	}
	return configure(spec)
}

// Start starts collection in a configured run that waits for a trigger.
func Start() error { return toggle("Start", layout.StateProfiling, causeProgram) }

// Pause stops collection until Resume, or until a trigger starts or resumes it. Open scopes are
// recorded when they end.
func Pause() error { return toggle("Pause", layout.StatePaused, causeProgram) }

// Resume continues collection after Pause.
func Resume() error { return toggle("Resume", layout.StateProfiling, causeProgram) }

// Stop ends the run: it completes the data file and writes the report, if one was asked for. Open
// scopes are reported as open.
func Stop() error { return toggle("Stop", layout.StateStopped, causeProgram) }

// State returns the state of the run. Without MARKGEN it is StateUnconfigured.
//
//go:noinline
func State() RunState {
	begin()
	if header == nil {
		return layout.StateUnconfigured
	}
	return RunState(atomic.LoadUint64(headerWord(layout.OffState)))
}

// toggle changes the state for a call by the program. If no trigger is to start collection, it has
// already begun when Start is called.
//
//go:norace
func toggle(call string, to RunState, why cause) error {
	begin()
	waits := header != nil && State() == layout.StateConfigured
	if header != nil {
		ready()
	}
	if to == layout.StateProfiling && waits && State() == layout.StateProfiling {
		return nil // no trigger was to start it
	}
	if s := State(); call == "Start" && conf.Period > 0 && (s == layout.StateProfiling || s == layout.StatePaused) {
		return nil // every= starts by itself, and changes the state at any time
	}
	if header != nil && conf.Period > 0 && (call == "Pause" || call == "Resume") && callInCycle(call == "Resume") {
		return nil
	}
	for {
		from := State()
		if !allowed(call, from, to) {
			return &StateError{call, from, to}
		}
		if change(from, to, why, 0) {
			return nil
		}
	}
}

// allowed reports whether call may make this change of state.
func allowed(call string, from, to RunState) bool {
	switch to {
	case layout.StateProfiling:
		return from == layout.StateConfigured && call == "Start" || from == layout.StatePaused && call == "Resume"
	case layout.StatePaused:
		return from == layout.StateProfiling
	case layout.StateStopped:
		return from == layout.StateProfiling || from == layout.StatePaused
	}
	return false
}

// A cause says why the state changed, in the log of the data file.
type cause uint32

const (
	causeBegin   cause = layout.LogBegin
	causeProgram cause = layout.LogProgram
	causeEvent   cause = layout.LogEvent
	causeTimer   cause = layout.LogTimer
	causeEnd     cause = layout.LogEnd
)

// change changes the state and updates the markers. marker is the number of the marker whose scope
// is the cause, or 0. It returns false if the state was another by then.
//
//go:norace
func change(from, to RunState, why cause, marker uint32) bool {
	if to == layout.StateStopped {
		atomic.AddUint32(&ending, 1)
		defer atomic.AddUint32(&ending, 1<<32-1)
	}
	t := now() // before the swap, so that the times of changes are in order
	if !atomic.CompareAndSwapUint64(headerWord(layout.OffState), uint64(from), uint64(to)) {
		return false
	}
	since := atomic.SwapUint64(headerWord(layout.OffSince), t)
	if from == layout.StateProfiling {
		atomic.AddUint64(headerWord(layout.OffProfiled), subtract(t, since))
		setHeader(layout.OffClosed, t)
	}
	logChange(t, from, to, why, marker)
	triggers().Enter(uint64(to))
	if why == causeEnd { // the process ends: nothing is recorded any more, so the markers need no update
		hot.window = &afterEnd
	} else {
		lock()
		follow()
		unlock()
	}
	switch {
	case to == layout.StateStopped:
		complete()
	case from == layout.StateProfiling:
		dropProfile()
	}
	return true
}

// follow makes the words of all markers agree with the state. The caller holds the lock.
//
//go:norace
func follow() {
	for {
		s := State()
		for k := range tables {
			tables[k].follow(s)
		}
		if s == layout.StateStopped {
			theSampler.conclude()
		}
		if State() == s {
			if s != layout.StateProfiling {
				settleMarkers()
			}
			return
		}
	}
}

// follow makes the words of a table's markers, and its counters, agree with a state.
//
//go:norace
func (t *table) follow(s RunState) {
	for i := range t.markers {
		m := t.at(uint32(i))
		switch {
		case s == layout.StateProfiling:
			m.clearOff(layout.OffByState)
		case shared.Load(&m.index)&layout.IndexKept != 0 && s != layout.StateStopped:
		case shared.Load(&m.Off)&layout.OffByState == 0:
			shared.SetBits(&m.Off, layout.OffByState)
		}
	}
	t.countIf(counts(s))
}

// counts reports whether counters count in a state.
func counts(s RunState) bool {
	return s != layout.StatePaused && s != layout.StateStopped && !(s == layout.StateConfigured && conf.Waits)
}

// logChange adds a change to the log, if there is room.
//
//go:norace
//go:nocheckptr
func logChange(t uint64, from, to RunState, why cause, marker uint32) {
	if changes == nil {
		return
	}
	n := atomic.AddUint64((*uint64)(unsafe.Add(changes, layout.OffLogLen)), 1) - 1
	if n >= layout.LogRoom {
		return
	}
	line := unsafe.Add(changes, layout.OffLogData+uintptr(n)*layout.LogSize)
	*(*uint32)(unsafe.Add(line, layout.LogFrom)) = uint32(from)
	*(*uint32)(unsafe.Add(line, layout.LogTo)) = uint32(to)
	*(*uint32)(unsafe.Add(line, layout.LogCause)) = uint32(why)
	*(*uint32)(unsafe.Add(line, layout.LogMarker)) = marker
	atomic.StoreUint64((*uint64)(unsafe.Add(line, layout.LogTick)), t)
}

// changes is the BlockLog of the run, nil if there is none.
var changes unsafe.Pointer
