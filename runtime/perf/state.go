//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// The state of the run is a word in the header of the data file. Each marker has a bit for it in
// its words, which are in the file, too. So the program, its triggers and other processes that may
// write the file change the state in the same way and without waiting for each other: they compare
// and swap the word, and then make the bits agree with it, until it has not changed meanwhile.

// Configure makes the process ready to collect as spec says, which has the form of
// the variable MARKGEN; docs/markgen-variable.md. It is for programs that were
// started without that variable, or whose run was stopped; an empty spec then goes
// back to unconfigured. The first marker that is passed starts collection, unless
// a trigger is to do that. Any goroutine may call it. A run that is being stopped is
// complete first.
func Configure(spec string) error {
	begin()
	awaitEnd()
	acquire(&starting)
	from := State()
	for atomic.LoadUint32(&ending) != 0 || incomplete() { // who ends the run may need that
		release(&starting)
		awaitEnd()
		acquire(&starting)
		from = State()
	}
	defer release(&starting)
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

// Start begins to collect in a configured run that waits for a trigger.
func Start() error { return toggle("Start", layout.StateProfiling, causeProgram) }

// Pause stops collecting until Resume, or until a trigger starts or resumes; scopes
// that are open finish.
func Pause() error { return toggle("Pause", layout.StatePaused, causeProgram) }

// Resume goes on collecting after Pause.
func Resume() error { return toggle("Resume", layout.StateProfiling, causeProgram) }

// Stop ends the run: its data file is complete, and the report written that was
// asked for. Scopes that are open are reported as open.
func Stop() error { return toggle("Stop", layout.StateStopped, causeProgram) }

// State gives the state of the run. Without MARKGEN it is StateUnconfigured.
func State() RunState {
	begin()
	if header == nil {
		return layout.StateUnconfigured
	}
	return RunState(atomic.LoadUint64(headerWord(layout.OffState)))
}

// toggle makes the change of state that the program calls for. If no trigger is to start
// collection, it has begun with the program.
//
//go:norace
func toggle(call string, to RunState, why cause) error {
	begin()
	waits := header != nil && State() == layout.StateConfigured
	if header != nil {
		ready()
	}
	if to == layout.StateProfiling && waits && State() == layout.StateProfiling {
		return nil // no trigger was to do that
	}
	if s := State(); call == "Start" && conf.Period > 0 && (s == layout.StateProfiling || s == layout.StatePaused) {
		return nil // every= begins by itself, and changes the state when it likes
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

// allowed says whether a call may lead from one state to the other.
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

// A cause is why the state has changed, in the log of the data file.
type cause uint32

const (
	causeBegin   cause = layout.LogBegin
	causeProgram cause = layout.LogProgram
	causeEvent   cause = layout.LogEvent
	causeTimer   cause = layout.LogTimer
	causeEnd     cause = layout.LogEnd
)

// change replaces the state from and makes the markers follow. marker is the number of the one
// whose passage is the cause, or 0. false: it was another state by then.
//
//go:norace
func change(from, to RunState, why cause, marker uint32) bool {
	if to == layout.StateStopped {
		atomic.AddUint32(&ending, 1)
		defer atomic.AddUint32(&ending, 1<<32-1)
	}
	t := now() // before, so that the times of changes are in their order
	if !atomic.CompareAndSwapUint64(headerWord(layout.OffState), uint64(from), uint64(to)) {
		return false
	}
	since := atomic.SwapUint64(headerWord(layout.OffSince), t)
	if from == layout.StateProfiling {
		atomic.AddUint64(headerWord(layout.OffProfiled), less(t, since))
		setHeader(layout.OffClosed, t)
	}
	logChange(t, from, to, why, marker)
	triggers().Enter(uint64(to))
	if why == causeEnd { // of the process: nothing is recorded from now on, so the markers need not follow
		hot.window = &afterEnd
	} else {
		lock()
		follow()
		unlock()
	}
	if to == layout.StateStopped {
		complete()
	}
	return true
}

// follow makes the words of all markers agree with the state. The caller holds the
// lock.
//
//go:norace
//go:nocheckptr
func follow() {
	for {
		s := State()
		for k := range tables {
			tables[k].follow(s)
		}
		width := atomic.LoadUint64(&ownWindow().width)
		setTicks(s == layout.StateProfiling && width != 0 && width != noWindow)
		if s == layout.StateStopped {
			theSampler.conclude()
		}
		keepTicking()
		if State() == s {
			if s != layout.StateProfiling {
				settleMarkers()
			}
			return
		}
	}
}

// follow makes the words of a table's markers, and its counters, agree with a
// state.
//
//go:norace
//go:nocheckptr
func (t *table) follow(s RunState) {
	for i := range t.markers {
		m := t.at(uint32(i))
		switch {
		case s == layout.StateProfiling:
			if w := loadWord(&m.Off); w&layout.OffByState != 0 {
				w = clearBits(&m.Off, layout.OffByState)
				if w&^(layout.OffByState|layout.OffSettled) == 0 {
					clearBits(&m.Off, layout.OffSettled)
				}
			}
		case loadWord(&m.index)&layout.IndexKept != 0 && s != layout.StateStopped:
		case loadWord(&m.Off)&layout.OffByState == 0:
			setBits(&m.Off, layout.OffByState)
		}
	}
	t.countIf(counts(s))
}

// counts says whether counters count in a state.
func counts(s RunState) bool {
	return s != layout.StatePaused && s != layout.StateStopped && !(s == layout.StateConfigured && conf.Waits)
}

// settleNew is settleMarkers for a table whose markers have no scopes yet. The caller holds the lock.
//
//go:norace
func (t *table) settleNew() {
	for i := range t.markers {
		if m := t.at(uint32(i)); loadWord(&m.Off) != 0 && (loadWord(&m.index)&layout.IndexMask == 0 || hot.mode != modeOn) {
			setBits(&m.Off, layout.OffSettled)
		}
	}
}

// settleMarkers sets OffSettled for markers that are off and have no open scopes: their code does
// not look for ends any more. The caller holds the lock.
//
//go:norace
//go:nocheckptr
func settleMarkers() {
	open := make([]bool, nextIndex)
	findOpen(true)
	for _, i := range opens {
		if i < uint32(len(open)) {
			open[i] = true
		}
	}
	for k := range tables {
		t := &tables[k]
		for i := range t.markers {
			m := t.at(uint32(i))
			if w := loadWord(&m.Off); w != 0 && w&layout.OffSettled == 0 && !open[loadWord(&m.index)&layout.IndexMask] {
				swapWord(&m.Off, w, w|layout.OffSettled)
			}
		}
	}
}

// logChange writes a line of the log, while there is room.
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
