//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/glob"
	"github.com/markgen/markgen/runtime/layout"
)

// A trigger changes the state of the run when something happens. Triggers on markers, on records and on
// time work side by side in one run.
//
// What starts or resumes does so when a scope of its marker begins, which is the
// first to be collected. What pauses or stops does so when the last open scope of
// its marker ends, which is the last to be collected. So start=on:M,pause=on:M
// collects while M runs.
type trigger struct {
	config.Trigger

	told    bool          // that there is no such marker
	numbers []uint32      // of the markers that have the name; under the lock
	seen    atomic.Uint64 // passages or records since the state it is about began
	fired   uint64        // tick since which the state was in which its time came last
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

// timed says whether something happens after some time, for which a goroutine is
// needed.
func (c *settings) timed() bool {
	for _, t := range c.Triggers {
		if t.Kind == config.TriggerAfter {
			return true
		}
	}
	return c.Period > 0 || c.windows()
}

// theTriggers are those of the run. Who goes through them may still do so when they are another run's.
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

// has says whether the trigger is about the marker of that number.
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

// triggering makes a passage through a marker and what it sets off one event:
// otherwise the end of one scope could pause what the beginning of another has found
// no need to resume.
var triggering mutex

// beginsAt sets off what the beginning of a scope, or a point, of the marker of
// that index does.
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

// watched has the indexes of markers that triggers are about, of which scopes have begun, by their last bits: where others share
// those, they are taken for it, too. All scopes end past it, and most need none of the locks behind it.
var watched [64]uint64

// watchedWord is the word of an index in watched. Its bit is that of the index modulo 64.
//
//go:norace
func watchedWord(index uint32) *uint64 { return &watched[index/64%uint32(len(watched))] }

// isWatched says whether the end of a scope, or a point, of the marker of that index may set something off.
//
//go:norace
func isWatched(index uint32) bool { return atomic.LoadUint64(watchedWord(index))>>(index%64)&1 != 0 }

// endsAt sets off what the end of a scope, or a point, of the marker of that index
// does. recorded says whether it was.
//
//go:norace
//go:noinline
func endsAt(index uint32, recorded bool) {
	if index == scratchIndex { // of no trigger, but it takes as long
		atomic.AddUint64(&scratch.seen, 1)
		return
	}
	if State() == layout.StateStopped {
		return // there is nothing left to set off, and a trigger may have ended the run, which settles what was left
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

// reached counts a passage or record in the state that the trigger is about, and
// says whether it is the one that the trigger waits for.
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

// Collection is on while all of these want it: what the markers and the times of
// triggers say, the windows of every=, and who pauses and resumes by a call, a
// directive or from outside. What a trigger starts or resumes it does whoever has
// paused.
const (
	wantTriggers = 1 << iota
	wantPeriod
	wantCalls
	wantAll = wantTriggers | wantPeriod | wantCalls

	wantResume = wantTriggers | wantCalls
)

// wants are those that want it. They and the state change together, under wanting; but
// other processes change the state alone.
var (
	wants   uint32
	wanting mutex
)

// act does what the trigger is for.
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

// want says that some want collection, or do not, and changes the state if that makes
// a difference.
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

// heed takes note of a state that is not what all together want: somebody has changed
// it from outside, or by Start or Resume. The caller holds wanting.
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

// wantCall is want for Pause and Resume in a run with every=, which may be called between
// two windows, too; false: it is nothing new.
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
