//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/glob"
	"github.com/markgen/markgen/runtime/layout"
)

// A trigger changes the state of the run at an event: a passage of a marker, a number of records, or a time. A run may
// have several of each kind.
//
// One that starts or resumes acts when a scope of its marker begins, which is the first that is collected. One that pauses
// or stops acts when the last open scope of its marker ends, which is the last that is collected. So
// start=on:M,pause=on:M collects while M runs.
type trigger struct {
	config.Trigger

	warned  bool          // that there is no such marker
	numbers []uint32      // of the markers that have the name; under the lock
	seen    atomic.Uint64 // passages or records since the state it is about began
	fired   uint64        // when the state began in which it acted last, for one on time; ticks
	open    int64         // scopes of its marker
}

// bits are those for OffTriggers.
func (c *settings) bits() (bits uint64) {
	for _, t := range c.Triggers {
		if t.Kind == config.TriggerAfter {
			bits |= layout.TriggerTimer
		} else {
			bits |= layout.TriggerEvent
		}
	}
	if c.timed() {
		bits |= layout.TriggerTimer
	}
	return bits
}

// timed says whether something happens at a time, for which a goroutine is needed.
func (c *settings) timed() bool {
	for _, t := range c.Triggers {
		if t.Kind == config.TriggerAfter {
			return true
		}
	}
	return c.Period > 0 || c.windows()
}

// theTriggers are those of the run. The slice is replaced, not changed, when another run begins: others may be going
// through it.
var theTriggers *[]trigger

func triggers() []trigger {
	if all := theTriggers; all != nil {
		return *all
	}
	return nil
}

// watchMarker says whether a trigger is about the marker of that name and number.
// The caller holds the lock.
//
//go:norace
func watchMarker(name string, number uint32) (watched bool) {
	all := triggers()
	for i := range all {
		if t := &all[i]; t.OnMarker() && glob.Name(t.Name, name) {
			t.numbers = append(t.numbers, number)
			watched = true
		}
	}
	return watched
}

// has says whether the trigger is about the marker with that number.
//
//go:norace
func (t *trigger) has(number uint32) bool {
	for _, n := range t.numbers {
		if n == number {
			return true
		}
	}
	return false
}

// numberOf is the number of the marker of an index.
//
//go:norace
func numberOf(index uint32) (number uint32) {
	lock()
	if k := index - firstIndex; k < uint32(len(numbers)) {
		number = numbers[k]
	}
	unlock()
	return number
}

// triggering makes a passage and the change of state that it triggers one event: otherwise the end of one scope could
// pause right after the beginning of another has found no need to resume.
var triggering mutex

// beginsAt runs the triggers on the beginning of a scope, or a point, of the marker of that index.
//
//go:norace
func beginsAt(index uint32) {
	acquire(&triggering)
	atomic.OrUint64(watchedWord(index), 1<<(index%64))
	number := numberOf(index)
	all := triggers()
	for i := range all {
		t := &all[i]
		switch {
		case !t.OnMarker() || !t.has(number):
		case !t.Opens():
			t.open++
		case t.Kind == config.TriggerOn || t.reached():
			t.act(causeEvent, number)
		}
	}
	release(&triggering)
}

// watched is a set of indexes of markers that triggers are about, modulo its size: a filter before the locks, which all
// scopes would take when they end.
var watched [64]uint64

// watchedWord is the word of watched with the bit of an index, which is that of the index modulo 64.
//
//go:norace
func watchedWord(index uint32) *uint64 { return &watched[index/64%uint32(len(watched))] }

// isWatched says whether a trigger may be about the marker of that index.
//
//go:norace
func isWatched(index uint32) bool { return atomic.LoadUint64(watchedWord(index))>>(index%64)&1 != 0 }

// endsAt runs the triggers on records and on the end of a scope, or a point, of the marker of that index. recorded says
// whether the passage was recorded.
//
//go:norace
//go:noinline
func endsAt(index uint32, recorded bool) {
	if index == scratchIndex { // of no trigger, but it takes as long
		atomic.AddUint64(&scratch.seen, 1)
		return
	}
	if State() == layout.StateStopped {
		return // complete ends scopes, too, when a trigger has stopped the run
	}
	all := triggers()
	for i := range all {
		if t := &all[i]; t.Kind == config.TriggerRecords && recorded && t.reached() {
			acquire(&triggering)
			t.act(causeEvent, 0)
			release(&triggering)
		}
	}
	if !isWatched(index) {
		return
	}
	number := numberOf(index)
	acquire(&triggering)
	for i := range all {
		t := &all[i]
		if t.Opens() || !t.OnMarker() || !t.has(number) {
			continue
		}
		t.open--
		if t.Kind == config.TriggerOn && t.open <= 0 || t.Kind == config.TriggerCount && recorded && t.reached() {
			t.act(causeEvent, number)
		}
	}
	release(&triggering)
}

// reached counts a passage or record in the state that the trigger is about, and says whether it is the Nth.
//
//go:norace
func (t *trigger) reached() bool {
	return t.applies(State()) && t.seen.Add(1) == t.N
}

// applies says whether the trigger can change a state.
func (t *trigger) applies(s RunState) bool {
	switch t.Key {
	case "start":
		return s == layout.StateConfigured
	case "resume":
		return s == layout.StatePaused
	case "pause":
		return s == layout.StateProfiling
	}
	return s == layout.StateProfiling || s == layout.StatePaused
}

// resetTriggers has the triggers that are about a state count from its beginning.
//
//go:norace
func resetTriggers(s RunState) {
	all := triggers()
	for i := range all {
		if t := &all[i]; t.Key != "stop" && t.Kind != config.TriggerAfter && t.applies(s) {
			t.seen.Store(0)
		}
	}
}

// Collection is on while all of these want it: triggers, every=, and calls of Pause and Resume, which other processes
// make as well. A trigger that starts or resumes overrules calls.
const (
	wantTriggers = 1 << iota
	wantPeriod
	wantCalls
	wantAll = wantTriggers | wantPeriod | wantCalls

	wantResume = wantTriggers | wantCalls
)

// wants are those that want it now. It changes together with the state, under wanting; but other processes change only
// the state.
var (
	wants   uint32
	wanting mutex
)

// act makes the change of state that the trigger is for.
//
//go:norace
func (t *trigger) act(why cause, number uint32) {
	if t.Key == "stop" {
		for s := State(); t.applies(s) && !change(s, layout.StateStopped, why, number); s = State() {
		}
		return
	}
	whose := uint32(wantTriggers)
	if t.Opens() {
		whose = wantResume
	}
	wanted := atomic.LoadUint32(&wants)&whose == whose
	if t.applies(State()) || conf.Period > 0 && wanted != t.Opens() {
		want(whose, t.Opens(), why, number)
	}
}

// want notes that some want collection, or do not, and changes the state if need be.
//
//go:norace
func want(whose uint32, on bool, why cause, number uint32) {
	acquire(&wanting)
	for done := false; !done; {
		s := State()
		heed(s)
		all, to := wants&^whose, RunState(layout.StatePaused)
		if on {
			all, to = wants|whose, layout.StateProfiling
		}
		if on && (all != wantAll || s != layout.StateConfigured && s != layout.StatePaused) || !on && s != layout.StateProfiling {
			done = true
		} else {
			done = change(s, to, why, number)
		}
		if done {
			atomic.StoreUint32(&wants, all)
		}
	}
	release(&wanting)
}

// heed makes wants agree with a state that another process, Start or Resume has set. The caller holds wanting.
//
//go:norace
func heed(s RunState) {
	switch {
	case s == layout.StateProfiling:
		atomic.OrUint32(&wants, wantResume)
	case s == layout.StatePaused && wants == wantAll:
		atomic.AndUint32(&wants, ^uint32(wantCalls))
	}
}

// wantCall is want for Pause and Resume in a run with every=, also between two periods; false: nothing changes.
//
//go:norace
func wantCall(on bool) bool {
	acquire(&wanting)
	s := State()
	heed(s)
	news := (atomic.LoadUint32(&wants)&wantCalls != 0) != on
	release(&wanting)
	if !news || s != layout.StateProfiling && s != layout.StatePaused && (s != layout.StateConfigured || wants&wantTriggers == 0) {
		return false
	}
	whose := uint32(wantCalls)
	if on {
		whose = wantResume
	}
	want(whose, on, causeProgram, 0)
	return true
}

// beginTriggers makes the triggers of the configuration those of the run.
//
//go:norace
func beginTriggers() {
	all := make([]trigger, len(conf.Triggers))
	for i := range all {
		all[i].Trigger = conf.Triggers[i]
	}
	theTriggers = &all
	for i := range watched {
		atomic.StoreUint64(&watched[i], 0)
	}
	wants = wantAll
	if conf.Period > 0 {
		wants &^= wantPeriod
	}
	for i := range all {
		t := &all[i]
		if t.Key == "start" {
			wants &^= wantTriggers
		}
		switch {
		case t.Kind == config.TriggerRecords:
			hot.extras |= extraRecords
		case t.OnMarker() && !t.Opens():
			hot.extras |= extraTrigger
		}
	}
}
