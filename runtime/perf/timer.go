//go:build !markgen_off

package perf

import (
	"sync/atomic"
	_ "unsafe" // for go:linkname

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/mutex"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/internal/trigger"
	"github.com/markgen/markgen/runtime/layout"
)

// sleep puts the goroutine to sleep for ns nanoseconds; the runtime provides it for package time
// (runtime/time.go, timeSleep).
//
//go:linkname sleep time.Sleep
func sleep(ns int64)

// The goroutine timers exists only while something is to happen at a certain time: a sleeping
// goroutine hides the Go runtime's report of a deadlock, and programs that are marked in place
// count it with their own.

// longestSleep bounds the delay with which timers notices a change of state, in ns.
const longestSleep = 10_000_000

// timers runs the triggers on time, every= and the windows of sample=, until the run has ended or
// none of these is left.
//
//go:norace
func timers(run uint64) {
	s := &theSampler
	line := trigger.Timeline{Begun: uint64(nanotime())}
	cycle := trigger.Cycle{Begun: line.Begun, Period: conf.Period, Width: conf.Width}
	for timing.Lock(); State() != layout.StateStopped && atomic.LoadUint64(&runs) == run; timing.Lock() {
		next := longestSleep + uint64(nanotime())
		all := triggers()
		for i := range all {
			if t := &all[i]; t.Kind == config.TriggerAfter {
				next = min(next, dueAt(t, &line))
			}
		}
		// Nothing is left to happen at a time
		if !all.Pending(uint64(State())) && conf.Period == 0 && !conf.windows() {
			break
		}
		if conf.Period > 0 {
			next = min(next, cycleAt(&cycle))
		}
		if conf.windows() {
			next = min(next, s.due())
		}
		timing.Unlock()
		if d := int64(next - uint64(nanotime())); d > 0 {
			sleep(d)
		}
	}
	if timersRun == run {
		timersRun = 0
	}
	timing.Unlock()
}

// dueAt acts if the trigger's time has come, and returns the monotonic time at which to call it
// again.
//
//go:norace
func dueAt(t *trigger.Trigger, line *trigger.Timeline) uint64 {
	state, tick := State(), atomic.LoadUint64(headerWord(layout.OffSince)) // another process may have changed them
	line.Observe(uint64(state), tick, began.Mono+toNS(subtract(tick, began.Tick)))
	acts, next := t.Due(line, uint64(nanotime()))
	if acts {
		act(t, causeTimer, 0)
	}
	return next
}

// cycleAt begins or ends the window of the period if its time has come, and returns the monotonic
// time at which to call it again.
//
//go:norace
func cycleAt(c *trigger.Cycle) uint64 {
	for {
		r, ok := c.Step(uint64(State()), uint64(nanotime()))
		if !ok {
			return c.Next()
		}
		deciding.Lock()
		apply(r, causeTimer, 0)
		deciding.Unlock()
	}
}

// timersRun is the run that timers serves; 0 if it is not running.
var timersRun uint64

// haveTimers starts timers for a run that needs it and has none, or reports that there can be none.
//
//go:norace
func haveTimers(run uint64) {
	timing.Lock()
	begins := timersRun != run
	timersRun = run
	timing.Unlock()
	if !begins {
		return
	}
	if problem := platform.PollerProblem(); problem != "" {
		complain("MARKGEN: there can be no timer: " + problem + "; no window is opened, and nothing happens after a time")
		return
	}
	startTimers(run)
}

// timers holds timing while it looks at the run and acts, so that forget does not discard the run
// meanwhile. timing also guards timersRun and the times that triggers keep.
var timing mutex.Mutex

// runs is a number that changes when a run begins and when it is discarded.
var runs uint64
