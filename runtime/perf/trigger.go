//go:build !markgen_off

package perf

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/mutex"
	"github.com/markgen/markgen/runtime/internal/tabletext"
	"github.com/markgen/markgen/runtime/internal/trigger"
	"github.com/markgen/markgen/runtime/layout"
)

// Package trigger decides which change of the state an event asks for. This file passes it the
// events and makes the changes. Locks are acquired in this order: timing (timer.go) or triggering,
// deciding, the lock.

// theTriggers are the triggers of the run. When another run begins, they are replaced, not changed:
// other goroutines may be iterating over them.
var theTriggers *trigger.Set

func triggers() trigger.Set {
	if all := theTriggers; all != nil {
		return *all
	}
	return nil
}

var (
	// triggering makes a scope's event and the change of state that it triggers atomic: otherwise
	// the end of one scope could pause right after the beginning of another has found no need to
	// resume. It guards what triggers keep of scopes.
	triggering mutex.Mutex

	// deciding guards theMachine, which changes together with the state; other processes change
	// only the state.
	deciding   mutex.Mutex
	theMachine trigger.Machine
)

// beginTriggers makes the triggers in the configuration the run's triggers.
//
//go:norace
func beginTriggers() {
	all := trigger.New(&conf.Config)
	theTriggers, theMachine = &all, trigger.NewMachine(&conf.Config)
	for i := range watched {
		atomic.StoreUint64(&watched[i], 0)
	}
	for i := range all {
		switch t := &all[i]; {
		case t.Kind == config.TriggerRecords:
			hot.hooks |= hookRecords
		case t.OnMarker() && !t.Opens():
			hot.hooks |= hookTrigger
		}
	}
}

// bits returns the bits for OffTriggers.
//
//go:noinline
func (c *settings) bits() (bits uint64) {
	for _, t := range c.Triggers {
		if t.Kind == config.TriggerAfter {
			bits |= layout.TriggerTimer
		} else {
			bits |= layout.TriggerEvent
		}
	}
	if c.Period > 0 || c.windows() {
		bits |= layout.TriggerTimer
	}
	return bits
}

// timed reports whether something happens at a time, for which a goroutine is needed.
func (c *settings) timed() bool { return c.bits()&layout.TriggerTimer != 0 }

// numberOf returns the number of the marker of an index.
//
//go:norace
func numberOf(index uint32) (number uint32) {
	lock()
	if u := indexed(index); u != nil {
		number = u.number
	}
	unlock()
	return number
}

// beginsAt runs the triggers for the beginning of a scope, or a point, of the marker of that index.
//
//go:norace
func beginsAt(index uint32) {
	triggering.Lock()
	atomic.OrUint64(watchedWord(index), 1<<(index%64))
	number := numberOf(index)
	all := triggers()
	for i := range all {
		if t := &all[i]; t.Begin(uint64(State()), number) {
			act(t, causeEvent, number)
		}
	}
	triggering.Unlock()
}

// watched is the set of the indexes of watched markers, modulo its size: a filter, without which
// every scope would acquire the locks when it ends.
var watched [64]uint64

// watchedWord returns the word of watched for an index; the bit is the index modulo 64.
//
//go:norace
func watchedWord(index uint32) *uint64 { return &watched[index/64%uint32(len(watched))] }

// isWatched reports whether a trigger may watch the marker of that index.
//
//go:norace
func isWatched(index uint32) bool { return atomic.LoadUint64(watchedWord(index))>>(index%64)&1 != 0 }

// endsAt runs the triggers on records and those on the end of a scope, or a point, of the marker of
// that index. recorded says whether the scope was recorded.
//
//go:norace
//go:noinline
func endsAt(index uint32, recorded bool) {
	if index == scratchIndex { // it has no trigger, but calibration needs the same cost
		atomic.AddUint64(&scratch.Seen, 1)
		return
	}
	if State() == layout.StateStopped {
		return // when a trigger has stopped the run, complete ends scopes, too
	}
	all := triggers()
	for i := range all {
		if t := &all[i]; recorded && t.Record(uint64(State())) {
			triggering.Lock()
			act(t, causeEvent, 0)
			triggering.Unlock()
		}
	}
	if !isWatched(index) {
		return
	}
	number := numberOf(index)
	triggering.Lock()
	for i := range all {
		if t := &all[i]; t.End(uint64(State()), number, recorded) {
			act(t, causeEvent, number)
		}
	}
	triggering.Unlock()
}

// act makes the change of state that the trigger is for. A stop does not acquire deciding, since
// stopping acquires other locks.
//
//go:norace
func act(t *trigger.Trigger, why cause, number uint32) {
	if t.Key == "stop" {
		for s := State(); t.Applies(uint64(s)) && !change(s, layout.StateStopped, why, number); s = State() {
		}
		return
	}
	deciding.Lock()
	if r, ok := theMachine.Trigger(t, uint64(State())); ok {
		apply(r, why, number)
	}
	deciding.Unlock()
}

// callInCycle makes the change of state that Pause or Resume asks for in a run with every=. It
// returns false if nothing changes.
//
//go:norace
func callInCycle(resume bool) bool {
	deciding.Lock()
	r, ok := theMachine.Call(resume, uint64(State()))
	if ok {
		apply(r, causeProgram, 0)
	}
	deciding.Unlock()
	return ok
}

// apply makes the change of state that a request leads to, if any. The caller holds deciding.
//
//go:norace
func apply(r trigger.Request, why cause, number uint32) {
	for {
		s := State()
		if to := RunState(theMachine.Next(r, uint64(s))); to == s || change(s, to, why, number) {
			theMachine.Done(r)
			return
		}
	}
}

// checkNames warns about names in MARKGEN that match no marker, when the table of package main (its
// text has a line "e"), which is the last, has been registered.
//
//go:norace
func checkNames(text string) {
	if len(triggers()) == 0 && (conf.Only == "" || conf.matched) {
		return
	}
	if tabletext.IsLast(unpack(text)) {
		complainOfNames()
	}
}

// complainOfNames warns, once, about names of triggers and globs of only= that match no marker.
//
//go:norace
func complainOfNames() {
	all := triggers()
	for i := -1; i < len(all); i++ {
		problem := ""
		lock()
		if i < 0 {
			problem = conf.onlyProblem()
		} else {
			problem = all[i].Complaint()
		}
		unlock()
		if problem != "" {
			complain(problem)
		}
	}
}
